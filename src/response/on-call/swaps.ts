import { randomUUIDv7 } from "node:crypto";
import { Type } from "typebox";
import { type Caller, isAllowed, writeAuditEntry } from "../../access/accounts/index.ts";
import { type Database, inTransaction } from "../../platform/database.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { conflict, forbidden, invalid, notFound } from "../../platform/errors.ts";
import {
  answers,
  CreatedAt,
  DateTime,
  Described,
  Guid,
  Nothing,
} from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { deleteOldSwaps, insertSwap, listSwaps, type Swap, takeSwap } from "./override-store.ts";
import { addOverrides, assertMember, assertPeriod, createOverrideId, Reason } from "./overrides.ts";
import { loadPlans, mapPeople, type OnCallContext } from "./plans.ts";
import { joinTurns, renderShifts } from "./rendering.ts";
import type { Schedule, Span } from "./schedule.ts";
import { ScheduleParams } from "./schema.ts";
import { findSchedule, lockSchedule } from "./store.ts";

/** Maximum number of open swaps per schedule. */
const maxOpenSwaps = 100;
/** Maximum number of shifts that one swap exchanges. Each becomes an override. */
const maxSwappedShifts = 100;

type Proposal = Omit<Swap, "id" | "reason" | "createdAt">;
type Turn = Span & { readonly userId: string };

/**
 * Returns the shifts that a swap exchanges, with the person who works them afterwards: the shifts
 * that each of the two really has in the times of the swap, from now on. The shifts of everybody
 * else stay, because a swap needs no right to change the schedule.
 */
async function listSwappedTurns(
  db: Database,
  accountId: string,
  {
    schedule,
    swap,
    at,
  }: { readonly schedule: Schedule; readonly swap: Proposal; readonly at: Date },
): Promise<{ readonly given: readonly Turn[]; readonly taken: readonly Turn[] }> {
  const { requesterId, otherId } = swap;
  const findTurns = async (from: Date, to: Date, { of, by }: Record<"of" | "by", string>) => {
    const range = { fromMs: Math.max(from.getTime(), at.getTime()), toMs: to.getTime() };
    const [planned] = await loadPlans(db, accountId, { schedules: [schedule], range });
    const shifts = planned === undefined ? [] : joinTurns(renderShifts(planned.plan, range));
    const own = shifts.filter(({ userId }) => userId === of);
    return own.map(({ fromMs, toMs }) => ({ fromMs, toMs, userId: by }));
  };
  const { givesFrom, givesTo, takesFrom, takesTo } = swap;
  const given = await findTurns(givesFrom, givesTo, { of: requesterId, by: otherId });
  const taken = await findTurns(takesFrom, takesTo, { of: otherId, by: requesterId });
  if (given.length + taken.length > maxSwappedShifts) {
    throw conflict(`a swap exchanges at most ${maxSwappedShifts} shifts; choose shorter times`);
  }
  return { given, taken };
}

type NamedSwap = Swap & { readonly requesterName: string; readonly otherName: string };

async function nameSwaps(
  { db }: OnCallContext,
  accountId: string,
  swaps: readonly Swap[],
): Promise<NamedSwap[]> {
  const ids = swaps.flatMap(({ requesterId, otherId }) => [requesterId, otherId]);
  const people = await mapPeople(db, accountId, ids);
  return swaps.map((swap) => ({
    ...swap,
    requesterName: people.get(swap.requesterId)?.name ?? "",
    otherName: people.get(swap.otherId)?.name ?? "",
  }));
}

