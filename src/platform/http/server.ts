import type { Socket } from "node:net";
import fastify, {
  type ConnectionError,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import { type ErrorName, KnownError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { ObserveRequest } from "../request-times.ts";
import { limitConnections } from "./connection-limit.ts";
import { sendError, toErrorBody } from "./error-handler.ts";
import { parseJsonBody } from "./json-body.ts";
import { KnownMethods } from "./methods.ts";
import { createUrlRewrite, type FindPrefix, isOwnOrTrusted } from "./page-host.ts";
import { createRequestIds } from "./request-id.ts";
import { compileSerializer } from "./serialization.ts";
import type { SchemaTypes } from "./type-provider.ts";
import { compileValidator } from "./validation.ts";

const maxBodyBytes = 1024 * 1024;
const maxHeaderBytes = 16 * 1024;
const maxConnections = 4096;
const nothingAllowed = "default-src 'none'; frame-ancestors 'none'";

/** How long a slow client may take. */
export interface Patience {
  readonly headersMs: number;
  readonly requestMs: number;
  /** A connection that reads its answer may be silent for this long. */
  readonly silenceMs: number;
  readonly checkEveryMs: number;
}

const defaultPatience: Patience = {
  headersMs: 10_000,
  requestMs: 30_000,
  silenceMs: 60_000,
  checkEveryMs: 2_000,
};

export interface HttpOptions {
  readonly log: Log;
  readonly metrics: Metrics;
  /** Proxies whose X-Forwarded-For is believed; none by default. */
  readonly trustedProxies: readonly string[];
  readonly patience?: Patience;
  /** 0, and nothing said: no limit. */
  readonly connectionsPerAddress?: number;
  /** Hosts whose every request is answered below a path of ours. */
  readonly findPrefix?: FindPrefix;
}

/** Answers what never became a request: broken syntax, headers too large or too slow. */
function refuseConnection(error: ConnectionError, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const names: Readonly<Record<string, ErrorName>> = {
    ERR_HTTP_REQUEST_TIMEOUT: "requestTimeout",
    HPE_HEADER_OVERFLOW: "headersTooLarge",
  };
  const body = toErrorBody(new KnownError(names[error.code] ?? "invalidRequest"));
  const text = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${body.statusCode} ${body.error}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
}

function buildServer(options: HttpOptions) {
  const nextRequestId = createRequestIds();
  const { headersMs, requestMs, silenceMs, checkEveryMs } = options.patience ?? defaultPatience;
  return fastify({
    // A busy machine may take long to load a part; a start is no place to give up on that.
    pluginTimeout: 120_000,
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    // Our lines carry the request's id themselves; a logger per request is not needed.
    childLoggerFactory: (logger) => logger,
    genReqId: nextRequestId,
    requestIdHeader: false,
    bodyLimit: maxBodyBytes,
    connectionTimeout: silenceMs,
    requestTimeout: requestMs,
    keepAliveTimeout: 72_000,
    http: {
      headersTimeout: headersMs,
      connectionsCheckingInterval: checkEveryMs,
      maxHeaderSize: maxHeaderBytes,
    },
    ...(options.findPrefix && {
      rewriteUrl: createUrlRewrite(options.findPrefix, options.trustedProxies),
    }),
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    forceCloseConnections: "idle",
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: false },
    clientErrorHandler: refuseConnection,
    frameworkErrors: sendError,
  }).withTypeProvider<SchemaTypes>();
}

export type HttpServer = ReturnType<typeof buildServer>;

/** A server with the house's manners and no route yet. */
export function createHttpServer(options: HttpOptions): HttpServer {
  const server = buildServer(options);
  server.server.maxConnections = maxConnections;
  const connectionLimits = {
    perAddress: options.connectionsPerAddress ?? 0,
    // Beyond the other bound Node.js closes newcomers before anybody can make room for them.
    total: maxConnections - 64,
    isExempt: (address: string) => isOwnOrTrusted(address, options.trustedProxies),
  };
  limitConnections(server.server, connectionLimits);
  server.setValidatorCompiler(compileValidator);
  server.setSerializerCompiler(compileSerializer);
  server.setErrorHandler(sendError);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => {
    try {
      done(null, parseJsonBody(Buffer.isBuffer(body) ? body : Buffer.from(body)));
    } catch (error) {
      done(error as Error);
    }
  });
  addWitnesses(server, options);
  const knownMethods = new KnownMethods();
  server.addHook("onRoute", ({ url, method }) => knownMethods.add(url, method));
  server.setNotFoundHandler((request, reply) => {
    const methods = knownMethods.find(request.url);
    if (methods.length === 0) return sendError(new KnownError("notFound"), request, reply);
    reply.header("allow", methods.join(", "));
    return sendError(new KnownError("methodNotAllowed"), request, reply);
  });
  addManners(server);
  return server;
}

/** Routes with hooks, parsers and errors of their own, such as pages with plain HTML forms. */
export function addScope(
  server: HttpServer,
  addRoutes: (scope: HttpServer) => void | Promise<void>,
): void {
  // A scope is the same server; its type only forgets the logger.
  void server.register(async (scope) => addRoutes(scope as unknown as HttpServer));
}

/** Plain callbacks, not promises: these run on every request. */
function addManners(server: HttpServer): void {
  server.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    reply.header("x-content-type-options", "nosniff");
    reply.header("cache-control", "no-store");
    // A page says what it needs; whatever says nothing may load and run nothing in a browser.
    reply.header("content-security-policy", nothingAllowed);
    done(findRefusal(request));
  });
}

/** Logs and times an answer under its route's name, which is known before any request comes. */
function createWitness(observe: ObserveRequest, route: string, log: Log) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { statusCode, elapsedTime: elapsedMs } = reply;
    observe(statusCode, elapsedMs);
    const { method } = request;
    const isNoteworthy = statusCode >= 400 || (method !== "GET" && method !== "HEAD");
    const level = isNoteworthy ? "info" : "debug";
    if (log.isLevelEnabled(level)) {
      const { id: requestId, ip: address } = request;
      log[level]({ requestId, method, route, statusCode, elapsedMs, address }, "request");
    }
    done();
  };
}

/** Every route gets its own, and so does whatever is no route. */
function addWitnesses(server: HttpServer, { log, metrics }: HttpOptions): void {
  server.addHook("onRoute", (route) => {
    const method = [route.method].flat().join(",");
    const observe = metrics.requestTimes.forRoute(method, route.url);
    const witness = createWitness(observe, route.url, log);
    route.onResponse = [route.onResponse ?? []].flat().concat(witness);
  });
  const observeOther = metrics.requestTimes.forRoute("other", "unknown");
  const witnessOther = createWitness(observeOther, "unknown", log);
  server.addHook("onResponse", (request, reply, done) => {
    if (request.is404) witnessOther(request, reply, done);
    else done();
  });
}

function findRefusal(request: FastifyRequest): KnownError | undefined {
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") {
    return new KnownError("unsupportedMediaType");
  }
  // The database stores no NUL, so an address that asks for one names nothing.
  if (!request.url.includes("%00")) return undefined;
  return new KnownError("invalidRequest", {
    message: "the address must not contain a NUL character",
    validation: { source: "params", keys: [] },
  });
}
