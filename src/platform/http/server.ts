import { randomBytes } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { performance } from "node:perf_hooks";
import fastify, {
  type ConnectionError,
  type FastifyReply,
  type FastifyRequest,
  type FastifyTypeProvider,
  LogController,
  type preHandlerHookHandler,
} from "fastify";
import type { Static, TSchema } from "typebox";
import { type ErrorName, KnownError, notFound } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Metrics, ObserveRequest } from "../metrics.ts";
import {
  inflateBody,
  isFromClient,
  isKnownEncoding,
  translateRequest,
  useClientSerializer,
} from "./client-dialect.ts";
import { limitConnections, type NoteRequest } from "./connection-limit.ts";
import { rejectSocket, sendError } from "./error-handler.ts";
import { describeIgnoredFields, ignoredFieldsHeader } from "./ignored-fields.ts";
import { parseJsonBody } from "./json-body.ts";
import { createUrlRewrite, type FindPrefix, isOwnOrTrusted } from "./request-origin.ts";
import { compileSerializer, compileValidator } from "./validation.ts";

interface KnownPath {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

function toPattern(url: string): RegExp {
  const parts = url
    .split("/")
    .map((part) =>
      part.startsWith(":") ? "[^/]+" : part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"),
    );
  return new RegExp(`^${parts.join("/")}$`);
}

/** Methods by path, to distinguish a wrong method (405) from an unknown path (404). */
class KnownMethods {
  readonly #paths = new Map<string, KnownPath>();

  add(url: string, methods: string | readonly string[]): void {
    const path = this.#paths.get(url) ?? { pattern: toPattern(url), methods: new Set() };
    for (const method of [methods].flat()) path.methods.add(method);
    this.#paths.set(url, path);
  }

  find(url: string): readonly string[] {
    const [pathname = ""] = url.split("?", 1);
    const matching = [...this.#paths.values()].filter((path) => path.pattern.test(pathname));
    return [...new Set(matching.flatMap((path) => [...path.methods]))].sort();
  }

  /**
   * Returns a hint if a known path differs only in case, in a trailing slash or in a missing `/v1`.
   */
  findSpelling(url: string): string | undefined {
    const [pathname = ""] = url.split("?", 1);
    const trimmed = pathname.replace(/\/+$/, "");
    if (trimmed !== pathname && this.find(trimmed).length > 0) {
      return `This path has no trailing slash: ${trimmed}`;
    }
    const lower = trimmed.toLowerCase();
    if (lower !== trimmed && this.find(lower).length > 0) {
      return `This path is in lower case: ${lower}`;
    }
    const versioned = `/v1${trimmed}`;
    return this.find(versioned).length > 0 ? `Did you mean ${versioned}?` : undefined;
  }
}

/** Makes the value of a response read-only, because serialization does not change it. */
type Shown<Value> = Value extends readonly (infer Item)[]
  ? readonly Shown<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Shown<Value[Key]> }
    : Value;

/** Derives the types of requests and responses from their TypeBox schemas. */
interface SchemaTypes extends FastifyTypeProvider {
  readonly validator: this["schema"] extends TSchema ? Static<this["schema"]> : unknown;
  readonly serializer: this["schema"] extends TSchema ? Shown<Static<this["schema"]>> : unknown;
}

const ignore = () => {};

/**
 * Stores the client's address, and the host that a trusted proxy reports, on the request. Otherwise
 * Fastify derives both from the socket on each access, and throws if the socket is already closed,
 * for example after an `await` or in an error handler.
 */
function storeOrigin(request: FastifyRequest, hasTrustedProxies: boolean): void {
  Object.defineProperty(request, "ip", { value: request.ip ?? "" });
  if (hasTrustedProxies) Object.defineProperty(request, "host", { value: request.host });
}

/**
 * Prepares the body of a request before anything reads it. A request without a length has no body,
 * even if it has a content type. The content type is removed, because Fastify would wait for the
 * end of a stream that Node.js has already ended.
 */
function prepareBody({ raw }: FastifyRequest): void {
  const { headers } = raw;
  const { "content-length": length, "transfer-encoding": encoding } = headers;
  if (encoding === undefined && (length === undefined || length === "0")) {
    if (headers["content-type"] !== undefined) delete headers["content-type"];
    return;
  }
  // The body reader removes its error listener when it stops reading, for example because the body
  // is too long. If the client disconnects after that, the request emits an error. Without another
  // listener, the error would end the process.
  raw.on("error", ignore);
}

/** Prepares a request. This runs before all other hooks, in the tick of the request event. */
function startRequest(request: FastifyRequest, hasTrustedProxies: boolean): void {
  storeOrigin(request, hasTrustedProxies);
  prepareBody(request);
}

/**
 * Returns a function that creates request ids. They are unique across restarts and servers, because
 * they consist of a random prefix per process and a counter. The ids are short, because V8 copies a
 * string of up to twelve characters, but stores a longer one as references to its two parts.
 */
function createRequestIds(): () => string {
  const stem = randomBytes(5).toString("base64url");
  let count = 0;
  return () => {
    count += 1;
    return `${stem}-${count.toString(36)}`;
  };
}

const maxBodyBytes = 1024 * 1024;
/** Maximum size of JSON that a route without authentication accepts by default. */
const maxPublicBodyBytes = 64 * 1024;
const maxHeaderBytes = 16 * 1024;
const maxConnections = 4096;
const nothingAllowed = "default-src 'none'; frame-ancestors 'none'";

/** Timeouts for slow clients. */
interface HttpTimeouts {
  readonly headersMs: number;
  /** Time after which a client with an incomplete request receives 408 and is disconnected. */
  readonly requestMs: number;
  /** Maximum time without activity while a client reads a response. */
  readonly silenceMs: number;
  /** Time that a connection may stay open without a request. */
  readonly idleMs: number;
  readonly checkEveryMs: number;
}

const defaultHttpTimeouts: HttpTimeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  silenceMs: 60_000,
  idleMs: 72_000,
  checkEveryMs: 2_000,
};

