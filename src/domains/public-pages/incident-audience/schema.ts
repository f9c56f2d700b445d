import { Type } from "typebox";
import { Described, Guid } from "../../../platform/http/schema.ts";
import type { PageAudience } from "./actions.ts";

/** As many as an incident may name. */
const maxServices = 100;

export const AudienceQuery = Type.Object({
  serviceId: Type.Array(Guid, {
    description: "The services of the incident; repeated for each.",
    minItems: 1,
    maxItems: maxServices,
  }),
});

const Count = Type.Integer();

export const AudienceSchema = Type.Object(
  {
    subscribers: Described(
      Count,
      "How many confirmed subscribers an update with `notifySubscribers` tells, if posted now.",
      42,
    ),
    pages: Type.Array(
      Type.Object({
        statusPageId: Described(Guid, "The page's id."),
        name: Type.String({ description: "The page's name.", examples: ["Acme status"] }),
        url: Type.String({
          description: "The page's full address; it ends with a slash.",
          examples: ["https://status.example.com/"],
        }),
        isPrivate: Type.Boolean({ description: "Whether it asks for a key." }),
        EMAIL: Described(Count, "Subscribers who are told by mail."),
        WEBHOOK: Described(Count, "Subscribers who are told by a webhook."),
        SLACK: Described(Count, "Subscribers who are told in Slack."),
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
