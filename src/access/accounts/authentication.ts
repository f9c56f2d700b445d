import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../../platform/clock.ts";
import { badToken, forbidden, invalid, KnownError } from "../../platform/errors.ts";
import { rejectForeignPage } from "../../platform/http/request-origin.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { type AddressKey, addressKey } from "../../platform/ip-address.ts";
import type { Allowance, RateLimit } from "../../platform/rate-limit.ts";
import { isUuid } from "../../platform/text/patterns.ts";
import { type Access, type Caller, type Credential, decideCaller, isAllowed } from "./caller.ts";
import { type Credentials, type Presented, presentSecret } from "./credentials.ts";
import { readSessionToken } from "./sessions/session.ts";

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller;
  }
  interface FastifyContextConfig {
    /**
     * Required access level of the route. The server does not start if a route has no access level.
     */
    access?: Access;
    /** Whether the route also accepts callers who still have to set up a second factor. */
    isOpenWithoutSecondFactor?: boolean;
    /**
     * Whether the route has no rate limit per key or address, as for status pages and pings. The
     * route must be public, because its access level is not checked.
     */
    isUnlimited?: boolean;
    /**
     * Whether the route has the higher rate limit for readers, such as viewers of a dashboard. The
     * route must be public, because its access level is not checked.
     */
    isForReaders?: boolean;
  }
}

const accountHeader = "x-service-account";
const bearerPattern = /^Bearer ([\x21-\x7e]{20,512})$/i;
const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

interface AuthenticationOptions {
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly keyLimit: RateLimit;
  readonly addressLimit: RateLimit<AddressKey>;
  readonly readerLimit: RateLimit<AddressKey>;
  /**
   * Returns the origin of the web application. Requests with a session cookie are accepted from
   * this origin and from the request's own host.
   */
  readonly publicUrl: () => string;
}

function parseAuthorization(header: string): Presented | null {
  const secret = bearerPattern.exec(header)?.[1];
  return secret === undefined ? null : presentSecret("API_KEY", secret);
}

/** Returns an error message for a missing or malformed Authorization header. */
function describeMissingKey({ headers }: FastifyRequest): string {
  return headers.authorization === undefined
    ? "Send an API key in the header Authorization: Bearer vd_…"
    : "The Authorization header must be Bearer, a space, and the API key: vd_…";
}

const lastPresented = Symbol("lastPresented");

/**
 * A socket that caches its last Authorization header together with the parsed credential. A client
 * with a keep-alive connection sends the same key with each request, and hashing the key took a
 * tenth of the CPU time of a small response.
 */
interface PresentingSocket extends Socket {
  [lastPresented]?: { readonly header: string; readonly presented: Presented | null };
}

function findPresented(request: FastifyRequest): Presented | null {
  const header = request.headers.authorization;
  if (header === undefined) {
    const secret = readSessionToken(request.headers.cookie);
    return secret === null ? null : presentSecret("SESSION", secret);
  }
  // The request of an event stream is authenticated again while the stream is open. If the
  // connection has closed by then, the socket is `null`.
  const socket: PresentingSocket | null = request.raw.socket;
  const last = socket?.[lastPresented];
  if (last?.header === header) return last.presented;
  const presented = parseAuthorization(header);
  if (socket !== null) socket[lastPresented] = { header, presented };
  return presented;
}

function takeAllowance<Key extends string>(
  limit: RateLimit<Key>,
  key: Key,
  reply: FastifyReply,
  nowMs?: number,
): void {
  if (limit.isOff) return;
  const allowance = limit.take(key, nowMs);
  showAllowance(allowance, reply);
  rejectExcess(allowance);
}

function rejectExcess(allowance: Allowance): void {
  if (!allowance.allowed) throw tooMany(allowance.resetSeconds);
}

function tooMany(retryAfterSeconds: number): KnownError {
  return new KnownError("tooManyRequests", { retryAfterSeconds });
}

/** Sets the headers as strings, because Node.js would convert a number more than once. */
function showAllowance(allowance: Allowance, reply: FastifyReply): void {
  reply.header("ratelimit-limit", String(allowance.limit));
  reply.header("ratelimit-remaining", String(allowance.remaining));
  reply.header("ratelimit-reset", String(allowance.resetSeconds));
}