interface HttpOptions {
  readonly log: Log;
  readonly metrics: Metrics;
  /** Addresses of proxies whose X-Forwarded-For is trusted. An empty list trusts no proxy. */
  readonly trustedProxies: readonly string[];
  readonly timeouts?: HttpTimeouts;
  /** Maximum number of connections per client address; 0 or absent for no limit. */
  readonly connectionsPerAddress?: number;
  /**
   * Whether a connection may be upgraded, for example to a WebSocket. By default no connection may.
   */
  readonly acceptsUpgrade?: (request: IncomingMessage) => boolean;
  /** Returns the path prefix for requests to a host. */
  readonly findPrefix?: FindPrefix;
  /** Responds to a request for an unknown path. By default, the JSON error is sent. */
  readonly sendNotFound?: (
    request: FastifyRequest,
    reply: FastifyReply,
    hint: string | undefined,
  ) => FastifyReply;
}

/**
 * Responds to data that is not a valid request, such as broken syntax, or headers that are too
 * large or too slow. A connection that was never used is closed without a response. Clients open
 * connections in advance, and would read the response as the answer to their next request.
 */
function rejectConnection(error: ConnectionError, socket: Socket): void {
  const isUnused = socket.bytesRead === 0;
  if (isUnused || error.code === "ECONNRESET" || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const names: Readonly<Record<string, ErrorName>> = {
    ERR_HTTP_REQUEST_TIMEOUT: "requestTimeout",
    HPE_HEADER_OVERFLOW: "headersTooLarge",
  };
  rejectSocket(socket, names[error.code] ?? "invalidRequest");
}

/** Rewrites URLs before routing; no other code changes the URL of a request. */
function createRewrite({ findPrefix = () => null, trustedProxies }: HttpOptions) {
  const addPrefix = createUrlRewrite(findPrefix, trustedProxies);
  return (request: IncomingMessage): string => {
    translateRequest(request);
    return addPrefix(request);
  };
}

function buildServer(options: HttpOptions) {
  const nextRequestId = createRequestIds();
  const { headersMs, requestMs, checkEveryMs } = options.timeouts ?? defaultHttpTimeouts;
  return fastify({
    // Maximum time to load a plugin. It is long, because a start on a busy machine must not fail.
    pluginTimeout: 120_000,
    logController: new ServerLog(options.log),
    genReqId: nextRequestId,
    requestIdHeader: false,
    bodyLimit: maxBodyBytes,
    // Node.js looks for slow requests only at intervals, so the timeout is one interval shorter.
    requestTimeout: requestMs - checkEveryMs,
    // Timeouts of idle connections are off, because a timer would be set and cleared with every
    // request. `limitConnections` closes idle connections instead.
    keepAliveTimeout: 0,
    http: {
      headersTimeout: headersMs,
      connectionsCheckingInterval: checkEveryMs,
      maxHeaderSize: maxHeaderBytes,
      // Omits the end event of requests without a body. No code listens for it.
      optimizeEmptyRequests: true,
      // If an upgrade is not accepted, Node.js handles the request as if it had no upgrade header.
      shouldUpgradeCallback: options.acceptsUpgrade ?? (() => false),
    },
    rewriteUrl: createRewrite(options),
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    forceCloseConnections: "idle",
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: false },
    clientErrorHandler: rejectConnection,
    frameworkErrors: sendError,
  }).withTypeProvider<SchemaTypes>();
}

