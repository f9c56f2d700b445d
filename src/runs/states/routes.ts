import { Type } from "typebox";
import { renderBadge } from "../../pages/badge.ts";
import { formatDateTime } from "../../platform/dates.ts";
import {
  answers,
  CursorPage,
  DateTime,
  Described,
  Guid,
  Matching,
  OneOf,
  OrNull,
  parseBounds,
  publicAnswers,
  toCursorPage,
} from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { BadgeParams, BadgeQuery, getBadgeFacts, toBadge } from "./badges/badge.ts";
import type { StatesContext } from "./current-status.ts";
import { type ExplainedChange, listStateHistory } from "./state-changes/history.ts";
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

const HistoryParams = Type.Object({ checkId: Described(Guid, "The check's id.") });

const HistoryQuery = Type.Object({
  limit: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 20,
    description: "Maximum number of entries to return.",
  }),
  nextId: Type.Optional(
    Matching("^[1-9][0-9]{0,17}$", "must be `nextId` of the previous page", {
      description: "Cursor: `nextId` of the previous page.",
    }),
  ),
  from: Described(Type.Optional(DateTime), "Only changes at or after this time."),
  to: Described(Type.Optional(DateTime), "Only changes before this time."),
});

export const Status = OneOf(["passing", "degraded", "failing", "unknown"]);

const Reasons = Type.Array(
  Type.Object(
    { name: Type.String({ description: "The reason.", examples: ["all-within-limits"] }) },
    { additionalProperties: true },
  ),
);

const StateChangeSchema = Type.Object(
  {
    id: Type.String({ description: "Its id.", examples: ["4711"] }),
    from: Described(Status, "The previous status."),
    to: Described(Status, "The new status."),
    at: Described(DateTime, "Due time of the run that caused the change."),
    until: Described(OrNull(DateTime), "When the next change happened; `null` if none has."),
    resultId: Described(Guid, "The result of that run, which may no longer be stored."),
    explanation: Type.String({
      description: "Explanation in words; empty if no longer known.",
      examples: ["60 % of the packets were lost, at or above the limit of 20 %."],
    }),
    reasons: Described(
      OrNull(Reasons),
      "Reasons by name, with figures; `null` if no longer known.",
    ),
    decision: Described(
      OrNull(
        Type.Object({
          rule: Described(
            OneOf(["newest-run-decides", "worst-location-decides"]),
            "The rule that applied.",
          ),
          votes: Type.Array(
            Type.Object({
              location: Type.String({ description: "The location.", examples: ["eu-central-1"] }),
              verdict: Described(Status, "Verdict of the location."),
              resultId: Described(Guid, "The result's id."),
              at: Described(DateTime, "Due time of that run."),
            }),
            { description: "The last verdict of each location." },
          ),
        }),
      ),
      "Basis of the decision; `null` for changes stored before the field existed.",
    ),
  },
  { title: "StateChange" },
);
const StateChangePage = CursorPage(StateChangeSchema);

export function toWireChange(change: ExplainedChange) {
  const { id, from, to, at, until, resultId, explanation, reasons, decision } = change;
  return {
    id,
    from,
    to,
    at: formatDateTime(at),
    until: until && formatDateTime(until),
    resultId,
    explanation,
    reasons: reasons === null ? null : reasons.map((reason) => ({ ...reason })),
    decision: decision && {
      rule: decision.rule,
      votes: decision.votes.map(({ atMs, ...vote }) => ({
        ...vote,
        at: formatDateTime(new Date(atMs)),
      })),
    },
  };
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
