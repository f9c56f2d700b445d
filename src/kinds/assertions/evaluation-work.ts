import type { Assertion, AssertionResult } from "./assertion.ts";

/** What the evaluation thread is sent: one job at a time. */
export interface EvaluationJob {
  /** The module that exports `evaluate`, for the sources of a kind. */
  readonly module: string;
  readonly assertions: readonly Assertion[];
  readonly document: unknown;
}

/** What such a module exports. */
export type Evaluate = (
  assertions: readonly Assertion[],
  document: unknown,
  isOverTime: () => boolean,
) => readonly AssertionResult[];

/** Without results there is a failure: a bug, as text. */
export interface EvaluationAnswer {
  readonly results: readonly AssertionResult[];
  readonly failure?: string;
}