export type HttpServer = ReturnType<typeof buildServer>;

/** Checks the length of a body before the client sends it (Expect: 100-continue). */
function answerExpectations(server: Server): void {
  server.on("checkContinue", (request, response) => {
    const isTooLong = Number(request.headers["content-length"]) > maxBodyBytes;
    if (!isTooLong) response.writeContinue();
    server.emit("request", request, response);
  });
}

/** Rejects long bodies of requests without a key before they are parsed. */
function rejectLongPublicBody({ routeOptions }: FastifyRequest, length: number): void {
  const { config, bodyLimit } = routeOptions;
  const hasOwnLimit = bodyLimit !== maxBodyBytes;
  if (config.access !== "public" || hasOwnLimit || length <= maxPublicBodyBytes) return;
  throw new KnownError("bodyTooLarge");
}

/** Creates a server with common headers, limits and error handling, but without routes. */
export function createHttpServer(options: HttpOptions): HttpServer {
  const server = buildServer(options);
  server.server.maxConnections = maxConnections;
  const { silenceMs, idleMs, checkEveryMs } = options.timeouts ?? defaultHttpTimeouts;
  const connectionLimits = {
    silenceMs,
    idleMs,
    checkEveryMs,
    perAddress: options.connectionsPerAddress ?? 0,
    // Lower than the limit of Node.js, so that idle connections are closed before Node.js rejects
    // new ones.
    total: maxConnections - 64,
    isExempt: (address: string) => isOwnOrTrusted(address, options.trustedProxies),
  };
  const noteRequest = limitConnections(server.server, connectionLimits);
  answerExpectations(server.server);
  server.setValidatorCompiler(compileValidator);
  server.setSerializerCompiler(compileSerializer);
  server.setErrorHandler(sendError);
  server.addHook("preParsing", inflateBody);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    try {
      rejectLongPublicBody(request, body.length);
      done(null, parseJsonBody(Buffer.isBuffer(body) ? body : Buffer.from(body)));
    } catch (error) {
      done(error as Error);
    }
  });
  const knownMethods = new KnownMethods();
  const preparation = { ...options, noteRequest };
  server.addHook("onRoute", (route) => {
    const { url, method } = route;
    knownMethods.add(url, method);
    // A route without a rate limit receives too many requests to log each of them.
    const isFrequent = route.config?.isUnlimited === true;
    const name = { method: [method].flat().join(","), url, isFrequent };
    const first = createFirstHook(createPreparation(name, preparation));
    route.onRequest = [first, ...[route.onRequest ?? []].flat()];
    const body = route.schema?.body;
    if (typeof body === "object" && body !== null) {
      route.preHandler = [createIgnoredFieldsHook(body), ...[route.preHandler ?? []].flat()];
    }
  });
  const unknown = createPreparation(
    { method: "other", url: "unknown", isFrequent: false },
    preparation,
  );
  // Fastify runs all hooks of this object, although its type declares only two.
  const hooks: object = { onRequest: createFirstHook(unknown) };
  const { sendNotFound = (request, reply, hint) => sendError(notFound(hint), request, reply) } =
    options;
  server.setNotFoundHandler(hooks, (request, reply) => {
    const methods = knownMethods.find(request.url);
    if (methods.length === 0) {
      return sendNotFound(request, reply, knownMethods.findSpelling(request.url));
    }
    reply.header("allow", methods.join(", "));
    const hint = `This path accepts ${methods.join(", ")}.`;
    return sendError(new KnownError("methodNotAllowed", { hint }), request, reply);
  });
  return server;
}

