import { type Fields, getFlag, getNumber, getText } from "../../parts/fields.ts";
import { countOf, describeAssertions, describeTimeLimits, unnamed } from "../sentences.ts";
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
    ? "The certificate chain is not validated."
    : "It fails if the certificate is expired, is for another name or is not trusted.";
  return [
    `Checks the certificate of ${target}${name === "" ? "" : ` for the name ${name}`}.`,
    trust,
    `It is degraded if the certificate expires in less than ${countOf(days, "day")}.`,
    ...describeAssertions(fields, assertionSources),
    ...describeTimeLimits(fields),
  ];
}
