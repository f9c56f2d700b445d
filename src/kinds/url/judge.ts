import { evaluateAssertions } from "../assertions/assertion.ts";
import { type HttpReason, judgeAnswer, judgeTrouble } from "../http/http-judge.ts";
import type { Run } from "../kind.ts";
import type { Judgement } from "../verdict.ts";
import type { UrlMeasurement } from "./measurement.ts";
import { assertionSources, type UrlRequest, type UrlSettings } from "./request.ts";

export type UrlReason = HttpReason;

/** Failing takes precedence over degraded, degraded over passing. */
export function judge(
  settings: UrlSettings,
  { outcome }: Run<UrlRequest, UrlMeasurement>,
): Judgement {
  if (outcome.kind === "unreachable") return judgeTrouble(outcome.trouble);
  if (outcome.kind !== "measured") return { verdict: "failing", isNetworkError: true, reasons: [] };
  const { assertions } = settings.request;
  const { measurement } = outcome;
  const results = evaluateAssertions(assertionSources, assertions, { status: measurement.status });
  return judgeAnswer(settings, measurement, { assertions, results });
}
