import { randomUUIDv7 } from "node:crypto";
import { Type } from "typebox";
import { type Caller, isAllowed, writeAuditEntry } from "../../access/accounts/index.ts";
import { type CalendarEvent, renderEvents } from "../../pages/calendar.ts";
import { inTransaction, lockName } from "../../platform/database.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { conflict, notFound } from "../../platform/errors.ts";
import {
  answers,
  CreatedAt,
  DateTime,
  Described,
  Guid,
  Nothing,
  OrNull,
  publicAnswers,
} from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { createSecret, hashSecret } from "../../platform/secrets.ts";
import { deleteFeed, type Feed, findFeedByToken, insertFeed, listFeeds } from "./feed-store.ts";
import { dayMs } from "./local-time.ts";
import { type OnCallContext, type RenderedHistory, renderHistory } from "./plans.ts";
import { joinTurns } from "./rendering.ts";
import type { Span } from "./schedule.ts";
import { findSchedule, listEverySchedule } from "./store.ts";

/** Maximum number of feeds per account. */
const maxFeeds = 500;
const pastMs = 30 * dayMs;
const futureMs = 90 * dayMs;
const maxEvents = 5_000;

export interface FeedsContext extends OnCallContext {
  readonly publicUrl: () => string;
}

const path = "/v1/on-call/feeds";

async function createFeed(
  { db: pool, clock, publicUrl }: FeedsContext,
  caller: Caller,
  scheduleId: string | null,
): Promise<Feed & { readonly url: string }> {
  const { accountId, userId, label: author } = caller;
  if (scheduleId === null && userId === null) {
    throw conflict("a key without a user has no shifts; send a scheduleId");
  }
  const at = clock.now();
  const token = createSecret();
  const id = randomUUIDv7();
  return inTransaction(pool, async (db) => {
    const schedule = scheduleId === null ? null : await findSchedule(db, accountId, scheduleId);
    if (scheduleId !== null && schedule === null) throw notFound();
    await lockName(db, `on-call feeds ${accountId}`);
    if ((await listFeeds(db, accountId, null)).length >= maxFeeds) {
      throw conflict(`an account has at most ${maxFeeds} calendar feeds; revoke one first`);
    }
    const feed = { id, scheduleId, userId, author, createdAt: at };
    await insertFeed(db, accountId, { ...feed, tokenHash: hashSecret(token) });
    const scheduleName = schedule?.name ?? null;
    const changes = { name: scheduleName ?? author };
    await writeAuditEntry(db, caller, {
      action: "on-call-feed.created",
      targetId: id,
      changes,
      at,
    });
    const url = `${publicUrl().replace(/\/+$/, "")}/v1/on-call/calendars/${token}`;
    return { ...feed, accountId, scheduleName, lastUsedAt: null, url };
  });
}

/**
 * Returns the id of the user whose feeds the caller may list and revoke; `null` for an admin, who
 * may list and revoke all feeds.
 */
function findOwner({ role, userId, credentialId }: Caller): string | null {
  return isAllowed("admin", role, false) ? null : (userId ?? credentialId);
}

async function revokeFeed(context: FeedsContext, caller: Caller, id: string): Promise<void> {
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const isDeleted = await deleteFeed(db, caller.accountId, { id, userId: findOwner(caller) });
    if (!isDeleted) throw notFound();
    await writeAuditEntry(db, caller, { action: "on-call-feed.revoked", targetId: id, at });
  });
}

/**
 * Lists the shifts of a schedule as calendar events. The first shift may have started before the
 * range, at an unknown time, so its event id does not contain the start.
 */
function listEvents(
  { schedule, shifts, people }: RenderedHistory,
  {
    range,
    userId,
    url,
  }: { readonly range: Span; readonly userId: string | null; readonly url: string },
): CalendarEvent[] {
  return joinTurns(shifts).flatMap((shift) => {
    if (shift.userId === null || (userId !== null && shift.userId !== userId)) return [];
    const name = people.get(shift.userId)?.name ?? "";
    const start = shift.fromMs === range.fromMs ? "open" : shift.fromMs;
    return [
      {
        id: `${schedule.id}-${start}@on-call.vedette`,
        changedAt: schedule.updatedAt ?? schedule.createdAt,
        startsAt: new Date(shift.fromMs),
        endsAt: new Date(shift.toMs),
        name: userId === null ? `${name}: ${schedule.name}` : `On call: ${schedule.name}`,
        url,
      },
    ];
  });
}

