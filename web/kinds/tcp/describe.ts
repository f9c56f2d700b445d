import { type Fields, getText } from "../fields.ts";
import { sayAssertions, sayTimeLimits, unnamed } from "../sentences.ts";
import { tcpTarget } from "./target.ts";

export const assertionSources = {
  RESPONSE_TIME: "the response time",
  RESPONSE_DATA: "the answer",
};

export function describeTcp(fields: Fields): string[] {
  const target = tcpTarget.target?.write(fields) || unnamed;
  const data = getText(fields, "request.data");
  const sends = data === "" ? "" : ", sends its text and reads the answer";
  return [
    `Connects to ${target}${sends}.`,
    "It fails when no connection is made.",
    ...sayAssertions(fields, assertionSources),
    ...sayTimeLimits(fields),
  ];
}
