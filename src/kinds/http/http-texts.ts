import type { ChangeText } from "../texts.ts";
import type { HttpMeasurement } from "./http-measurement.ts";

/** The same answer, with each text changed that the server wrote or that repeats the request. */
export function mapHttpTexts<Measurement extends HttpMeasurement>(
  measurement: Measurement,
  change: ChangeText,
): Measurement {
  return {
    ...measurement,
    url: change(measurement.url),
    statusText: change(measurement.statusText),
    hops: measurement.hops.map((hop) => ({ ...hop, url: change(hop.url) })),
    headers: measurement.headers.map(([name, value]) => [change(name), change(value)]),
  };
}
