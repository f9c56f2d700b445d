/**
 * Requests whose response is a stream of events: test runs of unsaved checks, and live path
 * tracing.
 */
import { fromAnswer, fromThrown } from "./api-error.ts";
import { readChosenAccount } from "./chosen-account.ts";
import { api, RequestTimeout, type Schemas, send } from "./client.ts";
import { readLines } from "./read-lines.ts";

export interface TrialStep {
  readonly elapsedMs: number;
  readonly step: string;
  readonly [fact: string]: unknown;
}

export interface TriedAssertion {
  readonly assertion: {
    readonly source: string;
    readonly property: string;
    readonly comparison: string;
    readonly target: string;
  };
  /** Whether the assertion passed; `null` if it was not evaluated. */
  readonly passed: boolean | null;
  readonly actual?: unknown;
  readonly message?: string;
}

type Result = Schemas["WholeResult"];

/** Result of a test run. It also contains the result document of the check type. */
export interface TrialResult
  extends Partial<Pick<Result, Extract<keyof Result, `${string}CheckResult`>>> {
  readonly checkType: string;
  /** Id of the probe that executed the run. */
  readonly probeId: string;
  readonly verdict: "passing" | "degraded" | "failing" | "unknown";
  readonly explanation: string;
  readonly reasons: readonly { readonly name: string; readonly sentence: string }[];
  readonly assertions: readonly TriedAssertion[];
  readonly responseTime: number | null;
  readonly runLocation: string;
}

export type TrialEvent =
  | { readonly event: "ordered"; readonly location: string; readonly target: string }
  | { readonly event: "started"; readonly probeId: string }
  | ({ readonly event: "progress" } & TrialStep)
  | { readonly event: "waiting"; readonly elapsedMs: number }
  | ({ readonly event: "result" } & TrialResult)
  | { readonly event: "end"; readonly reason: "complete" | "timed-out" };

interface TrialOptions {
  readonly checkId: string | null;
  readonly signal: AbortSignal;
}

/** Maximum length of a line, longer than any result document. */
const maxLineLength = 2_000_000;

/** Runs a check with unsaved settings and yields the events of the run. */
export function tryCheck(body: object, { checkId, signal }: TrialOptions) {
  const query = checkId === null ? "" : `?checkId=${encodeURIComponent(checkId)}`;
  return readEvents<TrialEvent>(`/v1/checks/try${query}`, body, signal);
}

export type LivePathEvent =
  | { readonly event: "started"; readonly location: string; readonly target: string }
  | Schemas["LiveRound"]
  | { readonly event: "waiting" }
  | { readonly event: "trouble"; readonly message: string }
  | { readonly event: "end"; readonly reason: "complete" | "trouble" };

/** Traces the path to the target of a check repeatedly until the signal is aborted. */
export function followPath(checkId: string, signal: AbortSignal) {
  return readEvents<LivePathEvent>(`/v1/checks/${checkId}/live-path`, {}, signal);
}

async function* readEvents<Event>(
  path: string,
  body: object,
  signal: AbortSignal,
): AsyncGenerator<Event> {
  // Each line restarts the timeout, because the server sends a heartbeat every five seconds.
  const timeout = new RequestTimeout(signal);
  timeout.start();
  let response: Response;
  try {
    response = await request(path, body, timeout.signal);
  } catch (error) {
    if (signal.aborted) return;
    throw fromThrown(error);
  }
  if (!response.ok || response.body === null) {
    // The shared client notifies the application that the session has ended; `fetch` does not.
    if (response.status === 401) await send(api.GET("/v1/users/me"));
    throw fromAnswer(response, await response.json().catch(() => null));
  }
  try {
    for await (const line of readLines(response.body, maxLineLength)) {
      timeout.start();
      yield JSON.parse(line) as Event;
    }
  } catch (error) {
    if (!signal.aborted) throw fromThrown(error);
  } finally {
    timeout.end();
  }
}

function request(path: string, body: object, signal: AbortSignal): Promise<Response> {
  const account = readChosenAccount();
  return fetch(path, {
    method: "POST",
    headers: {
      accept: "application/x-ndjson",
      "content-type": "application/json",
      ...(account !== null && { "x-service-account": account }),
    },
    body: JSON.stringify(body),
    signal,
  });
}
