import { type Fields, getNumber, getText } from "../../parts/fields.ts";
import { countOf, describeAssertions, unnamed } from "../sentences.ts";

export const assertionSources = { LATENCY: "the latency", JSON_RESPONSE: "the result" };

export function describeIcmp(fields: Fields): string[] {
  const host = getText(fields, "request.hostname") || unnamed;
  const count = getNumber(fields, "request.pingCount") ?? 10;
  const degraded = getNumber(fields, "degradedPacketLossThreshold") ?? 10;
  const failing = getNumber(fields, "maxPacketLossThreshold") ?? 20;
  const family = getText(fields, "request.ipFamily") || "IPv4";
  const spacing = count === 1 ? "" : ", half a second apart";
  return [
    `Pings ${host} over ${family} with ${countOf(count, "packet")}${spacing}.`,
    `It fails at ${failing} % packet loss or more.`,
    ...(degraded < failing ? [`It is degraded at ${degraded} % packet loss or more.`] : []),
    ...describeAssertions(fields, assertionSources),
  ];
}
