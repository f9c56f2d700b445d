import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { answers, DateTime, Described } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { RunsContext } from "../context.ts";
import { comparePlaces } from "./actions.ts";

const Count = (description: string, example: number) =>
  Type.Integer({ description, examples: [example] });

const PlaceRecordList = Type.Array(
  Type.Object({
    region: Type.String({
      description: "The location's name in checks.",
      examples: ["eu-central-1"],
    }),
    checkCount: Count("How many checks have a result from there.", 40),
    sharedCount: Count("How many of these have one from another location, too.", 12),
    agreeingCount: Count(
      "How many of the shared ones half or more of the other locations see in the same way.",
      11,
    ),
    failingOnlyThereCount: Count(
      "How many of the shared ones fail there and at no other location.",
      1,
    ),
    lastResultAt: Described(DateTime, "When the newest of these runs was due."),
  }),
);

export function addPlaceRoutes(server: HttpServer, context: RunsContext): void {
  server.get(
    "/v1/location-records",
    {
      config: { access: "read" },
      schema: {
        tags: ["Locations"],
        operationId: "listLocationRecords",
        summary: "Compare what the locations see",
        description:
          "By the newest run of every check at every location: how many checks run there, and " +
          "whether other locations see the same. One that sees what no other does has a fault " +
          "of its own. Locations without a result are left out.",
        response: answers({ 200: PlaceRecordList }),
      },
    },
    async ({ caller }) =>
      (await comparePlaces(context, caller)).map((record) => ({
        ...record,
        lastResultAt: formatDateTime(record.lastResultAt),
      })),
  );
}
