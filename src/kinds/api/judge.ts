import { clipText } from "../../platform/text/clip.ts";
import type { AssertionResult } from "../assertions/assertion.ts";
import { clipValue } from "../assertions/clip-value.ts";
import { explainHttp, type HttpReason, judgeAnswer, judgeTrouble } from "../http/http-judge.ts";
import type { Run } from "../kind.ts";
import type { Judgement } from "../verdict.ts";
import type { ApiMeasurement } from "./measurement.ts";
import type { ApiRequest, ApiSettings } from "./request.ts";

export type ApiReason = HttpReason;

const maxMessageLength = 500;

/**
 * Failing takes precedence over degraded, degraded over passing. The probe has evaluated the
 * assertions of the order, because only the probe has the whole body.
 */
export function judge(settings: ApiSettings, run: Run<ApiRequest, ApiMeasurement>): Judgement {
  const { outcome, request } = run;
  if (outcome.kind === "unreachable") return judgeTrouble(outcome.trouble);
  if (outcome.kind !== "measured") {
    return { verdict: "failing", isNetworkError: true, reasons: [] };
  }
  const { assertions } = request;
  const results = assertions.map((_assertion, index) =>
    tidyResult(outcome.measurement.results[index]),
  );
  return judgeAnswer(settings, outcome.measurement, { assertions, results });
}

/** Probes are not trusted, so the size of what becomes part of a reason is bounded. */
function tidyResult(result: AssertionResult | undefined): AssertionResult {
  if (result === undefined) {
    return { passed: false, actual: null, message: "The probe did not evaluate this assertion" };
  }
  if (result.passed) return result;
  const { actual, message } = result;
  return {
    passed: false,
    actual: clipValue(actual),
    message: clipText(message, maxMessageLength),
  };
}

export const explain = explainHttp;
