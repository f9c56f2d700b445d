import { evaluateAssertions } from "../../kit/assertions/assertion.ts";
import type { Evaluate } from "../../kit/assertions/evaluation-thread-worker.ts";
import { httpSources } from "./http-sources.ts";

/** Evaluates HTTP assertions. The evaluation thread imports this function. */
export const evaluate: Evaluate = (assertions, document, isOverTime) =>
  evaluateAssertions(httpSources, assertions, document, isOverTime);
