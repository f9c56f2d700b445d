import { getFlag, getNumber, getText } from "../../parts/fields.ts";
import type { CheckValues } from "../form-values.ts";
import {
  countOf,
  describeAssertions,
  describeTimeLimits,
  type SourceLabels,
  unnamed,
} from "../sentences.ts";
import { sslTarget } from "./target.ts";

type Values = CheckValues<"SSL">;

export const assertionSources: SourceLabels<"SSL"> = {
  CERTIFICATE: "the certificate's",
  CONNECTION: "the connection's",
  RESPONSE_TIME: "the response time",
  JSON_RESPONSE: "the response as JSON",
  TEXT_RESPONSE: "the response as text",
};

export function describeSsl(values: Values, defaults: Values): string[] {
  const target = sslTarget.target?.write(values) || unnamed;
  const name = getText(values, "request.sslConfig.serverName");
  const daysPath = "request.sslConfig.alertDaysBeforeExpiry";
  const days = getNumber(values, daysPath) ?? getNumber(defaults, daysPath) ?? 0;
  const trust = getFlag(values, "request.sslConfig.skipChainValidation")
    ? "The certificate chain is not validated."
    : "It fails if the certificate is expired, is for another name or is not trusted.";
  return [
    `Checks the certificate of ${target}${name === "" ? "" : ` for the name ${name}`}.`,
    trust,
    `It is degraded if the certificate expires in less than ${countOf(days, "day")}.`,
    ...describeAssertions(values, assertionSources),
    ...describeTimeLimits(values),
  ];
}
