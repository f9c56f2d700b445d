import { Type } from "typebox";
import { renderBadge } from "../../pages/badge.ts";
import { formatDateTime } from "../../platform/dates.ts";
import {
  answers,
  DateTime,
  Described,
  parseBounds,
  publicAnswers,
  toCursorPage,
} from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { BadgeParams, BadgeQuery, getBadgeFacts, toBadge } from "./badges/badge.ts";
import type { StatesContext } from "./current-status.ts";
import { listStateHistory } from "./state-changes/history.ts";
import {
  HistoryParams,
  HistoryQuery,
  StateChangePage,
  toWireChange,
} from "./state-changes/schema.ts";
import { comparePlaces } from "./statuses/actions.ts";
import { addStatusRoutes } from "./statuses/routes.ts";

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

function addPlaceRoutes(server: HttpServer, context: StatesContext): void {
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

function addStateChangeRoutes(server: HttpServer, context: StatesContext): void {
  server.get(
    "/v1/check-state-changes/:checkId",
    {
      config: { access: "read" },
      schema: {
        tags: ["Statuses"],
        operationId: "listCheckStateChanges",
        summary: "List when a check's status changed and why, newest first",
        description:
          "Cursor pagination: pass `nextId` of a response to get the next page. Each change contains " +
          "the verdict of every location at that time and the reasons of the deciding run.",
        params: HistoryParams,
        querystring: HistoryQuery,
        response: answers({ 200: StateChangePage }, "notFound"),
      },
    },
    async ({ caller, params, query }) => {
      const { from = null, to = null } = parseBounds(query);
      const changes = await listStateHistory(context, caller, {
        checkId: params.checkId,
        from,
        to,
        limit: query.limit + 1,
        nextId: query.nextId ?? null,
      });
      return toCursorPage(changes.map(toWireChange), query.limit);
    },
  );
}

function addBadgeRoutes(server: HttpServer, context: StatesContext): void {
  server.get(
    "/v1/badges/checks/:checkId",
    {
      config: { access: "public" },
      schema: {
        tags: ["Badges"],
        operationId: "getCheckBadge",
        summary: "Get the status badge of a check",
        description: "Returns an SVG image. Needs no authentication, only the check's id.",
        produces: ["image/svg+xml"],
        params: BadgeParams,
        querystring: BadgeQuery,
        response: publicAnswers({ 200: Type.String() }, "invalidRequest", "notFound"),
      },
    },
    async ({ params, query }, reply) => {
      const facts = await getBadgeFacts(context, params.checkId);
      return reply
        .header("cache-control", "no-cache, max-age=30")
        .header("content-security-policy", "default-src 'none'")
        .type("image/svg+xml; charset=utf-8")
        .send(renderBadge(toBadge(facts, query)));
    },
  );
}

export function addStateRoutes(server: HttpServer, context: StatesContext): void {
  addStatusRoutes(server, context);
  addStateChangeRoutes(server, context);
  addBadgeRoutes(server, context);
  addPlaceRoutes(server, context);
}
