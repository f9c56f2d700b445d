import { createFileRegistry, type FileRegistry, fromBinary } from "@bufbuild/protobuf";
import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";
import {
  type DescriptorProto,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
} from "@bufbuild/protobuf/wkt";
import {
  describeError,
  findKnownFile,
  findKnownFileOf,
  ProtoFault,
  toJsonName,
} from "../messages.ts";
import type { CallEnd, CallFailure } from "./call.ts";

/**
 * Completes the Protobuf definitions that a server sent. Some servers, such as those with gRPC for
 * Node.js, send definitions that a Protobuf compiler has not completed. This function makes
 * relative type names absolute, adds the files that define the used types as dependencies, and adds
 * missing JSON names of fields.
 */
function completeFiles(files: readonly FileDescriptorProto[]): void {
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
  /** Maps the name of a type to the name of the file that defines it. */
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

  /** Resolves a type name from the innermost scope outwards, as Protobuf specifies. */
  #find(scope: string, name: string): string {
    for (let outer = scope; outer !== ""; outer = outer.slice(0, outer.lastIndexOf("."))) {
      if (this.#owners.has(`${outer}.${name}`)) return `${outer}.${name}`;
    }
    return `.${name}`;
  }
}

/** Field numbers of `ServerReflectionRequest` and `ServerReflectionResponse`. */
const fileByName = 3;
const fileContainingSymbol = 4;
const filesField = 4;
const errorField = 7;
const delimited = 2;

const maxFiles = 200;
const unimplemented = 12;
/**
 * Paths of the reflection service. Older servers support only the preliminary version `v1alpha`.
 */
const paths = ["v1", "v1alpha"].map(
  (version) => `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
);

type Ask = (path: string, body: Uint8Array) => Promise<CallEnd | CallFailure>;

/**
 * Requests the definition of a service and all its dependencies from the server. Returns network
 * errors as results. Throws a `ProtoFault` if the server does not provide the definition.
 */
export async function reflect(ask: Ask, service: string): Promise<FileRegistry | CallFailure> {
  const files = new Map<string, FileDescriptorProto>();
  let path = paths[0] ?? "";
  let reply = await ask(path, encodeRequest(fileContainingSymbol, service));
  if (reply.kind === "ended" && reply.statusCode === unimplemented) {
    path = paths[1] ?? "";
    reply = await ask(path, encodeRequest(fileContainingSymbol, service));
  }
  if (reply.kind === "failed") return reply;
  const found = readFiles(reply);
  const [main] = found;
  if (main === undefined) throw new ProtoFault(`the server does not define ${service}`);
  const wanted = addFiles(files, found);
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (files.has(name) || findKnownFile(name) !== undefined) continue;
    if (files.size >= maxFiles) throw new ProtoFault("the definition has too many files");
    const next = await ask(path, encodeRequest(fileByName, name));
    if (next.kind === "failed") return next;
    wanted.push(...addFiles(files, readFiles(next)));
    if (!files.has(name)) throw new ProtoFault(`the server does not define ${name}`);
  }
  completeFiles([...files.values()]);
  try {
    return createFileRegistry(main, (name) => files.get(name) ?? findKnownFile(name));
  } catch (error) {
    throw new ProtoFault(`the server's definition is invalid: ${describeError(error)}`);
  }
}

function encodeRequest(field: number, text: string): Uint8Array {
  return new BinaryWriter().tag(field, delimited).string(text).finish();
}

/**
 * Adds files to `files`, which maps names to files. Returns the names of the files that the added
 * files import.
 */
function addFiles(
  files: Map<string, FileDescriptorProto>,
  added: readonly FileDescriptorProto[],
): string[] {
  for (const file of added) files.set(file.name, file);
  return added.flatMap(({ dependency }) => dependency);
}

function readFiles(end: CallEnd): FileDescriptorProto[] {
  try {
    return decodeFiles(end);
  } catch (error) {
    if (error instanceof ProtoFault) throw error;
    throw new ProtoFault(`the server's definition is invalid: ${describeError(error)}`);
  }
}

function decodeFiles({ statusCode, message }: CallEnd): FileDescriptorProto[] {
  if (statusCode === unimplemented) {
    throw new ProtoFault("the server offers no reflection; use a .proto file");
  }
  if (message === null) {
    throw new ProtoFault(`reflection ended with status ${statusCode}`);
  }
  const files: FileDescriptorProto[] = [];
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === errorField) throw new ProtoFault(describeRefusal(reader.bytes()));
    if (field === filesField) files.push(...readList(reader.bytes()));
    else reader.skip(type);
  }
  return files;
}

/** Decodes a `FileDescriptorResponse`. */
function readList(bytes: Uint8Array): FileDescriptorProto[] {
  const files: FileDescriptorProto[] = [];
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1) files.push(fromBinary(FileDescriptorProtoSchema, reader.bytes()));
    else reader.skip(type);
  }
  return files;
}

/** Decodes the message of an `ErrorResponse`. */
function describeRefusal(bytes: Uint8Array): string {
  const reader = new BinaryReader(bytes);
  let text = "";
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 2) text = reader.string();
    else reader.skip(type);
  }
  return `reflection was refused: ${text.slice(0, 200)}`;
}
