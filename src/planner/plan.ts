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
 * A plan asks for tool calls and goes on with what they gave. It holds no state between two steps
 * of a conversation: it is restarted each time with the results so far, and since it is
 * deterministic it arrives where it was.
 */
export type Plan<Value> = Generator<readonly ToolCall[], Value, readonly Outcome[]>;

/** The most calls that one question may cost. */
export const maxCalls = 10;
/** The most times that tools are asked before the answer is given. */
export const maxLookups = 6;

export type Step<Value> =
  | { readonly kind: "calls"; readonly calls: readonly ToolCall[] }
  | {
      readonly kind: "done";
      readonly value: Value;
      /** The tools that could not answer on the way. */
      readonly failures: readonly Failure[];
    };

/** What a tool found, for citing. */
export interface Found<Data> {
  readonly data: Data;
  readonly sources: readonly Source[];
}

/** Null when the tool could not answer; the answer says so by itself. */
export function* ask<Name extends ToolName>(
  tool: Name,
  input: Readonly<Record<string, unknown>>,
): Plan<Found<ToolOutputs[Name]> | null> {
  const [outcome] = yield [{ tool, input }];
  return outcome?.kind === "answered" ? (outcome as Answered<ToolOutputs[Name]>) : null;
}

/** A plan that needs nothing. */
export function* settle<Value>(value: Value): Plan<Value> {
  yield* [];
  return value;
}

/** Several calls of one tool at once, in their order. */
export function* askEach<Name extends ToolName>(
  tool: Name,
  inputs: readonly Readonly<Record<string, unknown>>[],
): Plan<(Found<ToolOutputs[Name]> | null)[]> {
  const outcomes = yield inputs.map((input) => ({ tool, input }));
  return outcomes.map((outcome) =>
    outcome.kind === "answered" ? (outcome as Answered<ToolOutputs[Name]>) : null,
  );
}

/** Two independent plans ask at the same time. */
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
  /** By the key of the call. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  readonly callCount: number;
  /** How often tools were asked so far, several at once counting as one. */
  readonly lookupCount: number;
  /** Those that may be called at all. */
  readonly tools: ReadonlySet<string>;
}

/** Runs a plan as far as the results reach: to its end, or to the calls it needs next. */
export function advance<Value>(plan: Plan<Value>, progress: Progress): Step<Value> {
  let budget = progress.lookupCount < maxLookups ? maxCalls - progress.callCount : 0;
  const refused = new Map<string, Outcome>();
  const failures: Failure[] = [];
  let turn = plan.next();
  while (!turn.done) {
    const missing = new Map<string, ToolCall>();
    for (const call of turn.value) {
      const key = keyOf(call.tool, call.input);
      if (progress.outcomes.has(key) || refused.has(key) || missing.has(key)) continue;
      if (!progress.tools.has(call.tool)) {
        refused.set(key, fail(call.tool, "it is not available to you here"));
      } else if (budget <= 0) {
        refused.set(key, fail(call.tool, "too much would have to be looked up at once"));
      } else {
        budget -= 1;
        missing.set(key, call);
      }
    }
    if (missing.size > 0) return { kind: "calls", calls: [...missing.values()] };
    const outcomes = turn.value.map((call) => {
      const key = keyOf(call.tool, call.input);
      return progress.outcomes.get(key) ?? refused.get(key) ?? fail(call.tool, "it gave nothing");
    });
    failures.push(...outcomes.filter((outcome) => outcome.kind === "failure"));
    turn = plan.next(outcomes);
  }
  return { kind: "done", value: turn.value, failures };
}

function fail(tool: string, message: string): Failure {
  return { kind: "failure", tool, message };
}