/**
 * Returns the account id from the path or from the account header. Returns `null` if the request
 * names no account; the home account of the credential is then used.
 */
function findRequestedAccount(request: FastifyRequest): string | null {
  const { accountId } = (request.params ?? {}) as { accountId?: string };
  const header = request.headers[accountHeader];
  const named = Array.isArray(header) ? header[0] : header;
  if (named !== undefined && !isUuid(named)) {
    throw invalid(accountHeader, "must be a GUID", "headers");
  }
  if (accountId !== undefined && !isUuid(accountId)) {
    throw invalid("accountId", "must be a GUID", "params");
  }
  const fromHeader = named?.toLowerCase();
  const fromPath = accountId?.toLowerCase();
  if (fromPath !== undefined && fromHeader !== undefined && fromPath !== fromHeader) {
    throw forbidden();
  }
  return fromPath ?? fromHeader ?? null;
}

/** Returns whether the account requires a second factor and the user has none. */
function lacksSecondFactor(
  { accountsRequiringSecondFactor }: Credential,
  { accountId }: Caller,
): boolean {
  return accountsRequiringSecondFactor.includes(accountId);
}

/**
 * Checks access to a route. Uses a callback instead of a promise, because a callback is faster if
 * the credential is cached.
 */
class Guard {
  readonly #options: AuthenticationOptions;
  readonly #access: Access;
  readonly #isOpenWithoutSecondFactor: boolean;

  constructor(options: AuthenticationOptions, access: Access, isOpenWithoutSecondFactor: boolean) {
    this.#options = options;
    this.#access = access;
    this.#isOpenWithoutSecondFactor = isOpenWithoutSecondFactor;
  }

  readonly check = (
    request: FastifyRequest,
    reply: FastifyReply,
    done: (error?: Error) => void,
  ): void => {
    let isDecided = false;
    try {
      isDecided = this.#admitAtOnce(request, reply);
    } catch (error) {
      done(error as Error);
      return;
    }
    if (isDecided) done();
    else this.#admitAfterSearch(request, reply).then(() => done(), done);
  };

  /**
   * Admits or rejects a request without a database query. Returns `false` if this is not possible.
   */
  #admitAtOnce(request: FastifyRequest, reply: FastifyReply): boolean {
    const address = request.ip;
    if (this.#access === "public") {
      takeAllowance(this.#options.addressLimit, addressKey(address), reply);
      return true;
    }
    const presented = findPresented(request);
    // The clock is read only once per request, because each read takes a measurable time.
    const nowMs = this.#options.clock.nowMs();
    const recalled = presented && this.#options.credentials.recall(presented, address, nowMs);
    if (recalled === null) return false;
    this.#admit(recalled, request, reply, nowMs);
    return true;
  }

