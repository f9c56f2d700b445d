import { getFlag, getList, getText } from "../../parts/fields.ts";
import type { CheckValues } from "../form-values.ts";
import {
  describeAssertions,
  describeTimeLimits,
  type SourceLabels,
  unnamed,
} from "../sentences.ts";

export const assertionSources: SourceLabels<"URL"> = { STATUS_CODE: "the status code" };

export function describeUrl(values: CheckValues<"URL">): string[] {
  const redirects = getFlag(values, "request.followRedirects")
    ? " and follows redirects"
    : " and does not follow redirects";
  const hasRules = getList(values, "request.assertions").length > 0;
  return [
    `Requests ${getText(values, "request.url") || unnamed}${redirects}.`,
    ...(hasRules
      ? describeAssertions(values, assertionSources)
      : ["It fails if the status code is 400 or above, or if there is no response."]),
    ...describeTimeLimits(values),
    ...(getFlag(values, "request.skipSSL") ? ["Certificate errors are ignored."] : []),
  ];
}
