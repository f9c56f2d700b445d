import { type Fields, getFlag, getList, getText } from "../../parts/fields.ts";
import { describeAssertions, describeTimeLimits, unnamed } from "../sentences.ts";

export const assertionSources = { STATUS_CODE: "the status code" };

export function describeUrl(fields: Fields): string[] {
  const redirects = getFlag(fields, "request.followRedirects")
    ? " and follows redirects"
    : " and does not follow redirects";
  const hasRules = getList(fields, "request.assertions").length > 0;
  return [
    `Requests ${getText(fields, "request.url") || unnamed}${redirects}.`,
    ...(hasRules
      ? describeAssertions(fields, assertionSources)
      : ["It fails if the status code is 400 or above, or if there is no response."]),
    ...describeTimeLimits(fields),
    ...(getFlag(fields, "request.skipSSL") ? ["Certificate errors are ignored."] : []),
  ];
}
