/** Runs unsaved settings and reads the progress as a stream. */
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
  /** `null` if the assertion was not evaluated. */
  readonly passed: boolean | null;
  readonly actual?: unknown;
  readonly message?: string;
}

type Result = Schemas["WholeResult"];

/** It also has the result document of its check type. */
export interface TrialResult
  extends Partial<Pick<Result, Extract<keyof Result, `${string}CheckResult`>>> {
  readonly checkType: string;
  /** The probe that executed the run. */
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

/** Longer than any run document. */
const maxLineLength = 2_000_000;

export async function* tryCheck(body: object, options: TrialOptions): AsyncGenerator<TrialEvent> {
  // The server sends a keep-alive every five seconds.
  const timeout = new RequestTimeout(options.signal);
  timeout.start();
  let response: Response;
  try {
    response = await request(body, { ...options, signal: timeout.signal });
  } catch (error) {
    if (options.signal.aborted) return;
    throw fromThrown(error);
  }
  if (!response.ok || response.body === null) {
    // A call through the shared client notifies the application that the session has ended.
    if (response.status === 401) await send(api.GET("/v1/users/me"));
    throw fromAnswer(response, await response.json().catch(() => null));
  }
  try {
    for await (const line of readLines(response.body, maxLineLength)) {
      timeout.start();
      yield JSON.parse(line) as TrialEvent;
    }
  } catch (error) {
    if (!options.signal.aborted) throw fromThrown(error);
  } finally {
    timeout.end();
  }
}

function request(body: object, { checkId, signal }: TrialOptions): Promise<Response> {
  const account = readChosenAccount();
  const query = checkId === null ? "" : `?checkId=${encodeURIComponent(checkId)}`;
  return fetch(`/v1/checks/try${query}`, {
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