async function createSwap(
  context: OnCallContext,
  caller: Caller,
  { scheduleId, body }: { readonly scheduleId: string; readonly body: SwapBody },
): Promise<NamedSwap> {
  const { accountId, userId: requesterId } = caller;
  if (requesterId === null)
    throw conflict("a key without a user cannot swap turns; use the key of a user");
  const at = context.clock.now();
  const swap = fromWireSwap(body, { scheduleId, requesterId, at });
  if (swap.otherId === requesterId) throw invalid("withUserId", "must be another member");
  const keys = (of: string) => ({ from: `${of}.from`, to: `${of}.to` });
  assertPeriod({ from: swap.givesFrom, to: swap.givesTo }, at, keys("give"));
  assertPeriod({ from: swap.takesFrom, to: swap.takesTo }, at, keys("take"));
  await inTransaction(context.db, async (db) => {
    const schedule = await lockSchedule(db, accountId, scheduleId);
    if (schedule === null) throw notFound();
    const other = { userId: swap.otherId, key: "withUserId" };
    const { name: otherName } = await assertMember(db, accountId, other);
    const { given, taken } = await listSwappedTurns(db, accountId, { schedule, swap, at });
    if (given.length === 0) throw invalid("give", "must be a time when you are on call");
    if (taken.length === 0) throw invalid("take", `must be a time when ${otherName} is on call`);
    await deleteOldSwaps(db, accountId, at);
    if ((await listSwaps(db, accountId, { scheduleId, now: at })).length >= maxOpenSwaps) {
      throw conflict(`a schedule has at most ${maxOpenSwaps} open swaps; delete one first`);
    }
    await insertSwap(db, accountId, swap);
    const changes = { name: schedule.name, with: otherName };
    const note = { action: "on-call-swap.created", targetId: scheduleId, changes, at };
    await writeAuditEntry(db, caller, note);
  });
  const [named] = await nameSwaps(context, accountId, [swap]);
  if (named === undefined) throw new Error("A swap has no names.");
  return named;
}

async function listOwnSwaps(
  context: OnCallContext,
  { accountId }: Caller,
  scheduleId: string,
): Promise<NamedSwap[]> {
  const { db, clock } = context;
  if ((await findSchedule(db, accountId, scheduleId)) === null) throw notFound();
  const swaps = await listSwaps(db, accountId, { scheduleId, now: clock.now() });
  return nameSwaps(context, accountId, swaps);
}

interface SwapIds {
  readonly scheduleId: string;
  readonly swapId: string;
}

/** Accepts a swap and stores its overrides. Only the person who was asked may accept it. */
async function acceptSwap(context: OnCallContext, caller: Caller, ids: SwapIds): Promise<void> {
  const { accountId } = caller;
  const { scheduleId, swapId } = ids;
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const schedule = await lockSchedule(db, accountId, scheduleId);
    const swap = await takeSwap(db, accountId, { scheduleId, id: swapId });
    if (schedule === null || swap === null) throw notFound();
    if (caller.userId !== swap.otherId) throw forbidden();
    if (swap.givesTo <= at || swap.takesTo <= at) {
      throw conflict("one of the turns has ended; propose another swap");
    }
    const people = await mapPeople(db, accountId, [swap.requesterId]);
    if (people.get(swap.requesterId)?.leftAt !== null) {
      throw conflict("the person who proposed the swap has left the account; decline it");
    }
    const shared = { scheduleId, reason: swap.reason, author: caller.label, swapId, createdAt: at };
    const who = { ...shared, authorId: caller.userId };
    const { given, taken } = await listSwappedTurns(db, accountId, { schedule, swap, at });
    if (given.length === 0 || taken.length === 0) {
      throw conflict("one of you is no longer on call at these times; propose another swap");
    }
    const overrides = [...given, ...taken].map(({ userId, fromMs, toMs }) => ({
      ...{ id: createOverrideId(), ...who, userId },
      ...{ startsAt: new Date(fromMs), endsAt: new Date(toMs) },
    }));
    await addOverrides(db, accountId, { overrides, at });
    const changes = { name: schedule.name };
    const note = { action: "on-call-swap.accepted", targetId: scheduleId, changes, at };
    await writeAuditEntry(db, caller, note);
  });
}

/**
 * Deletes a swap. The caller must be one of its two people or have the right to change schedules.
 */
async function removeSwap(context: OnCallContext, caller: Caller, ids: SwapIds): Promise<void> {
  const { accountId, userId } = caller;
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const schedule = await lockSchedule(db, accountId, ids.scheduleId);
    const swap = await takeSwap(db, accountId, { scheduleId: ids.scheduleId, id: ids.swapId });
    if (schedule === null || swap === null) throw notFound();
    const isOwn = userId === swap.requesterId || userId === swap.otherId;
    if (!isOwn && !isAllowed("write", caller.role, false)) throw forbidden();
    const changes = { name: schedule.name };
    const note = { action: "on-call-swap.deleted", targetId: ids.scheduleId, changes, at };
    await writeAuditEntry(db, caller, note);
  });
}

