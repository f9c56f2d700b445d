import { Type } from "typebox";
import type { ScrapeOptions } from "./check-series.ts";

const flag = (description: string) =>
  Type.Optional(Type.Boolean({ description, default: false, examples: [true] }));

export const ScrapeQuery = Type.Object({
  locationLabelEnabled: flag(
    "Whether to export one series per location, with the label `location`.",
  ),
  includeRetryAttempts: flag(
    "Whether to count retried attempts as failing results in `vedette_check_result_total`.",
  ),
  disableTagParsing: flag(
    "Whether to put all tags into the label `tags`; otherwise a tag `team:edge` becomes the label `team`.",
  ),
});

export const ScrapePathParams = Type.Object({
  accountId: Type.String({
    description: "The account.",
    format: "uuid",
    examples: ["5b0f9f3c-5a3e-4f0b-9d0e-3d1c6a1f2b3c"],
  }),
});

export function toScrapeOptions(query: Type.Static<typeof ScrapeQuery>): ScrapeOptions {
  return {
    hasLocations: query.locationLabelEnabled ?? false,
    countsRetries: query.includeRetryAttempts ?? false,
    parsesTags: !(query.disableTagParsing ?? false),
  };
}
