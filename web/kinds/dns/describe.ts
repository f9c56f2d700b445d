import { getList, getText } from "../../parts/fields.ts";
import type { CheckValues } from "../form-values.ts";
import {
  describeAssertions,
  describeTimeLimits,
  type SourceLabels,
  unnamed,
} from "../sentences.ts";

type Values = CheckValues<"DNS">;

export const assertionSources: SourceLabels<"DNS"> = {
  RESPONSE_TIME: "the response time",
  RESPONSE_CODE: "the response code",
  TEXT_ANSWER: "the answer",
  JSON_ANSWER: "the answer as JSON",
};

export function describeDns(values: Values, defaults: Values): string[] {
  const server = getText(values, "request.nameServer") || "the probe's default name server";
  const type = getText(values, "request.recordType") || getText(defaults, "request.recordType");
  const protocol = getText(values, "request.protocol") || getText(defaults, "request.protocol");
  const judgesCode = getList(values, "request.assertions").some(
    ({ source }) => source === "RESPONSE_CODE",
  );
  const query = getText(values, "request.query") || "the name";
  return [
    `Queries ${server} over ${protocol} for the ${type} records of ${query === "the name" ? unnamed : query}.`,
    ...(judgesCode ? [] : ["It fails if the response is an error such as NXDOMAIN."]),
    ...describeAssertions(values, assertionSources),
    ...describeTimeLimits(values),
  ];
}
