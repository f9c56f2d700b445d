import { getNumber, getText, type PathTo } from "../../parts/fields.ts";
import type { CheckValues } from "../form-values.ts";
import { countOf, describeAssertions, type SourceLabels, unnamed } from "../sentences.ts";

type Values = CheckValues<"ICMP">;

export const assertionSources: SourceLabels<"ICMP"> = {
  LATENCY: "the latency",
  JSON_RESPONSE: "the result",
};

export function describeIcmp(values: Values, defaults: Values): string[] {
  const numberAt = (path: PathTo<Values, number>) =>
    getNumber(values, path) ?? getNumber(defaults, path) ?? 0;
  const host = getText(values, "request.hostname") || unnamed;
  const count = numberAt("request.pingCount");
  const degraded = numberAt("degradedPacketLossThreshold");
  const failing = numberAt("maxPacketLossThreshold");
  const family = getText(values, "request.ipFamily") || getText(defaults, "request.ipFamily");
  const spacing = count === 1 ? "" : ", half a second apart";
  return [
    `Pings ${host} over ${family} with ${countOf(count, "packet")}${spacing}.`,
    `It fails at ${failing} % packet loss or more.`,
    ...(degraded < failing ? [`It is degraded at ${degraded} % packet loss or more.`] : []),
    ...describeAssertions(values, assertionSources),
  ];
}
