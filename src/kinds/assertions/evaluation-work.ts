import type { Assertion, AssertionResult } from "./assertion.ts";

/** A job of the evaluation thread. */
export interface EvaluationJob {
  /** Path of the module that exports `evaluate` for the sources of a kind. */
  readonly module: string;
  readonly assertions: readonly Assertion[];
  readonly document: unknown;
}

/** The function that such a module exports. */
export type Evaluate = (
  assertions: readonly Assertion[],
  document: unknown,
  isOverTime: () => boolean,
) => readonly AssertionResult[];

/** `failure` is set if an unexpected exception occurred; `results` is empty then. */
export interface EvaluationAnswer {
  readonly results: readonly AssertionResult[];
  readonly failure?: string;
}
