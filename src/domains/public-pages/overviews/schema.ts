import { Type } from "typebox";
import { Described, Guid, OneOf, OrNull } from "../../../platform/http/schema.ts";
import type { StatusPageOverview } from "./actions.ts";

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const StatusPageOverviewSchema = Type.Object(
  {
    statusPageId: Described(Guid, "The status page's id."),
    address: Type.String({
      description: "Public URL of the page.",
      examples: ["https://status.example.com/"],
    }),
    state: Described(
      OrNull(OneOf(["passing", "degraded", "failing", "unknown"])),
      "Worst state of its services; `null` if it shows none.",
    ),
    sentence: Type.String({
      description: "Headline of the page.",
      examples: ["All systems operational"],
    }),
    isUnderMaintenance: Type.Boolean({
      description: "Whether maintenance is in progress. Independent of the state.",
    }),
    serviceCount: count("Number of services on the page."),
    openIncidentCount: count("Number of open incidents that affect its services, at most 100."),
    subscriberCount: count("Number of confirmed subscribers."),
  },
  { title: "StatusPageOverview" },
);
export const StatusPageOverviewList = Type.Array(StatusPageOverviewSchema);

export function toWireOverview(overview: StatusPageOverview) {
  return { ...overview };
}
