import { Type } from "typebox";
import { Described, Guid } from "../../../platform/http/schema.ts";
import type { PageAudience } from "./actions.ts";

/** Maximum number of services per incident. */
const maxServices = 100;

export const AudienceQuery = Type.Object({
  serviceId: Type.Array(Guid, {
    description: "Ids of the affected services; repeat the parameter for each.",
    minItems: 1,
    maxItems: maxServices,
  }),
});

const Count = Type.Integer();

export const AudienceSchema = Type.Object(
  {
    subscribers: Described(
      Count,
      "Number of confirmed subscribers that an update with `notifySubscribers` would notify now.",
      42,
    ),
    pages: Type.Array(
      Type.Object({
        statusPageId: Described(Guid, "The page's id."),
        name: Type.String({ description: "The page's name.", examples: ["Acme status"] }),
        url: Type.String({
          description: "Full URL of the page; it ends with a slash.",
          examples: ["https://status.example.com/"],
        }),
        isPrivate: Type.Boolean({ description: "Whether a key is needed to view the page." }),
        EMAIL: Described(Count, "Number of subscribers notified by mail."),
        WEBHOOK: Described(Count, "Number of subscribers notified by webhook."),
        SLACK: Described(Count, "Number of subscribers notified in Slack."),
      }),
      { description: "The pages that show one of the services." },
    ),
  },
  { title: "IncidentAudience" },
);

export function toWireAudience(pages: readonly PageAudience[]) {
  const entries = pages.map(({ page, pageUrl, subscribers }) => ({
    statusPageId: page.id,
    name: page.name,
    url: pageUrl,
    isPrivate: page.isPrivate,
    ...subscribers,
  }));
  const total = entries.reduce((sum, page) => sum + page.EMAIL + page.WEBHOOK + page.SLACK, 0);
  return { subscribers: total, pages: entries };
}
