import type { Order } from "../../../../contract/order.ts";
import type { NoData, OnStep, Outcome } from "../../../../contract/result.ts";
import type { ScriptRunner } from "../../../../sandbox/script-run.ts";
import type { ThreadCalls } from "../../../kit/prober.ts";
import { fillRequest, fillVariables } from "../../../kit/variables/variables.ts";
import { buildPhases, buildTimings } from "../../../wire/http/http-figures.ts";
import type { ApiMeasurement } from "../measurement.ts";
import type { ApiRequest } from "../request.ts";
import {
  describeFailure,
  type HookName,
  type HookRun,
  readEnvironment,
  readRequest,
  readResponse,
  type ScriptRuns,
  showRequest,
  showResponse,
  summariseHook,
  toSent,
  UnusableValue,
  type WholeAnswer,
} from "../script-runs.ts";
import { type ApiScripts, type HookScript, timeoutOfHook } from "../scripts.ts";
import { texts } from "../texts.ts";
import type { ApiCall, ApiReply } from "./measure.ts";

export type ScriptedRequest = ApiRequest & { readonly scripts: ApiScripts };

interface ScriptedTools {
  readonly scripts: ScriptRunner;
  readonly calls: ThreadCalls<ApiCall, ApiReply>;
  /**
   * Builds a call for the socket thread, which sends the request. The call contains the given
   * request. The other data of the call, such as the client certificate, come from the run order.
   */
  readonly toCall: (request: ApiRequest) => ApiCall;
  readonly onStep: OnStep | undefined;
}

/** Runs setup scripts, the request, teardown scripts, and then the assertions. */
export function runWithScripts(
  order: Order<ScriptedRequest>,
  tools: ScriptedTools,
): Promise<Outcome<ApiMeasurement>> {
  return new ScriptedRun(order, tools).run();
}

/** What the scripts of one phase returned, or why the scripts did not run. */
type HookEnd =
  | { readonly hook: HookRun; readonly values: unknown }
  | { readonly hook: null; readonly noData: NoData };

class ScriptedRun {
  readonly #order: Order<ScriptedRequest>;
  readonly #tools: ScriptedTools;
  readonly #startedMs = performance.now();
  /** Variables of the run, which scripts may change. */
  readonly #variables: Map<string, string>;
  #runs: ScriptRuns = { setup: null, teardown: null, sent: null };
  /**
   * The request to send. `#prepare` fills in the variables and applies the changes of the setup
   * script.
   */
  #request: ApiRequest;

  constructor(order: Order<ScriptedRequest>, tools: ScriptedTools) {
    this.#order = order;
    this.#tools = tools;
    this.#request = order.request;
    const { variables = [] } = order;
    this.#variables = new Map(variables.map(({ name, value }) => [name, value]));
  }

