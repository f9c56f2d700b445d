import { Type } from "typebox";
import { Described, Guid, OneOf, OrNull } from "../../../platform/http/schema.ts";
import type { StatusPageOverview } from "./actions.ts";

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const StatusPageOverviewSchema = Type.Object(
  {
    statusPageId: Described(Guid, "The status page's id."),
    address: Type.String({
      description: "Where the public finds it.",
      examples: ["https://status.example.com/"],
    }),
    state: Described(
      OrNull(OneOf(["passing", "degraded", "failing", "unknown"])),
      "The worst state of its services; null: it shows none.",
    ),
    sentence: Type.String({
      description: "The state of the whole page, as it says it.",
      examples: ["All systems operational"],
    }),
    isUnderMaintenance: Type.Boolean({ description: "Beside the state, which it never hides." }),
    serviceCount: count("How many services it shows."),
    openIncidentCount: count("How many open incidents affect its services, up to 100."),
    subscriberCount: count("How many subscribers have confirmed and are told."),
  },
  { title: "StatusPageOverview" },
);
export const StatusPageOverviewList = Type.Array(StatusPageOverviewSchema);

export function toWireOverview(overview: StatusPageOverview) {
  return { ...overview };
}
