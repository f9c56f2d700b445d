import { clipText } from "../../platform/text/clip.ts";
import type { AssertionResult } from "../assertions/assertion.ts";
import { clipValue } from "../assertions/assertion-message.ts";
import type { ApiMeasurement } from "./measurement.ts";
import type { ApiRequest, ApiSettings } from "./request.ts";
import { findScriptReasons } from "./script-runs.ts";

const maxMessageLength = 500;

/**
 * Returns the results of the order's assertions. The probe has evaluated them, because only the
 * probe has the whole body.
 */
export function readResults(
  _settings: ApiSettings,
  { assertions }: ApiRequest,
  measurement: ApiMeasurement,
) {
  return {
    assertions,
    results: assertions.map((_assertion, index) => tidyResult(measurement.results[index])),
    failures: findScriptReasons(measurement.scripts),
  };
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
