import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { createGunzip } from "node:zlib";
import buildSerializer from "fast-json-stringify";
import type {
  FastifyReply,
  FastifyRequest,
  preHandlerHookHandler,
  preParsingHookHandler,
  preValidationHookHandler,
} from "fastify";

/**
 * The dialect of existing clients of the API: the public command line, the Go SDK and the Terraform
 * provider. They call the same actions with another spelling:
 *
 * - the account is in `x-checkly-account`
 * - the path may have a prefix, and lists in queries are `tag[]=a`
 * - bodies may be compressed with gzip
 * - dates are timestamps
 *
 * No other file decides whether a request is in this dialect. If a single route differs in the
 * dialect, the module of the route checks `isFromClient`.
 */

const accountHeader = "x-checkly-account";
const ownAccountHeader = "x-service-account";
/** Header that the existing API clients always send, even before they know an account. */
const sourceHeader = "x-checkly-source";

interface WithHeaders {
  readonly headers: IncomingHttpHeaders;
}

export function isFromClient({ headers }: WithHeaders): boolean {
  return headers[accountHeader] !== undefined || headers[sourceHeader] !== undefined;
}

/** Matches a prefix before the API path, such as `/api` in `/api/v1/checks`. */
const pathPrefix = /^\/(?!(?:next(?:-v2)?|v[1-3])\/)(?:[^/?#]+\/)+?(?=(?:next(?:-v2)?|v[1-3])\/)/;
const listMark = /(?:\[\]|%5B%5D)(?==)/gi;

/** Removes the path prefix, and turns `tag[]=a` in the query into `tag=a`. */
function translateUrl(url: string): string {
  const [path = "", ...query] = url.replace(pathPrefix, "/").split("?");
  return query.length === 0 ? path : `${path}?${query.join("?").replace(listMark, "")}`;
}

/**
 * Translates the headers and the URL of a request before routing. The account in
 * `x-checkly-account` is used only if the request has no `x-service-account`. Otherwise, a proxy
 * that adds `x-checkly-account` could redirect the request to another account.
 */
export function translateRequest(request: IncomingMessage): void {
  const { headers } = request;
  if (!isFromClient(request)) return;
  const account = headers[accountHeader];
  if (account !== undefined) headers[ownAccountHeader] ??= account;
  request.url = translateUrl(request.url ?? "/");
}

/** Whether the body's encoding is allowed. Only existing clients may send gzip. */
export function isKnownEncoding(request: WithHeaders): boolean {
  const encoding = request.headers["content-encoding"];
  if (encoding === undefined || encoding === "identity") return true;
  return encoding === "gzip" && isFromClient(request);
}

/**
 * Decompresses a request body while it is read. The body limit of the route applies to the
 * decompressed bytes. Decompression stops when the response has been sent.
 */
export const inflateBody: preParsingHookHandler = (request, reply, payload, done) => {
  if (request.headers["content-encoding"] !== "gzip") {
    done(null, payload);
    return;
  }
  const inflated = createGunzip();
  Object.defineProperty(inflated, "receivedEncodedLength", { get: () => inflated.bytesWritten });
  payload.on("error", (error) => inflated.destroy(error));
  reply.raw.once("close", () => {
    payload.unpipe(inflated);
    inflated.destroy();
  });
  payload.pipe(inflated);
  done(null, inflated);
};

type Serialize = (value: unknown) => string;

const serializers = new WeakMap<object, Serialize>();

/**
 * Key under which a response schema lists properties that only existing clients receive. The key is
 * a symbol, so that the API document and responses to other clients do not contain these
 * properties.
 */
export const clientProperties = Symbol("clientProperties");

interface ShownSchema {
  readonly [clientProperties]?: object;
  readonly properties?: object;
}

/**
 * Returns a copy of a response schema for existing clients. In the copy, dates are timestamps, and
 * the additional properties for these clients are included.
 */
function translateSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(translateSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, translateSchema(value)]),
  );
  if (copy.format === "date") return { ...copy, format: "date-time" };
  const { [clientProperties]: added, properties } = schema as ShownSchema;
  if (added === undefined) return copy;
  return { ...copy, properties: translateSchema({ ...properties, ...added }) };
}

function findSerializer(schema: unknown): Serialize {
  if (typeof schema !== "object" || schema === null) return JSON.stringify;
  const serialize = serializers.get(schema) ?? buildSerializer(translateSchema(schema) as object);
  serializers.set(schema, serialize);
  return serialize;
}

/**
 * Adapts the response to an existing client. Dates become timestamps, and properties that only
 * existing clients receive are included.
 */
export function useClientSerializer(request: FastifyRequest, reply: FastifyReply): void {
  reply.serializer((payload: unknown) => {
    if (typeof payload === "string") return payload;
    if (!reply.hasHeader("content-type")) reply.type("application/json; charset=utf-8");
    const answers = request.routeOptions.schema?.response as
      | Readonly<Record<number, unknown>>
      | undefined;
    return findSerializer(answers?.[reply.statusCode])(payload);
  });
}

type Fields = Record<string, unknown>;

function isFields(body: unknown): body is Fields {
  return typeof body === "object" && body !== null && !Array.isArray(body);
}

/** Returns a hook that translates the body of a request in the client dialect before validation. */
export function translateBody(
  translate: (fields: Fields) => Readonly<Fields>,
): preValidationHookHandler {
  return (request, _reply, done) => {
    if (isFromClient(request) && isFields(request.body)) request.body = translate(request.body);
    done();
  };
}

/**
 * Lets existing clients omit required fields. A missing field gets a valid value before the
 * validation. The value is removed afterwards, so that the action receives only what the client
 * sent.
 */
export function allowMissing(values: Readonly<Fields>): {
  readonly preValidation: preValidationHookHandler;
  readonly preHandler: preHandlerHookHandler;
} {
  const added = new WeakMap<object, readonly string[]>();
  return {
    preValidation: translateBody((fields) => {
      const missing = Object.keys(values).filter((name) => fields[name] === undefined);
      const whole = { ...values, ...fields };
      added.set(whole, missing);
      return whole;
    }),
    preHandler: (request, _reply, done) => {
      const { body } = request;
      if (isFields(body)) for (const name of added.get(body) ?? []) delete body[name];
      done();
    },
  };
}