  async run(): Promise<Outcome<ApiMeasurement>> {
    const early = await this.#prepare();
    if (early !== null) return early;
    const { toCall, calls, onStep } = this.#tools;
    const call = { ...toCall(this.#request), stage: "send" } as const;
    const reply = await calls.call(call, onStep);
    if (reply === null) return { kind: "interrupted", message: "The probe stopped." };
    if (reply.kind === "measured") throw new Error("The response was judged too early.");
    if (reply.kind !== "answered" && reply.kind !== "unreachable") return reply;
    const torn = await this.#tearDown(reply.kind === "answered" ? reply.answer : null);
    if ("kind" in torn) return torn;
    if (reply.kind === "unreachable") {
      this.#noteSent(true);
      return { kind: "unreachable", trouble: { ...reply.trouble, ...{ scripts: this.#runs } } };
    }
    return this.#assess(torn.answer ?? reply.answer);
  }

  /** Prepares the request and runs the setup scripts. Returns the outcome if the run ends early. */
  async #prepare(): Promise<Outcome<ApiMeasurement> | null> {
    const { variables = [] } = this.#order;
    const { scripts, ...written } = this.#order.request;
    const request = fillRequest<ApiRequest>(texts, written, variables);
    if (request === null) {
      const message = "The request is too long once its variables are filled in.";
      return { kind: "cannot-check", message };
    }
    this.#variables.set("REQUEST_URL", request.url);
    if (scripts.baseUrl !== "") this.#variables.set("GROUP_BASE_URL", scripts.baseUrl);
    this.#request = request;
    if (scripts.setup.length === 0) return null;
    const shown = showRequest(request);
    const end = await this.#runHook("setup", scripts.setup, { request: shown });
    if (end.hook === null) return end.noData;
    const setup = acceptValues(end.hook, () => {
      this.#setVariables(end.values);
      const fill = (text: string) => fillVariables(text, (name) => this.#variables.get(name));
      const { values } = end;
      return readRequest({ written, shown, values, fill });
    });
    this.#runs = { ...this.#runs, setup: setup.hook };
    if (setup.value !== null) {
      this.#request = setup.value;
      return null;
    }
    const message = describeFailure("setup", setup.hook);
    const failed = { kind: "script-failed", code: "SETUP_FAILED", message } as const;
    return { kind: "unreachable", trouble: { ...failed, ...{ scripts: this.#runs } } };
  }

  /**
   * Runs the teardown scripts. They run even if there was no response, because they may have to
   * remove data that the setup scripts created.
   */
  async #tearDown(
    answer: WholeAnswer | null,
  ): Promise<{ readonly answer: WholeAnswer | null } | NoData> {
    const { scripts } = this.#order.request;
    if (scripts.tearDown.length === 0) return { answer };
    const globals = {
      request: showRequest(this.#request),
      response: answer && {
        ...showResponse(answer),
        timings: buildTimings(answer.measurement),
        timingPhases: buildPhases(answer.measurement),
      },
    };
    const end = await this.#runHook("teardown", scripts.tearDown, globals);
    if (end.hook === null) return answer === null ? { answer } : end.noData;
    const read = () => (answer === null ? null : readResponse(answer, end.values));
    const torn = acceptValues(end.hook, read);
    this.#runs = { ...this.#runs, teardown: torn.hook };
    return { answer: torn.value };
  }

  async #assess(answer: WholeAnswer): Promise<Outcome<ApiMeasurement>> {
    const { toCall, calls } = this.#tools;
    const call = toCall(this.#request);
    const isFailed = this.#runs.teardown !== null && this.#runs.teardown.end !== "passed";
    const keepsAnswer = call.keepsAnswer || isFailed;
    const reply = await calls.call({ ...call, keepsAnswer, stage: "assess", answer });
    if (reply === null) return { kind: "interrupted", message: "The probe stopped." };
    if (reply.kind === "answered") throw new Error("The response was not judged.");
    if (reply.kind !== "measured") return reply;
    this.#noteSent(reply.measurement.isKept);
    return { kind: "measured", measurement: { ...reply.measurement, scripts: this.#runs } };
  }

  #noteSent(isKept: boolean): void {
    if (this.#runs.setup === null) return;
    this.#runs = { ...this.#runs, sent: toSent(this.#request, isKept) };
  }

  async #runHook(
    name: HookName,
    hooks: readonly HookScript[],
    globals: Readonly<Record<string, unknown>>,
  ): Promise<HookEnd> {
    const { runId, checkId, accountId = checkId, deadlineAtMs, request } = this.#order;
    const { runtime, files } = request.scripts;
    const [first, ...others] = hooks;
    const startMs = performance.now() - this.#startedMs;
    const { onStep, scripts } = this.#tools;
    const outcome = await scripts.run(
      {
        runId,
        accountId,
        deadlineAtMs,
        request: {
          runtime,
          script: first?.content ?? "",
          scriptPath: first?.path ?? null,
          dependencies: [...files, ...others].filter(({ path }) => path !== first?.path),
          timeoutMs: timeoutOfHook(hooks),
          hook: { paths: hooks.map(({ path }) => path), globals },
        },
        variables: this.#listEnvironment(),
      },
      onStep,
    );
    if (outcome.kind !== "measured") {
      if (outcome.kind === "unreachable") throw new Error("A script cannot be unreachable.");
      return { hook: null, noData: outcome };
    }
    const hook = summariseHook(outcome.measurement, startMs);
    onStep?.({ step: name, durationMs: Math.round(hook.durationMs) });
    return { hook, values: outcome.measurement.values };
  }

  /**
   * Returns the variables that scripts can read. Names that start with `$` are internal and contain
   * secrets, so they are left out.
   */
  #listEnvironment(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#variables].filter(([name]) => !name.startsWith("$")));
  }

  #setVariables(values: unknown): void {
    for (const [name, value] of readEnvironment(values)) {
      if (value === null) this.#variables.delete(name);
      else this.#variables.set(name, value);
    }
  }
}

/** Reads the values that a script returned. A value that cannot be used makes the script fail. */
function acceptValues<Value>(
  hook: HookRun,
  read: () => Value,
): { readonly hook: HookRun; readonly value: Value | null } {
  if (hook.end !== "passed") return { hook, value: null };
  try {
    return { hook, value: read() };
  } catch (error) {
    if (!(error instanceof UnusableValue)) throw error;
    const place = { stack: null, file: null, line: null, column: null };
    return {
      hook: { ...hook, end: "failed", errors: [{ message: error.message, ...place }] },
      value: null,
    };
  }
}
