/** The shared client of the public API. Only streams and downloads call `fetch` directly. */
import createClient from "openapi-fetch";
import { ApiError, fromAnswer, fromThrown, fromUnansweredWrite } from "./api-error.ts";
import { readChosenAccount } from "./chosen-account.ts";
import type { components, paths } from "./schema.d.ts";

/** Default time to wait for a response. */
const requestTimeoutMs = 30_000;

/** Aborts a request when the server does not respond in time, or when `outer` aborts. */
export class RequestTimeout {
  readonly signal: AbortSignal;
  readonly #limit = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outer?: AbortSignal) {
    const own = this.#limit.signal;
    this.signal = outer === undefined ? own : AbortSignal.any([outer, own]);
  }

  /** Starts the timeout, or restarts it. */
  start(limitMs: number = requestTimeoutMs): void {
    clearTimeout(this.#timer);
    // Tests can control `setTimeout` with a mocked clock, but not `AbortSignal.timeout`.
    this.#timer = setTimeout(() => {
      this.#limit.abort(new DOMException("The server did not answer.", "TimeoutError"));
    }, limitMs);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

export type Schemas = components["schemas"];

const accountHeader = "x-service-account";

/** Sends a request. The caller or the timeout can abort it, even while the body is read. */
async function fetchInTime(request: Request): Promise<Response> {
  const timeout = new RequestTimeout(request.signal);
  timeout.start();
  try {
    return await fetch(request, { signal: timeout.signal });
  } catch (error) {
    const isRead = ["GET", "HEAD"].includes(request.method);
    if (isRead || request.signal.aborted) throw error;
    throw fromUnansweredWrite(error, request.headers.has("idempotency-key"));
  }
}

export const api = createClient<paths>({ baseUrl: location.origin, fetch: fetchInTime });

api.use({
  onRequest({ request }) {
    const account = readChosenAccount();
    if (account !== null && !request.headers.has(accountHeader)) {
      request.headers.set(accountHeader, account);
    }
    return request;
  },
});

type SessionEndListener = () => void;
const sessionEndListeners = new Set<SessionEndListener>();

/** Registers a listener for the end of the session (401). */
export function onSessionEnd(listener: SessionEndListener): () => void {
  sessionEndListeners.add(listener);
  return () => sessionEndListeners.delete(listener);
}

const factorListeners = new Set<() => void>();

/**
 * Registers a listener that is called when a request is rejected because the account requires a
 * second factor.
 */
export function onSecondFactorNeeded(listener: () => void): () => void {
  factorListeners.add(listener);
  return () => factorListeners.delete(listener);
}

interface Answer<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

export interface FullAnswer<Data> {
  readonly data: Data;
  /** ETag of the object, for a later `If-Match` header. */
  readonly etag: string | null;
  /** Total number of entries of a paginated list; `null` for other responses. */
  readonly total: number | null;
}

function readTotal(header: string | null): number | null {
  const total = /\/(\d+)$/.exec(header ?? "")?.[1];
  return total === undefined ? null : Number(total);
}

/** Returns the data and the headers of a successful response; throws `ApiError` otherwise. */
export async function sendFull<Data>(call: Promise<Answer<Data>>): Promise<FullAnswer<Data>> {
  let answer: Answer<Data>;
  try {
    answer = await call;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw fromThrown(error);
  }
  const { response, error } = answer;
  if (!response.ok) {
    if (response.status === 401) for (const listener of sessionEndListeners) listener();
    const apiError = fromAnswer(response, error);
    if (apiError.reason === "second-factor-needed") for (const notify of factorListeners) notify();
    throw apiError;
  }
  const isJson = response.headers.get("content-type")?.includes("json") ?? false;
  if (!isJson && response.status !== 204 && response.status !== 202) {
    throw new ApiError({
      kind: "unreadable",
      message: "The response is not from Vedette. A proxy may have replaced it.",
      status: response.status,
      requestId: response.headers.get("x-request-id"),
    });
  }
  return {
    data: answer.data as Data,
    etag: response.headers.get("etag"),
    total: readTotal(response.headers.get("content-range")),
  };
}

/** Returns the data of a successful response; throws `ApiError` otherwise. */
export async function send<Data>(call: Promise<Answer<Data>>): Promise<Data> {
  return (await sendFull(call)).data;
}
