import {
  type DescMessage,
  type FileRegistry,
  fromBinary,
  fromJsonString,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { describeError, ProtoFault } from "./proto-file.ts";

export {
  describeError,
  findKnownFile,
  findKnownFileOf,
  ProtoFault,
  readProtoFile,
  toJsonName,
} from "./proto-file.ts";

/** A method that takes one message and returns one. */
export interface UnaryMethod {
  /** Path of its calls: "/shop.v1.Cart/Get". */
  readonly path: string;
  readonly registry: FileRegistry;
  readonly input: DescMessage;
  readonly output: DescMessage;
}

/** Throws a `ProtoFault`. */
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

/** Encodes a JSON message; empty text is the empty message. Throws a `ProtoFault`. */
export function encodeMessage({ input, registry }: UnaryMethod, text: string): Uint8Array {
  try {
    return toBinary(input, fromJsonString(input, text.trim() === "" ? "{}" : text, { registry }));
  } catch (error) {
    throw new ProtoFault(`the message is not a ${input.typeName}: ${describeError(error)}`);
  }
}

/**
 * Decodes a message to JSON. Fields with default values are included, so that assertions can
 * compare them. Returns `null` if the bytes are not such a message.
 */
export function decodeMessage({ output, registry }: UnaryMethod, bytes: Uint8Array): string | null {
  try {
    const message = fromBinary(output, bytes);
    return JSON.stringify(toJson(output, message, { registry, alwaysEmitImplicit: true }));
  } catch {
    return null;
  }
}