const Period = Type.Object({
  from: Described(DateTime, "When it starts."),
  to: Described(DateTime, "When it ends."),
});

const SwapBody = Type.Object(
  {
    withUserId: Described(Guid, "The member to swap with."),
    give: Described(Period, "When they are on call in your place, for your shifts in this time."),
    take: Described(Period, "When you are on call in their place, for their shifts in this time."),
    reason: Reason,
  },
  { title: "OnCallSwapInput" },
);
type SwapBody = Type.Static<typeof SwapBody>;

const SwapSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    scheduleId: Described(Guid, "The schedule's id."),
    requesterId: Described(Guid, "The user who proposed it."),
    requesterName: Type.String({ description: "Their name.", examples: ["Anna"] }),
    withUserId: Described(Guid, "The user who can accept it."),
    withName: Type.String({ description: "Their name.", examples: ["Ben"] }),
    give: Described(Period, "When the other user is on call in place of the requester."),
    take: Described(Period, "When the requester is on call in place of the other user."),
    reason: Reason,
    created_at: CreatedAt,
  },
  { title: "OnCallSwap" },
);

function fromWireSwap(
  { withUserId, give, take, reason }: SwapBody,
  own: { readonly scheduleId: string; readonly requesterId: string; readonly at: Date },
): Swap {
  return {
    id: randomUUIDv7(),
    scheduleId: own.scheduleId,
    requesterId: own.requesterId,
    otherId: withUserId.toLowerCase(),
    givesFrom: new Date(give.from),
    givesTo: new Date(give.to),
    takesFrom: new Date(take.from),
    takesTo: new Date(take.to),
    reason,
    createdAt: own.at,
  };
}

function toWireSwap(swap: NamedSwap) {
  const { id, scheduleId, requesterId, requesterName, otherId, otherName, reason } = swap;
  return {
    ...{ id, scheduleId, requesterId, requesterName, withUserId: otherId, withName: otherName },
    give: { from: formatDateTime(swap.givesFrom), to: formatDateTime(swap.givesTo) },
    take: { from: formatDateTime(swap.takesFrom), to: formatDateTime(swap.takesTo) },
    reason,
    created_at: formatDateTime(swap.createdAt),
  };
}

const SwapParams = Type.Object({
  ...ScheduleParams.properties,
  swapId: Described(Guid, "The swap's id."),
});

const tags = ["On call"];
const path = "/v1/on-call/schedules/:scheduleId/swaps";

export function addSwapRoutes(server: HttpServer, context: OnCallContext): void {
  server.post(
    path,
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "createOnCallSwap",
        summary: "Propose to swap turns with another member",
        description:
          "It exchanges the shifts that each of the two has in the given times, at most 100; those " +
          "of others stay. It has no effect until the other member accepts it. A key without a " +
          "user causes 409.",
        params: ScheduleParams,
        body: SwapBody,
        response: answers({ 201: SwapSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params, body }, reply) => {
      const swap = await createSwap(context, caller, { scheduleId: params.scheduleId, body });
      return reply.code(201).send(toWireSwap(swap));
    },
  );
  server.get(
    path,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listOnCallSwaps",
        summary: "List the open swaps of a schedule",
        description: "Those that nobody has accepted, and whose turns have not ended.",
        params: ScheduleParams,
        response: answers({ 200: Type.Array(SwapSchema) }, "notFound"),
      },
    },
    async ({ caller, params }) =>
      (await listOwnSwaps(context, caller, params.scheduleId)).map(toWireSwap),
  );
  server.post(
    `${path}/:swapId/accept`,
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "acceptOnCallSwap",
        summary: "Accept a swap that another member proposed to you",
        description:
          "Creates an override for each exchanged shift. Only the member who was asked may accept " +
          "it. 409 if one of the two is no longer on call then.",
        params: SwapParams,
        response: answers({ 204: Nothing }, "notFound", "conflict"),
      },
    },
    async ({ caller, params }, reply) => {
      await acceptSwap(context, caller, params);
      return reply.code(204).send(null);
    },
  );
  server.delete(
    `${path}/:swapId`,
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "deleteOnCallSwap",
        summary: "Withdraw or decline a swap",
        description: "Both members may, and everyone who may change the schedule.",
        params: SwapParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeSwap(context, caller, params);
      return reply.code(204).send(null);
    },
  );
}
