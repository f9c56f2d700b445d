import type { ChangeText } from "../texts.ts";
import { mapTlsTexts } from "../tls/tls-texts.ts";
import type { HttpMeasurement } from "./http-measurement.ts";

/** Applies `change` to each text that came from the server or repeats the request. */
export function mapHttpTexts<Measurement extends HttpMeasurement>(
  measurement: Measurement,
  change: ChangeText,
): Measurement {
  return {
    ...measurement,
    url: change(measurement.url),
    statusText: change(measurement.statusText),
    resolvedIp: change(measurement.resolvedIp),
    hops: measurement.hops.map((hop) => ({
      ...hop,
      url: change(hop.url),
      resolvedIp: change(hop.resolvedIp),
    })),
    tls: measurement.tls && mapTlsTexts(measurement.tls, change),
    headers: measurement.headers.map(([name, value]) => [change(name), change(value)]),
  };
}