/** Adds routes with their own hooks, parsers and errors, such as pages with plain HTML forms. */
export function addScope(
  server: HttpServer,
  addRoutes: (scope: HttpServer) => void | Promise<void>,
): void {
  // `scope` is a complete server, but its declared type lacks the type of the logger.
  void server.register(async (scope) => addRoutes(scope as unknown as HttpServer));
}

/** Creates a hook that reports the unknown fields of a body in a response header. */
function createIgnoredFieldsHook(schema: object): preHandlerHookHandler {
  return (request, reply, done) => {
    const ignored = describeIgnoredFields(schema, request.body);
    if (ignored !== null) reply.header(ignoredFieldsHeader, ignored);
    done();
  };
}

type Prepare = (request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Creates the function that prepares the requests of a route. It sets the common headers, and
 * records each request when it ends. Each route has its own function, so that the metrics of the
 * route are looked up only once and not for each request.
 */
function createPreparation(
  route: { readonly method: string; readonly url: string; readonly isFrequent: boolean },
  options: HttpOptions & { readonly noteRequest: NoteRequest },
): Prepare {
  const { noteRequest, log, metrics } = options;
  const hasTrustedProxies = options.trustedProxies.length > 0;
  const observe = metrics.requestTimes.forRoute(route.method, route.url);
  const record = createRecorder(observe, route, log);
  return (request, reply) => {
    const beganMs = performance.now();
    const { raw } = reply;
    startRequest(request, hasTrustedProxies);
    noteRequest(request.raw.socket, raw);
    request.log = log;
    reply.log = log;
    reply.header("x-request-id", request.id);
    reply.header("x-content-type-options", "nosniff");
    reply.header("cache-control", "no-store");
    // Default policy, which lets a browser load and run nothing. Pages replace this policy.
    reply.header("content-security-policy", nothingAllowed);
    let hasEnded = false;
    const end = () => {
      // A request that a test injects emits `finish` twice.
      if (hasEnded) return;
      hasEnded = true;
      record(request, raw.statusCode, performance.now() - beganMs);
    };
    raw.on("finish", end);
    raw.on("error", end);
  };
}

function createRecorder(
  observe: ObserveRequest,
  { url: route, isFrequent }: { readonly url: string; readonly isFrequent: boolean },
  log: Log,
) {
  const isEachLogged = log.isLevelEnabled("debug");
  return (request: FastifyRequest, statusCode: number, elapsedMs: number): void => {
    observe(statusCode, elapsedMs);
    const { method } = request;
    const isChange = method !== "GET" && method !== "HEAD" && !isFrequent;
    const isNoteworthy = statusCode >= 400 || isChange;
    if (!isNoteworthy && !isEachLogged) return;
    const { id: requestId, ip: address } = request;
    const level = isNoteworthy ? "info" : "debug";
    log[level]({ requestId, method, route, statusCode, elapsedMs, address }, "request");
  };
}

/**
 * Creates the first hook of a route. The hook runs for every request, so it uses a callback, which
 * is faster than a promise.
 */
function createFirstHook(prepare: Prepare) {
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    prepare(request, reply);
    if (isFromClient(request)) useClientSerializer(request, reply);
    done(findRejection(request));
  };
}

/** Replaces the logging of Fastify, which would create a child logger for each request. */
class ServerLog extends LogController {
  readonly #log: Log;

  constructor(log: Log) {
    super({ disableRequestLogging: true });
    this.#log = log;
  }

  override serviceUnavailable(): void {
    this.#log.info("request rejected because the server is stopping");
  }
}

function findRejection(request: FastifyRequest): KnownError | undefined {
  if (!isKnownEncoding(request)) {
    return new KnownError("unsupportedMediaType", { hint: "Send the body uncompressed." });
  }
  // A path that contains NUL cannot name a resource, because PostgreSQL cannot store NUL.
  if (!request.url.includes("%00")) return undefined;
  return new KnownError("invalidRequest", {
    message: "the path must not contain a NUL character",
    validation: { source: "params", keys: [] },
  });
}
