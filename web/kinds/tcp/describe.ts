import { type Fields, getText } from "../../parts/fields.ts";
import { describeAssertions, describeTimeLimits, unnamed } from "../sentences.ts";
import { tcpTarget } from "./target.ts";

export const assertionSources = {
  RESPONSE_TIME: "the response time",
  RESPONSE_DATA: "the response",
};

export function describeTcp(fields: Fields): string[] {
  const target = tcpTarget.target?.write(fields) || unnamed;
  const data = getText(fields, "request.data");
  const sends = data === "" ? "" : ", sends the text and reads the response";
  return [
    `Connects to ${target}${sends}.`,
    "It fails if the connection fails.",
    ...describeAssertions(fields, assertionSources),
    ...describeTimeLimits(fields),
  ];
}
