import { getText } from "../../parts/fields.ts";
import type { CheckValues } from "../form-values.ts";
import {
  describeAssertions,
  describeTimeLimits,
  type SourceLabels,
  unnamed,
} from "../sentences.ts";
import { tcpTarget } from "./target.ts";

export const assertionSources: SourceLabels<"TCP"> = {
  RESPONSE_TIME: "the response time",
  RESPONSE_DATA: "the response",
};

export function describeTcp(values: CheckValues<"TCP">): string[] {
  const target = tcpTarget.target?.write(values) || unnamed;
  const data = getText(values, "request.data");
  const sends = data === "" ? "" : ", sends the text and reads the response";
  return [
    `Connects to ${target}${sends}.`,
    "It fails if the connection fails.",
    ...describeAssertions(values, assertionSources),
    ...describeTimeLimits(values),
  ];
}
