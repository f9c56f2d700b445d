import { Type } from "typebox";
import { IdempotencyHeaders } from "../../access/accounts/index.ts";
import {
  answers,
  CursorPage,
  CursorQuery,
  DateTime,
  Described,
  Guid,
  Nothing,
  parseBounds,
  toCursorPage,
} from "../../platform/http/schema.ts";
import { IfMatchHeaders, sendTagged } from "../../platform/http/send.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { addAbsenceRoutes } from "./absences.ts";
import {
  changeSchedule,
  createSchedule,
  getSchedule,
  listNow,
  listOwnSchedules,
  listShifts,
  maxShiftDays,
  previewSchedule,
  removeSchedule,
} from "./actions.ts";
import { addFeedRoutes, type FeedsContext } from "./feeds.ts";
import { addOverrideRoutes } from "./overrides.ts";
import type { OnCallContext } from "./plans.ts";
import {
  fromWireSchedule,
  NowSchema,
  ScheduleBody,
  ScheduleParams,
  ScheduleSchema,
  ShiftsSchema,
  tagSchedule,
  toWireNow,
  toWireSchedule,
  toWireShifts,
} from "./schema.ts";
import { addSwapRoutes } from "./swaps.ts";

const tags = ["On call"];
const path = "/v1/on-call/schedules";

const Range = {
  from: Described(Type.Optional(DateTime), "Start of the range. Default: now."),
  to: Described(
    Type.Optional(DateTime),
    `End of the range, at most ${maxShiftDays} days after from. Default: 14 days after from.`,
  ),
};

export function addOnCallRoutes(server: HttpServer, context: FeedsContext): void {
  addScheduleRoutes(server, context);
  addRenderingRoutes(server, context);
  addOverrideRoutes(server, context);
  addSwapRoutes(server, context);
  addFeedRoutes(server, context);
  addAbsenceRoutes(server, context);
}

function addScheduleRoutes(server: HttpServer, context: OnCallContext): void {
  server.post(
    path,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createOnCallSchedule",
        summary: "Create an on-call schedule",
        description:
          "A schedule has layers of rotating participants. Preview it first to see who is on call " +
          "when.",
        headers: IdempotencyHeaders,
        body: ScheduleBody,
        answerHeaders: ["ETag"],
        response: answers({ 201: ScheduleSchema }, "conflict"),
      },
    },
    async ({ caller, headers, body }, reply) => {
      const create = { input: fromWireSchedule(body), idempotencyKey: headers["idempotency-key"] };
      const shown = await createSchedule(context, caller, create);
      return reply.code(201).send(sendTagged(reply, tagSchedule(shown), toWireSchedule(shown)));
    },
  );
  server.get(
    path,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listOnCallSchedules",
        summary: "List on-call schedules",
        description: "Paginated: pass `nextId` of the response to fetch the next page.",
        querystring: Type.Object(CursorQuery),
        response: answers({ 200: CursorPage(ScheduleSchema) }),
      },
    },
    async ({ caller, query }) => {
      const page = { ...query, limit: query.limit + 1 };
      const shown = await listOwnSchedules(context, caller, page);
      return toCursorPage(shown.map(toWireSchedule), query.limit);
    },
  );
  server.get(
    `${path}/:scheduleId`,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getOnCallSchedule",
        summary: "Get an on-call schedule",
        description: "Starts and ends of layers are local times of the schedule's time zone.",
        params: ScheduleParams,
        answerHeaders: ["ETag"],
        response: answers({ 200: ScheduleSchema }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      const shown = await getSchedule(context, caller, params.scheduleId);
      return sendTagged(reply, tagSchedule(shown), toWireSchedule(shown));
    },
  );
  server.put(
    `${path}/:scheduleId`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateOnCallSchedule",
        summary: "Replace an on-call schedule",
        description:
          "Omitted fields are set to their defaults. Past shifts are shown by the new settings " +
          "too. With `If-Match`, a change made since then causes 412.",
        headers: IfMatchHeaders,
        params: ScheduleParams,
        body: ScheduleBody,
        answerHeaders: ["ETag"],
        response: answers({ 200: ScheduleSchema }, "notFound", "conflict", "preconditionFailed"),
      },
    },
    async ({ caller, headers, params, body }, reply) => {
      const input = fromWireSchedule(body);
      const change = { id: params.scheduleId, input, ifMatch: headers["if-match"] };
      const shown = await changeSchedule(context, caller, change);
      return sendTagged(reply, tagSchedule(shown), toWireSchedule(shown));
    },
  );
  server.delete(
    `${path}/:scheduleId`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteOnCallSchedule",
        summary: "Delete an on-call schedule",
        description: "Its overrides and open swaps are deleted too.",
        params: ScheduleParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeSchedule(context, caller, params.scheduleId);
      return reply.code(204).send(null);
    },
  );
}

function addRenderingRoutes(server: HttpServer, context: OnCallContext): void {
  server.get(
    `${path}/:scheduleId/shifts`,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listOnCallShifts",
        summary: "List who is on call during a range",
        description: "The final shifts, each layer alone, and the gaps.",
        params: ScheduleParams,
        querystring: Type.Object(Range),
        response: answers({ 200: ShiftsSchema }, "notFound"),
      },
    },
    async ({ caller, params, query }) => {
      const request = { ...parseBounds(query), id: params.scheduleId };
      return toWireShifts(await listShifts(context, caller, request));
    },
  );
  server.post(
    `${path}/preview`,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "previewOnCallSchedule",
        summary: "Preview a schedule without saving it",
        description:
          "Returns the shifts of a range. Invalid input is rejected as when the schedule is saved.",
        querystring: Type.Object({
          ...Range,
          scheduleId: Described(
            Type.Optional(Guid),
            "The schedule that the settings are for, whose overrides are included.",
          ),
        }),
        body: ScheduleBody,
        response: answers({ 200: ShiftsSchema }, "notFound"),
      },
    },
    async ({ caller, query, body }) => {
      const { scheduleId, ...bounds } = parseBounds(query);
      const preview = { ...bounds, scheduleId, input: fromWireSchedule(body) };
      return toWireShifts(await previewSchedule(context, caller, preview));
    },
  );
  server.get(
    "/v1/on-call/now",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getOnCallNow",
        summary: "Get who is on call now",
        description:
          "For every schedule, ordered by name: who is on call, until when, who is next, and when " +
          "nobody will be.",
        response: answers({ 200: Type.Array(NowSchema) }),
      },
    },
    async ({ caller }) => {
      const nowMs = context.clock.nowMs();
      const all = await listNow(context, caller.accountId);
      return all.map((one) => toWireNow(one, nowMs));
    },
  );
}
