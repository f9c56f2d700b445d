import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { answers, DateTime, Described } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { StatesContext } from "../current-status.ts";
import { comparePlaces } from "../statuses/actions.ts";

const Count = (description: string, example: number) =>
  Type.Integer({ description, examples: [example] });

const PlaceRecordList = Type.Array(
  Type.Object({
    region: Type.String({
      description: "Name of the location in checks.",
      examples: ["eu-central-1"],
    }),
    checkCount: Count("Number of checks with a result from the location.", 40),
    sharedCount: Count("Number of these that also have a result from another location.", 12),
    agreeingCount: Count(
      "Number of shared checks with the same verdict at half or more of the other locations.",
      11,
    ),
    failingOnlyThereCount: Count("Number of shared checks that fail only at this location.", 1),
    lastResultAt: Described(DateTime, "When the newest of these runs was due."),
  }),
);

export function addPlaceRoutes(server: HttpServer, context: StatesContext): void {
  server.get(
    "/v1/location-records",
    {
      config: { access: "read" },
      schema: {
        tags: ["Locations"],
        operationId: "listLocationRecords",
        summary: "Compare the verdicts of locations",
        description:
          "Based on the newest run of every check at every location: the number of checks, and " +
          "whether other locations agree. A location that often disagrees probably has a local " +
          "problem. Locations without a result are omitted.",
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
