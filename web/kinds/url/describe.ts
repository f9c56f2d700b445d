import { type Fields, getFlag, getList, getText } from "../fields.ts";
import { sayAssertions, sayTimeLimits, unnamed } from "../sentences.ts";

export const assertionSources = { STATUS_CODE: "the status" };

export function describeUrl(fields: Fields): string[] {
  const redirects = getFlag(fields, "request.followRedirects")
    ? " and follows redirects"
    : " and follows no redirect";
  const hasRules = getList(fields, "request.assertions").length > 0;
  return [
    `Asks for ${getText(fields, "request.url") || unnamed}${redirects}.`,
    ...(hasRules
      ? sayAssertions(fields, assertionSources)
      : ["It fails when the status is 400 or above, or when nothing answers."]),
    ...sayTimeLimits(fields),
    ...(getFlag(fields, "request.skipSSL")
      ? ["A certificate that is not trusted does not matter."]
      : []),
  ];
}
