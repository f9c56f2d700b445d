import {
  create,
  createFileRegistry,
  type DescFile,
  type DescMessage,
  type FileRegistry,
  fromBinary,
  fromJsonString,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import {
  type DescriptorProto,
  DescriptorProtoSchema,
  type EnumDescriptorProto,
  EnumDescriptorProtoSchema,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
  ServiceDescriptorProtoSchema,
} from "@bufbuild/protobuf/wkt";
import protobuf from "protobufjs";

/**
 * Reads `.proto` files and encodes messages. protobufjs is used only as a parser, because its
 * encoder generates JavaScript code. Messages are encoded with descriptors instead.
 */

/**
 * Thrown if a call cannot be made. The message is a clause, such as "there is no service
 * shop.v1.Cart".
 */
export class ProtoFault extends Error {}

/** Standard definitions that every `.proto` file may import. */
const known: ReadonlyMap<string, DescFile> = new Map(
  [
    file_google_protobuf_any,
    file_google_protobuf_duration,
    file_google_protobuf_empty,
    file_google_protobuf_field_mask,
    file_google_protobuf_struct,
    file_google_protobuf_timestamp,
    file_google_protobuf_wrappers,
  ].map((file) => [`${file.name}.proto`, file]),
);

/** Returns a standard definition by its path, such as `google/protobuf/any.proto`. */
export function findKnownFile(name: string): DescFile | undefined {
  return known.get(name);
}

/** Returns the path of the standard definition for a type, such as `google.protobuf.Any`. */
export function findKnownFileOf(typeName: string): string | undefined {
  return known.entries().find(([, file]) => defines(file, typeName))?.[0];
}

function defines({ messages, enums }: DescFile, typeName: string): boolean {
  return [...messages, ...enums].some((type) => type.typeName === typeName);
}

/** Parses a `.proto` file. Throws a `ProtoFault` if the file is invalid. */
export function readProtoFile(content: string): FileRegistry {
  try {
    return read(content);
  } catch (error) {
    if (error instanceof ProtoFault) throw error;
    const reason = error instanceof RangeError ? "it is too deeply nested" : describeError(error);
    throw new ProtoFault(reason);
  }
}

const maxReasonLength = 200;

export function describeError(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.slice(0, maxReasonLength);
}

function read(content: string): FileRegistry {
  const root = new protobuf.Root();
  const parsed = protobuf.parse(content, root, { keepCase: true });
  const imports = [...new Set([...(parsed.imports ?? []), ...(parsed.weakImports ?? [])])];
  for (const name of imports) {
    const common = protobuf.common.get(name);
    if (!known.has(name) || common === null) {
      throw new ProtoFault(
        `it imports ${name.slice(0, maxReasonLength)}; paste those definitions into it`,
      );
    }
    root.addJSON(common.nested ?? {});
  }
  const own = parsed.package === undefined ? root : root.lookup(parsed.package);
  if (!(own instanceof protobuf.Namespace)) throw new ProtoFault("it defines no service");
  const added = new Set(imports.length === 0 || own !== root ? [] : [root.get("google")]);
  root.resolveAll();
  const members = own.nestedArray.filter((member) => !added.has(member));
  const file = create(FileDescriptorProtoSchema, {
    name: "check.proto",
    package: parsed.package ?? "",
    syntax: isProto3(content) ? "proto3" : "proto2",
    dependency: imports,
    messageType: members.filter((member) => member instanceof protobuf.Type).map(toMessage),
    enumType: members.filter((member) => member instanceof protobuf.Enum).map(toEnum),
    service: members.filter((member) => member instanceof protobuf.Service).map(toService),
  });
  return createFileRegistry(file, findKnownFile);
}

function isProto3(content: string): boolean {
  const withoutComments = content.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, "");
  return /^\s*syntax\s*=\s*(["'])proto3\1/.test(withoutComments);
}

const scalars: Readonly<Record<string, FieldDescriptorProto_Type>> = {
  double: FieldDescriptorProto_Type.DOUBLE,
  float: FieldDescriptorProto_Type.FLOAT,
  int64: FieldDescriptorProto_Type.INT64,
  uint64: FieldDescriptorProto_Type.UINT64,
  int32: FieldDescriptorProto_Type.INT32,
  fixed64: FieldDescriptorProto_Type.FIXED64,
  fixed32: FieldDescriptorProto_Type.FIXED32,
  bool: FieldDescriptorProto_Type.BOOL,
  string: FieldDescriptorProto_Type.STRING,
  bytes: FieldDescriptorProto_Type.BYTES,
  uint32: FieldDescriptorProto_Type.UINT32,
  sfixed32: FieldDescriptorProto_Type.SFIXED32,
  sfixed64: FieldDescriptorProto_Type.SFIXED64,
  sint32: FieldDescriptorProto_Type.SINT32,
  sint64: FieldDescriptorProto_Type.SINT64,
};

interface FieldType {
  readonly type: FieldDescriptorProto_Type;
  readonly typeName?: string;
}

interface FieldShape extends FieldType {
  readonly name: string;
  readonly number: number;
  readonly jsonName: string;
  readonly label: FieldDescriptorProto_Label;
  readonly oneofIndex?: number;
  readonly proto3Optional?: boolean;
}

function toMessage(type: protobuf.Type): DescriptorProto {
  const entries: DescriptorProto[] = [];
  const oneofs = type.oneofsArray;
  const field = type.fieldsArray.map((own): FieldShape => {
    if (own instanceof protobuf.MapField) {
      const entry = toEntry(own);
      entries.push(entry);
      const typeName = `${type.fullName}.${entry.name}`;
      const repeated = FieldDescriptorProto_Label.REPEATED;
      return {
        ...nameField(own),
        label: repeated,
        type: FieldDescriptorProto_Type.MESSAGE,
        typeName,
      };
    }
    const place = own.partOf === null ? -1 : oneofs.indexOf(own.partOf);
    const isOptional = own.getOption("proto3_optional") === true;
    return {
      ...nameField(own),
      ...typeOf(own, own.type),
      label: labelOf(own),
      ...(place >= 0 && { oneofIndex: place }),
      ...(isOptional && { proto3Optional: true }),
    };
  });
  return create(DescriptorProtoSchema, {
    name: type.name,
    field,
    nestedType: [
      ...type.nestedArray.filter((member) => member instanceof protobuf.Type).map(toMessage),
      ...entries,
    ],
    enumType: type.nestedArray.filter((member) => member instanceof protobuf.Enum).map(toEnum),
    oneofDecl: oneofs.map(({ name }) => ({ name })),
  });
}

function nameField({ name, id }: protobuf.FieldBase) {
  return { name, number: id, jsonName: toJsonName(name) };
}

/** Converts the name of a field to its name in JSON: "line_counts" becomes "lineCounts". */
export function toJsonName(name: string): string {
  return name.replaceAll(/_+(.)?/g, (_all, next?: string) => next?.toUpperCase() ?? "");
}

function labelOf({ repeated, required }: protobuf.Field): FieldDescriptorProto_Label {
  if (repeated) return FieldDescriptorProto_Label.REPEATED;
  return required ? FieldDescriptorProto_Label.REQUIRED : FieldDescriptorProto_Label.OPTIONAL;
}

function typeOf({ resolvedType }: protobuf.FieldBase, name: string): FieldType {
  const scalar = Object.hasOwn(scalars, name) ? scalars[name] : undefined;
  if (scalar !== undefined) return { type: scalar };
  if (resolvedType === null) throw new Error(`no such type: ${name}`);
  const isEnum = resolvedType instanceof protobuf.Enum;
  return {
    type: isEnum ? FieldDescriptorProto_Type.ENUM : FieldDescriptorProto_Type.MESSAGE,
    typeName: resolvedType.fullName,
  };
}

/** Converts a map field to its entry message, which has a key and a value. */
function toEntry(field: protobuf.MapField): DescriptorProto {
  const name = field.name.replaceAll(/(?:^|_)+(.)/g, (_all, next: string) => next.toUpperCase());
  const label = FieldDescriptorProto_Label.OPTIONAL;
  const key = scalars[field.keyType];
  if (key === undefined) throw new Error(`no such key type: ${field.keyType}`);
  return create(DescriptorProtoSchema, {
    name: `${name}Entry`,
    options: { mapEntry: true },
    field: [
      { name: "key", number: 1, jsonName: "key", label, type: key },
      { name: "value", number: 2, jsonName: "value", label, ...typeOf(field, field.type) },
    ],
  });
}

function toEnum({ name, values, options }: protobuf.Enum): EnumDescriptorProto {
  return create(EnumDescriptorProtoSchema, {
    name,
    value: Object.entries(values).map(([value, number]) => ({ name: value, number })),
    ...(options?.allow_alias === true && { options: { allowAlias: true } }),
  });
}

function toService(service: protobuf.Service) {
  return create(ServiceDescriptorProtoSchema, {
    name: service.name,
    method: service.methodsArray.map((method) => ({
      name: method.name,
      inputType: method.resolvedRequestType?.fullName ?? "",
      outputType: method.resolvedResponseType?.fullName ?? "",
      clientStreaming: method.requestStream ?? false,
      serverStreaming: method.responseStream ?? false,
    })),
  });
}

/** A method that receives one message and returns one message. */
export interface UnaryMethod {
  /** Path for calls of the method, such as "/shop.v1.Cart/Get". */
  readonly path: string;
  readonly registry: FileRegistry;
  readonly input: DescMessage;
  readonly output: DescMessage;
}

/** Finds a unary method such as "shop.v1.Cart/Get". Throws a `ProtoFault` if there is none. */
export function findMethod(registry: FileRegistry, text: string): UnaryMethod {
  const [serviceName = "", name = ""] = text.replace(/^\//, "").split("/");
  const service = registry.getService(serviceName);
  if (service === undefined) throw new ProtoFault(`there is no service ${serviceName}`);
  const method = service.methods.find((one) => one.name === name);
  if (method === undefined) {
    throw new ProtoFault(`the service ${serviceName} has no method ${name}`);
  }
  if (method.methodKind !== "unary") {
    throw new ProtoFault(`the method ${name} is a stream, and only unary methods can be called`);
  }
  const { input, output } = method;
  return { path: `/${serviceName}/${name}`, registry, input, output };
}

/**
 * Encodes a message from JSON. Empty text stands for the empty message. Throws a `ProtoFault` if
 * the JSON does not match the message type.
 */
export function encodeMessage({ input, registry }: UnaryMethod, text: string): Uint8Array {
  try {
    return toBinary(input, fromJsonString(input, text.trim() === "" ? "{}" : text, { registry }));
  } catch (error) {
    throw new ProtoFault(`the message is not a ${input.typeName}: ${describeError(error)}`);
  }
}

/**
 * Decodes a message to JSON; `null` if the bytes do not fit the message type. Includes fields with
 * default values, so that assertions can compare them.
 */
export function decodeMessage({ output, registry }: UnaryMethod, bytes: Uint8Array): string | null {
  try {
    const message = fromBinary(output, bytes);
    return JSON.stringify(toJson(output, message, { registry, alwaysEmitImplicit: true }));
  } catch {
    return null;
  }
}
