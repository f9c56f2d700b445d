import { type Fields, getFlag, getNumber, getText } from "../fields.ts";
import { countOf, sayAssertions, sayTimeLimits, unnamed } from "../sentences.ts";
import { sslTarget } from "./target.ts";

export const assertionSources = {
  CERTIFICATE: "the certificate's",
  CONNECTION: "the connection's",
  RESPONSE_TIME: "the response time",
  JSON_RESPONSE: "the response as JSON",
  TEXT_RESPONSE: "the response as text",
};

export function describeSsl(fields: Fields): string[] {
  const target = sslTarget.target?.write(fields) || unnamed;
  const name = getText(fields, "request.sslConfig.serverName");
  const days = getNumber(fields, "request.sslConfig.alertDaysBeforeExpiry") ?? 20;
  const trust = getFlag(fields, "request.sslConfig.skipChainValidation")
    ? "Who signed the certificate does not matter."
    : "It fails when the certificate is expired, is for another name or is not trusted.";
  return [
    `Looks at the certificate of ${target}${name === "" ? "" : ` for the name ${name}`}.`,
    trust,
    `It is degraded when fewer than ${countOf(days, "day")} are left.`,
    ...sayAssertions(fields, assertionSources),
    ...sayTimeLimits(fields),
  ];
}