  async #admitAfterSearch(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    this.#admit(await this.#findCredential(request, reply), request, reply);
  }

  /** Looks up a credential that is not cached. Throws if the credential is missing or not valid. */
  async #findCredential(request: FastifyRequest, reply: FastifyReply): Promise<Credential> {
    const { credentials, addressLimit } = this.#options;
    const address = addressKey(request.ip);
    // An address that exceeds its rate limit is rejected before any database query.
    if (!addressLimit.isOff) rejectExcess(addressLimit.peek(address));
    const presented = findPresented(request);
    const credential = presented && (await credentials.find(presented, request.ip));
    if (credential !== null) return credential;
    takeAllowance(addressLimit, address, reply);
    throw badToken(presented === null ? describeMissingKey(request) : undefined);
  }

  /** Admits a request and sets its caller. Throws if the caller may not use the route. */
  #admit(
    credential: Credential,
    request: FastifyRequest,
    reply: FastifyReply,
    nowMs?: number,
  ): void {
    takeAllowance(this.#options.keyLimit, credential.id, reply, nowMs);
    // Browsers send the session cookie with requests from any site, so the origin must be checked.
    const isByCookie = credential.type === "SESSION" && !safeMethods.has(request.method);
    if (isByCookie) rejectForeignPage(request, this.#options.publicUrl());
    const origin = { address: request.ip, requestId: request.id };
    const caller = decideCaller(credential, findRequestedAccount(request), origin);
    if (caller === null || !isAllowed(this.#access, caller.role, caller.type === "SESSION")) {
      throw forbidden();
    }
    if (lacksSecondFactor(credential, caller) && !this.#isOpenWithoutSecondFactor) {
      throw new KnownError("secondFactorNeeded");
    }
    request.caller = caller;
  }
}

/**
 * Creates a rate limit guard for routes whose responses may be cached. The guard sets no rate limit
 * headers, because these headers differ for each request.
 */
function createReaderGuard({ readerLimit }: AuthenticationOptions) {
  return (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
    const { allowed, resetSeconds } = readerLimit.take(addressKey(request.ip));
    done(allowed ? undefined : tooMany(resetSeconds));
  };
}

export interface Standing {
  readonly caller: Caller;
  readonly expiresAt: Date | null;
}

/**
 * Authenticates the caller of a long-lived request again. Returns `null` if the key or session has
 * ended, if the caller's role is no longer sufficient, or if the account now requires a second
 * factor that the user has not set up.
 */
export async function findStanding(
  credentials: Credentials,
  request: FastifyRequest,
  access: Access,
): Promise<Standing | null> {
  const presented = findPresented(request);
  if (presented === null) return null;
  const { ip } = request;
  const credential = credentials.recall(presented, ip) ?? (await credentials.find(presented, ip));
  if (credential === null) return null;
  const origin = { address: request.ip, requestId: request.id };
  const caller = decideCaller(credential, findRequestedAccount(request), origin);
  if (caller === null || !isAllowed(access, caller.role, caller.type === "SESSION")) return null;
  if (lacksSecondFactor(credential, caller)) return null;
  return { caller, expiresAt: credential.expiresAt };
}

/** Returns whether the request has the session of a member who may read the account. */
export async function isMemberOf(
  credentials: Credentials,
  request: Pick<FastifyRequest, "headers" | "ip" | "id">,
  accountId: string,
): Promise<boolean> {
  const token = readSessionToken(request.headers.cookie);
  if (token === null) return false;
  const presented = presentSecret("SESSION", token);
  const { ip: address, id: requestId } = request;
  const recalled = presented && credentials.recall(presented, address);
  const credential = recalled ?? (presented && (await credentials.find(presented, address)));
  const caller = credential && decideCaller(credential, accountId, { address, requestId });
  return caller !== null && credential !== null && !lacksSecondFactor(credential, caller);
}

/**
 * Returns the caller for an API key and an account, for protocols other than HTTP. Returns `null`
 * if the key does not give access to the account.
 */
export async function findCallerByKey(
  credentials: Credentials,
  request: { readonly key: string; readonly accountId: string; readonly address: string },
): Promise<Caller | null> {
  const { key, accountId, address } = request;
  const presented = parseAuthorization(`Bearer ${key}`);
  if (presented === null || !isUuid(accountId)) return null;
  const recalled = credentials.recall(presented, address);
  const credential = recalled ?? (await credentials.find(presented, address));
  if (credential === null) return null;
  const caller = decideCaller(credential, accountId.toLowerCase(), { address, requestId: "" });
  return caller === null || lacksSecondFactor(credential, caller) ? null : caller;
}

/**
 * Adds a guard to each route, except public routes with `isUnlimited`. The guard checks access and
 * rate limits before the request body is read.
 */
export function addAuthentication(server: HttpServer, options: AuthenticationOptions): void {
  server.decorateRequest("caller", null as unknown as Caller);
  server.addHook("onRoute", (route) => {
    const { access, isUnlimited, isForReaders } = route.config ?? {};
    const { isOpenWithoutSecondFactor = false } = route.config ?? {};
    if (access === undefined) {
      throw new Error(`${String(route.method)} ${route.url} has no config.access.`);
    }
    if ((isUnlimited || isForReaders) && access !== "public") {
      throw new Error(`${String(route.method)} ${route.url} must be public.`);
    }
    if (isUnlimited === true) return;
    const guard = new Guard(options, access, isOpenWithoutSecondFactor);
    const check = isForReaders ? createReaderGuard(options) : guard.check;
    route.onRequest = [route.onRequest ?? []].flat().concat(check);
  });
}
