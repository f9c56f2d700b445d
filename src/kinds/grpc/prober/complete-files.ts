import type { DescriptorProto, FileDescriptorProto } from "@bufbuild/protobuf/wkt";
import { findKnownFileOf, toJsonName } from "../messages.ts";

/**
 * Completes definitions that a server sends as its author wrote them: names relative to the place
 * of use become absolute, files that define them become dependencies, and fields have a name in
 * JSON. gRPC for Node.js sends such definitions.
 */
export function completeFiles(files: readonly FileDescriptorProto[]): void {
  const owners = new Map<string, string>();
  for (const file of files) {
    for (const name of listTypes(file, prefixOf(file))) owners.set(name, file.name);
  }
  for (const file of files) new Completion(file, owners).run();
}

const prefixOf = (file: FileDescriptorProto) => (file.package === "" ? "" : `.${file.package}`);

interface Scope {
  readonly messageType?: readonly DescriptorProto[];
  readonly nestedType?: readonly DescriptorProto[];
  readonly enumType: readonly { readonly name: string }[];
}

function listTypes({ messageType, nestedType, enumType }: Scope, prefix: string): string[] {
  return [
    ...enumType.map(({ name }) => `${prefix}.${name}`),
    ...(messageType ?? nestedType ?? []).flatMap((message) => {
      const name = `${prefix}.${message.name}`;
      return [name, ...listTypes(message, name)];
    }),
  ];
}

class Completion {
  readonly #file: FileDescriptorProto;
  /** Name of the file that defines a type. */
  readonly #owners: ReadonlyMap<string, string>;

  constructor(file: FileDescriptorProto, owners: ReadonlyMap<string, string>) {
    this.#file = file;
    this.#owners = owners;
  }

  run(): void {
    const prefix = prefixOf(this.#file);
    for (const { name, method } of this.#file.service) {
      for (const one of method) {
        one.inputType = this.#complete(`${prefix}.${name}`, one.inputType);
        one.outputType = this.#complete(`${prefix}.${name}`, one.outputType);
      }
    }
    for (const message of this.#file.messageType) this.#completeFields(prefix, message);
  }

  #completeFields(prefix: string, message: DescriptorProto): void {
    const scope = `${prefix}.${message.name}`;
    for (const field of message.field) {
      if (field.jsonName === "") field.jsonName = toJsonName(field.name);
      if (field.typeName !== "") field.typeName = this.#complete(scope, field.typeName);
    }
    for (const nested of message.nestedType) this.#completeFields(scope, nested);
  }

  #complete(scope: string, name: string): string {
    const absolute = name.startsWith(".") ? name : this.#find(scope, name);
    const owner = this.#owners.get(absolute) ?? findKnownFileOf(absolute.slice(1));
    const { name: own, dependency } = this.#file;
    if (owner !== undefined && owner !== own && !dependency.includes(owner)) dependency.push(owner);
    return absolute;
  }

  /** Searches from the innermost scope outwards, as the language does. */
  #find(scope: string, name: string): string {
    for (let outer = scope; outer !== ""; outer = outer.slice(0, outer.lastIndexOf("."))) {
      if (this.#owners.has(`${outer}.${name}`)) return `${outer}.${name}`;
    }
    return `.${name}`;
  }
}
