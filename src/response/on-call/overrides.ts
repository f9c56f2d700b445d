import { Type } from "typebox";
import {
  type Caller,
  createOnce,
  IdempotencyHeaders,
  writeAuditEntry,
} from "../../access/accounts/index.ts";
import { type Database, inTransaction, lockName } from "../../platform/database.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { conflict, invalid, notFound } from "../../platform/errors.ts";
import {
  answers,
  CreatedAt,
  CursorPage,
  CursorQuery,
  DateTime,
  Described,
  Guid,
  Nothing,
  OrNull,
  parseBounds,
  toCursorPage,
} from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { createOrderedIds } from "../../platform/ordered-id.ts";
import { dayMs, maxTimeMs, minuteMs } from "./local-time.ts";
import {
  countOverrides,
  deleteOldOverrides,
  endOverrides,
  insertOverrides,
  listOverrides,
  lockOverrides,
  type StoredOverride,
} from "./override-store.ts";
import { mapPeople, type OnCallContext } from "./plans.ts";
import { ScheduleParams } from "./schema.ts";
import { findSchedule, lockSchedule, type Person } from "./store.ts";

/** Maximum number of current and future overrides per account. */
export const maxOpenOverrides = 5_000;
/** Maximum number of overrides per account, including those that ended in the last 400 days. */
const maxStoredOverrides = 20_000;
export const maxOverrideDays = 366;
/** How long overrides are stored after their end. */
const retainedMs = 400 * dayMs;

/**
 * Creates ids that increase even within a millisecond. The order of the ids decides which override
 * is the newest and therefore applies.
 */
export const createOverrideId = createOrderedIds();

interface OverrideInput {
  readonly userId: string | null;
  readonly from: Date;
  readonly to: Date;
  readonly reason: string | null;
}

export type NamedOverride = StoredOverride & { readonly name: string | null };

export function assertPeriod(
  { from, to }: Pick<OverrideInput, "from" | "to">,
  now: Date,
  keys: { readonly from: string; readonly to: string },
): void {
  const [fromMs, toMs] = [from.getTime(), to.getTime()];
  if (!(fromMs >= now.getTime() - maxOverrideDays * dayMs)) {
    throw invalid(keys.from, `must be at most ${maxOverrideDays} days ago`);
  }
  if (!(toMs > fromMs)) throw invalid(keys.to, "must be after from");
  if (toMs <= now.getTime()) throw invalid(keys.to, "must be in the future");
  if (toMs - fromMs > maxOverrideDays * dayMs || toMs > maxTimeMs) {
    throw invalid(keys.to, `must be at most ${maxOverrideDays} days after from`);
  }
}

export async function assertMember(
  db: Database,
  accountId: string,
  { userId, key }: { readonly userId: string; readonly key: string },
): Promise<Person> {
  const person = (await mapPeople(db, accountId, [userId])).get(userId);
  if (person === undefined || person.leftAt !== null) {
    throw invalid(key, "is not a member of this account; invite them first");
  }
  return person;
}

/**
 * Stores overrides. Throws if the account would then have too many. The caller must lock the
 * schedule.
 */
export async function addOverrides(
  db: Database,
  accountId: string,
  { overrides, at }: { readonly overrides: readonly StoredOverride[]; readonly at: Date },
): Promise<void> {
  await lockName(db, `on-call overrides ${accountId}`);
  const { open, stored } = await countOverrides(db, accountId, at);
  if (stored + overrides.length > maxStoredOverrides) {
    throw conflict(
      `an account has at most ${maxStoredOverrides} overrides, including those of the last 400 days`,
    );
  }
  if (open + overrides.length > maxOpenOverrides) {
    throw conflict(
      `an account has at most ${maxOpenOverrides} current and future overrides; delete some first`,
    );
  }
  await insertOverrides(db, accountId, overrides);
  const before = new Date(at.getTime() - retainedMs);
  for (const scheduleId of new Set(overrides.map((one) => one.scheduleId))) {
    await deleteOldOverrides(db, accountId, { scheduleId, before });
  }
}

