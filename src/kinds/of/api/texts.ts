import type { ChangeText, KindTexts } from "../../kit/secrets.ts";
import { mapHttpTexts } from "../../wire/http/http-measurement.ts";
import type { ApiMeasurement } from "./measurement.ts";
import type { ApiRequest, KeyValue } from "./request.ts";
import { mapRunTexts } from "./script-runs.ts";

const changePair =
  (change: ChangeText) =>
  (pair: KeyValue): KeyValue => ({ ...pair, key: change(pair.key), value: change(pair.value) });

export const texts: KindTexts<ApiRequest, ApiMeasurement> = {
  mapRequest: (request, change) => ({
    ...request,
    url: change(request.url),
    body: change(request.body),
    headers: request.headers.map(changePair(change)),
    queryParameters: request.queryParameters.map(changePair(change)),
    assertions: request.assertions.map((assertion) => ({
      ...assertion,
      target: change(assertion.target),
    })),
    basicAuth: request.basicAuth && {
      username: change(request.basicAuth.username),
      password: change(request.basicAuth.password),
    },
  }),
  mapMeasurement: (measurement, change) => ({
    ...mapHttpTexts(measurement, change),
    body: { ...measurement.body, text: change(measurement.body.text) },
    results: measurement.results.map((result) => ({
      ...result,
      actual: changeValue(result.actual, change),
      message: change(result.message),
    })),
    ...(measurement.scripts && { scripts: mapRunTexts(measurement.scripts, change) }),
  }),
};

/**
 * Applies `change` to all texts, names and numbers in a value. The value has been clipped, which
 * bounds the recursion.
 */
function changeValue(value: unknown, change: ChangeText): unknown {
  if (typeof value === "string") return change(value);
  if (typeof value === "number") {
    const text = String(value);
    const changed = change(text);
    return changed === text ? value : changed;
  }
  if (Array.isArray(value)) return value.map((one) => changeValue(one, change));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([name, one]) => [change(name), changeValue(one, change)]));
}
