import { type Fields, getList, getText } from "../../parts/fields.ts";
import { describeAssertions, describeTimeLimits, unnamed } from "../sentences.ts";

export const assertionSources = {
  RESPONSE_TIME: "the response time",
  RESPONSE_CODE: "the response code",
  TEXT_ANSWER: "the answer",
  JSON_ANSWER: "the answer as JSON",
};

export function describeDns(fields: Fields): string[] {
  const server = getText(fields, "request.nameServer") || "the probe's default name server";
  const type = getText(fields, "request.recordType") || "A";
  const protocol = getText(fields, "request.protocol") || "UDP";
  const judgesCode = getList(fields, "request.assertions").some(
    (assertion) => getText(assertion, "source") === "RESPONSE_CODE",
  );
  const query = getText(fields, "request.query") || "the name";
  return [
    `Queries ${server} over ${protocol} for the ${type} records of ${query === "the name" ? unnamed : query}.`,
    ...(judgesCode ? [] : ["It fails if the response is an error such as NXDOMAIN."]),
    ...describeAssertions(fields, assertionSources),
    ...describeTimeLimits(fields),
  ];
}
