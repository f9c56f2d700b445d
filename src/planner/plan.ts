import type { Source } from "./tools/tool-outcome.ts";
import {
  type Answered,
  type Failure,
  keyOf,
  type Outcome,
  type ToolCall,
  type ToolName,
  type ToolOutputs,
} from "./tools/tool-outcome.ts";

/**
 * A generator that yields tool calls and continues with their results. A plan stores no state
 * between the steps of an answer: each step runs the plan from its start with all results so far.
 * Plans are deterministic, so the plan reaches the same point again.
 */
export type Plan<Value> = Generator<readonly ToolCall[], Value, readonly Outcome[]>;

/** Maximum number of tool calls for one question. */
export const maxCalls = 10;
/** Maximum number of rounds of tool calls for one question. */
export const maxLookups = 6;

type Step<Value> =
  | { readonly kind: "calls"; readonly calls: readonly ToolCall[] }
  | {
      readonly kind: "done";
      readonly value: Value;
      /** Calls that failed. The answer ends with a note for each failed tool. */
      readonly failures: readonly Failure[];
    };

/** Result of a tool call, with its sources for citations. */
export interface Found<Data> {
  readonly data: Data;
  readonly sources: readonly Source[];
}

/** Calls a tool. Returns `null` if the call failed; the answer then reports the failure. */
export function* callTool<Name extends ToolName>(
  tool: Name,
  input: Readonly<Record<string, unknown>>,
): Plan<Found<ToolOutputs[Name]> | null> {
  const [outcome] = yield [{ tool, input }];
  return outcome?.kind === "answered" ? (outcome as Answered<ToolOutputs[Name]>) : null;
}

/** Returns a plan that calls no tool and ends with the given value. */
export function* settle<Value>(value: Value): Plan<Value> {
  yield* [];
  return value;
}

/** Calls one tool several times concurrently. Returns the results in the order of the inputs. */
export function* callToolEach<Name extends ToolName>(
  tool: Name,
  inputs: readonly Readonly<Record<string, unknown>>[],
): Plan<(Found<ToolOutputs[Name]> | null)[]> {
  const outcomes = yield inputs.map((input) => ({ tool, input }));
  return outcomes.map((outcome) =>
    outcome.kind === "answered" ? (outcome as Answered<ToolOutputs[Name]>) : null,
  );
}

/** Runs two independent plans concurrently. */
export function* together<First, Second>(
  first: Plan<First>,
  second: Plan<Second>,
): Plan<[First, Second]> {
  let left = first.next();
  let right = second.next();
  while (!left.done || !right.done) {
    const leftCalls = left.done ? [] : left.value;
    const rightCalls = right.done ? [] : right.value;
    const outcomes = yield [...leftCalls, ...rightCalls];
    if (!left.done) left = first.next(outcomes.slice(0, leftCalls.length));
    if (!right.done) right = second.next(outcomes.slice(leftCalls.length));
  }
  return [left.value, right.value];
}

export interface Progress {
  /** Outcomes of the tool calls so far, by call key (see `keyOf`). */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  readonly callCount: number;
  /** Number of rounds of tool calls so far. */
  readonly lookupCount: number;
  /** Names of the tools that the plan may call. */
  readonly tools: ReadonlySet<string>;
}

/** Runs a plan with the existing results until the plan ends or needs further tool calls. */
export function advance<Value>(plan: Plan<Value>, progress: Progress): Step<Value> {
  let budget = progress.lookupCount < maxLookups ? maxCalls - progress.callCount : 0;
  const rejected = new Map<string, Outcome>();
  const failures: Failure[] = [];
  let turn = plan.next();
  while (!turn.done) {
    const missing = new Map<string, ToolCall>();
    for (const call of turn.value) {
      const key = keyOf(call.tool, call.input);
      if (progress.outcomes.has(key) || rejected.has(key) || missing.has(key)) continue;
      if (!progress.tools.has(call.tool)) {
        rejected.set(key, fail(call.tool, "it is not available here"));
      } else if (budget <= 0) {
        rejected.set(key, fail(call.tool, "too many lookups would be needed"));
      } else {
        budget -= 1;
        missing.set(key, call);
      }
    }
    if (missing.size > 0) return { kind: "calls", calls: [...missing.values()] };
    const outcomes = turn.value.map((call) => {
      const key = keyOf(call.tool, call.input);
      return (
        progress.outcomes.get(key) ?? rejected.get(key) ?? fail(call.tool, "it returned nothing")
      );
    });
    failures.push(...outcomes.filter((outcome) => outcome.kind === "failure"));
    turn = plan.next(outcomes);
  }
  return { kind: "done", value: turn.value, failures };
}

function fail(tool: string, message: string): Failure {
  return { kind: "failure", tool, message };
}