async function addNames(
  db: Database,
  accountId: string,
  overrides: readonly StoredOverride[],
): Promise<NamedOverride[]> {
  const ids = overrides.flatMap(({ userId }) => (userId === null ? [] : [userId]));
  const people = await mapPeople(db, accountId, ids);
  return overrides.map((one) => ({ ...one, name: people.get(one.userId ?? "")?.name ?? null }));
}

async function createOverride(
  context: OnCallContext,
  caller: Caller,
  create: {
    readonly scheduleId: string;
    readonly body: OverrideBody;
    readonly idempotencyKey: string | undefined;
  },
): Promise<NamedOverride> {
  const { scheduleId, body, idempotencyKey: key } = create;
  const { accountId } = caller;
  const at = context.clock.now();
  const input = fromWireOverride(body, at);
  const id = createOverrideId();
  return inTransaction(context.db, async (db) => {
    const schedule = await lockSchedule(db, accountId, scheduleId);
    if (schedule === null) throw notFound();
    const action = "on-call-override.created";
    const once = { key, operation: action, body: [scheduleId, body], targetId: id, at };
    const { targetId } = await createOnce(db, caller, once, async () => {
      assertPeriod(input, at, { from: "from", to: body.to === undefined ? "minutes" : "to" });
      const { userId } = input;
      const person =
        userId === null ? null : await assertMember(db, accountId, { userId, key: "userId" });
      const { from: startsAt, to: endsAt, reason } = input;
      const who = { author: caller.label, authorId: caller.userId, swapId: null, createdAt: at };
      const override = { id, scheduleId, userId, startsAt, endsAt, reason, ...who };
      await addOverrides(db, accountId, { overrides: [override], at });
      const changes = { name: schedule.name, onCall: person?.name ?? null, reason };
      await writeAuditEntry(db, caller, { action, targetId: scheduleId, changes, at });
    });
    const [stored] = await lockOverrides(db, accountId, { scheduleId, id: targetId });
    if (stored === undefined) {
      throw conflict(
        "the object created with this Idempotency-Key has been deleted; send another key",
      );
    }
    const [named] = await addNames(db, accountId, [stored]);
    if (named === undefined) throw new Error("An override has no name.");
    return named;
  });
}

async function listOwnOverrides(
  { db, clock }: OnCallContext,
  { accountId }: Caller,
  query: {
    readonly scheduleId: string;
    readonly limit: number;
    readonly nextId?: string | undefined;
    readonly from?: Date;
    readonly to?: Date;
  },
): Promise<NamedOverride[]> {
  const { scheduleId, from = clock.now() } = query;
  if ((await findSchedule(db, accountId, scheduleId)) === null) throw notFound();
  return addNames(db, accountId, await listOverrides(db, accountId, { ...query, from }));
}

/** Ends an override that is in progress, or deletes an override that has not started. */
async function removeOverride(
  context: OnCallContext,
  caller: Caller,
  { scheduleId, overrideId: id }: { readonly scheduleId: string; readonly overrideId: string },
): Promise<void> {
  const { accountId } = caller;
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const schedule = await lockSchedule(db, accountId, scheduleId);
    const found = await lockOverrides(db, accountId, { scheduleId, id });
    if (schedule === null || found.length === 0) throw notFound();
    const open = found.filter(({ endsAt }) => endsAt > at);
    if (open.length === 0) throw conflict("the override has ended; it stays in the history");
    await endOverrides(db, accountId, { ids: open.map((one) => one.id), at });
    const changes = { name: schedule.name };
    const action = "on-call-override.deleted";
    await writeAuditEntry(db, caller, { action, targetId: scheduleId, changes, at });
  });
}

export const Reason = Type.Union([Type.String({ maxLength: 500 }), Type.Null()], {
  description: "Why; `null` if no reason was given.",
  examples: ["Dentist"],
  default: null,
});

const OverrideBody = Type.Object(
  {
    userId: Described(OrNull(Guid), "The member on call; `null` if nobody is."),
    from: Described(Type.Optional(DateTime), "Start; by default now."),
    to: Described(
      Type.Optional(DateTime),
      `End, at most ${maxOverrideDays} days after \`from\`. Required without \`minutes\`.`,
    ),
    minutes: Type.Optional(
      Type.Integer({
        description: "Length in minutes, in place of `to`.",
        examples: [120],
        minimum: 1,
        maximum: maxOverrideDays * 1_440,
      }),
    ),
    reason: Reason,
  },
  { title: "OnCallOverrideInput" },
);
type OverrideBody = Type.Static<typeof OverrideBody>;

const OverrideSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    scheduleId: Described(Guid, "The schedule's id."),
    userId: Described(OrNull(Guid), "The user on call; `null` if nobody is."),
    name: Described(OrNull(Type.String()), "Their name; `null` if nobody is on call.", "Ben"),
    from: Described(DateTime, "When it starts."),
    to: Described(DateTime, "When it ends."),
    reason: Reason,
    author: Type.String({
      description: "Email address of the person, or name of the API key, that created it.",
      examples: ["anna@example.com"],
    }),
    swapId: Described(OrNull(Guid), "The swap that it is a part of; `null` if none.", null),
    created_at: CreatedAt,
  },
  { title: "OnCallOverride" },
);

function fromWireOverride(body: OverrideBody, now: Date): OverrideInput {
  const { userId, from, to, minutes, reason } = body;
  if ((to === undefined) === (minutes === undefined)) {
    throw invalid("to", "is required without minutes, and not allowed with it");
  }
  const start = from === undefined ? now : new Date(from);
  const end = to === undefined ? start.getTime() + (minutes ?? 0) * minuteMs : Date.parse(to);
  return { userId: userId?.toLowerCase() ?? null, from: start, to: new Date(end), reason };
}

function toWireOverride(override: NamedOverride) {
  const { id, scheduleId, userId, name, startsAt, endsAt, reason, author, swapId } = override;
  return {
    ...{ id, scheduleId, userId, name, reason, author, swapId },
    from: formatDateTime(startsAt),
    to: formatDateTime(endsAt),
    created_at: formatDateTime(override.createdAt),
  };
}

const tags = ["On call"];
const path = "/v1/on-call/schedules/:scheduleId/overrides";

export function addOverrideRoutes(server: HttpServer, context: OnCallContext): void {
  server.post(
    path,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createOnCallOverride",
        summary: "Put somebody on call for a time",
        description:
          "An override wins over all layers, and a newer one over an older one. With `userId: " +
          "null`, nobody is on call. To take over for two hours, send your user id and `minutes: " +
          "120`.",
        headers: IdempotencyHeaders,
        params: ScheduleParams,
        body: OverrideBody,
        response: answers({ 201: OverrideSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, headers, params, body }, reply) => {
      const { scheduleId } = params;
      const create = { scheduleId, body, idempotencyKey: headers["idempotency-key"] };
      return reply.code(201).send(toWireOverride(await createOverride(context, caller, create)));
    },
  );
  server.get(
    path,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listOnCallOverrides",
        summary: "List the overrides of a schedule",
        description:
          "Oldest first; without `from`, those that have not ended. Overrides are retained for " +
          "400 days after their end.",
        params: ScheduleParams,
        querystring: Type.Object({
          ...CursorQuery,
          from: Described(Type.Optional(DateTime), "Only those that end later. Default: now."),
          to: Described(Type.Optional(DateTime), "Only those that start earlier."),
        }),
        response: answers({ 200: CursorPage(OverrideSchema) }, "notFound"),
      },
    },
    async ({ caller, params, query }) => {
      const bounds = parseBounds(query);
      const limit = query.limit + 1;
      const overrides = await listOwnOverrides(context, caller, { ...bounds, ...params, limit });
      return toCursorPage(overrides.map(toWireOverride), query.limit);
    },
  );
  server.delete(
    `${path}/:overrideId`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteOnCallOverride",
        summary: "End or delete an override",
        description:
          "An override in progress ends now, and one that has not started is deleted. Both " +
          "overrides of a swap end together. One that has ended causes 409.",
        params: Type.Object({
          ...ScheduleParams.properties,
          overrideId: Described(Guid, "The override's id."),
        }),
        response: answers({ 204: Nothing }, "notFound", "conflict"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeOverride(context, caller, params);
      return reply.code(204).send(null);
    },
  );
}