/** Renders the calendar of the feed with the given token; `null` if there is no such feed. */
async function renderFeed(context: FeedsContext, token: string): Promise<string | null> {
  const { db, clock, publicUrl } = context;
  const tokenHash = hashSecret(token.replace(/\.ics$/, ""));
  const feed = await findFeedByToken(db, { tokenHash, at: clock.now() });
  if (feed === null) return null;
  const { accountId, scheduleId, userId } = feed;
  const own = scheduleId === null ? null : await findSchedule(db, accountId, scheduleId);
  const schedules = own === null ? await listEverySchedule(db, accountId) : [own];
  const todayMs = Math.floor(clock.nowMs() / dayMs) * dayMs;
  const range = { fromMs: todayMs - pastMs, toMs: todayMs + futureMs };
  const histories = await renderHistory(db, accountId, { schedules, range });
  const url = `${publicUrl().replace(/\/+$/, "")}/on-call`;
  const whose = { range, userId: scheduleId === null ? userId : null, url };
  return renderEvents({
    product: "On call",
    name: `On call: ${feed.scheduleName ?? feed.author}`,
    source: null,
    events: histories.flatMap((history) => listEvents(history, whose)).slice(0, maxEvents),
  });
}

const fields = {
  id: Described(Guid, "Its id."),
  scheduleId: Described(OrNull(Guid), "The schedule; `null` for the user's own shifts."),
  scheduleName: Described(OrNull(Type.String()), "Name of the schedule, if any.", "Primary"),
  author: Type.String({
    description: "Email address of the person, or name of the API key, that created it.",
    examples: ["anna@example.com"],
  }),
  created_at: CreatedAt,
  last_used_at: Described(OrNull(DateTime), "When a calendar last fetched it; `null` if never."),
};

const FeedSchema = Type.Object(fields, { title: "OnCallFeed" });
const CreatedFeedSchema = Type.Object(
  {
    ...fields,
    url: Type.String({
      description: "The address for a calendar, shown once. It contains the secret token.",
      examples: ["https://vedette.example.com/v1/on-call/calendars/q3…"],
    }),
  },
  { title: "CreatedOnCallFeed" },
);

function toWireFeed({ id, scheduleId, scheduleName, author, createdAt, lastUsedAt }: Feed) {
  return {
    ...{ id, scheduleId, scheduleName, author },
    created_at: formatDateTime(createdAt),
    last_used_at: lastUsedAt && formatDateTime(lastUsedAt),
  };
}

const tags = ["On call"];

export function addFeedRoutes(server: HttpServer, context: FeedsContext): void {
  server.post(
    path,
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "createOnCallFeed",
        summary: "Create a calendar feed",
        description:
          "Shifts from 30 days ago to 90 days ahead, as a calendar to subscribe to: of one " +
          "schedule, or your own of all schedules. The address works until it is revoked or you " +
          "leave the account.",
        body: Type.Object(
          {
            scheduleId: Type.Union([Guid, Type.Null()], {
              description: "The schedule; `null` for your own shifts of all schedules.",
              default: null,
            }),
          },
          { title: "OnCallFeedInput" },
        ),
        response: answers({ 201: CreatedFeedSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, body }, reply) => {
      const { url, ...feed } = await createFeed(context, caller, body.scheduleId);
      return reply.code(201).send({ ...toWireFeed(feed), url });
    },
  );
  server.get(
    path,
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "listOnCallFeeds",
        summary: "List calendar feeds",
        description: "Your own; for admins those of everyone.",
        response: answers({ 200: Type.Array(FeedSchema) }),
      },
    },
    async ({ caller }) => {
      const feeds = await listFeeds(context.db, caller.accountId, findOwner(caller));
      return feeds.map(toWireFeed);
    },
  );
  server.delete(
    `${path}/:feedId`,
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "deleteOnCallFeed",
        summary: "Revoke a calendar feed",
        description: "Its address stops working immediately.",
        params: Type.Object({ feedId: Described(Guid, "The feed's id.") }),
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await revokeFeed(context, caller, params.feedId);
      return reply.code(204).send(null);
    },
  );
  server.get(
    "/v1/on-call/calendars/:token",
    {
      config: { access: "public" },
      schema: {
        tags,
        operationId: "getOnCallCalendar",
        summary: "Get the calendar of a feed",
        description: "For calendar programs. Needs no key: the token authenticates the request.",
        produces: ["text/calendar"],
        params: Type.Object({
          token: Type.String({
            description: "The token of the feed's address; it may end with `.ics`.",
            examples: ["q3Zk"],
            minLength: 1,
            maxLength: 100,
          }),
        }),
        response: publicAnswers({ 200: Type.String() }, "invalidRequest", "notFound"),
      },
    },
    async ({ params }, reply) => {
      const text = await renderFeed(context, params.token);
      if (text === null) throw notFound();
      const headers = { "cache-control": "private, max-age=300" };
      return reply.type("text/calendar; charset=utf-8").headers(headers).send(text);
    },
  );
}
