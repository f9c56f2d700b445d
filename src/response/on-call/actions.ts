import { randomUUIDv7 } from "node:crypto";
import { type Caller, createOnce, writeAuditEntry } from "../../access/accounts/index.ts";
import { type Database, inTransaction, lockName } from "../../platform/database.ts";
import { conflict, invalid, notFound } from "../../platform/errors.ts";
import { assertMatch } from "../../platform/http/send.ts";
import { isTimeZone } from "../../platform/text/time.ts";
import { dayMs, maxTimeMs, minTimeMs } from "./local-time.ts";
import {
  decideNow,
  horizonMs,
  loadPlans,
  mapPeople,
  type OnCallContext,
  renderHistory,
} from "./plans.ts";
import { joinTurns, listGaps, renderLayer, renderShifts } from "./rendering.ts";
import {
  findLayersFault,
  listParticipants,
  maxSchedules,
  onCallAt,
  type Schedule,
  type ScheduleInput,
  type Span,
} from "./schedule.ts";
import {
  type RenderedShifts,
  type ScheduleNow,
  type ScheduleWithPeople,
  tagSchedule,
} from "./schema.ts";
import {
  countSchedules,
  deleteSchedule,
  findSchedule,
  insertSchedule,
  isNameTaken,
  listEverySchedule,
  listSchedules,
  lockSchedule,
  updateSchedule,
} from "./store.ts";

export const maxShiftDays = 62;
const defaultShiftDays = 14;

const nameTaken = (name: string) =>
  conflict(`a schedule named "${name}" already exists; choose another name`);

export function assertSoundFields({ timeZone, layers }: ScheduleInput): void {
  if (!isTimeZone(timeZone)) {
    throw invalid("timezone", "must be an IANA time zone such as Europe/Berlin");
  }
  const fault = findLayersFault(layers);
  if (fault !== null) throw invalid(fault.key, fault.rule);
}

/**
 * Rejects invalid schedules and participants who are not members. A former member is accepted if
 * the stored schedule already names that person.
 */
async function assertSound(
  db: Database,
  accountId: string,
  { now, before }: { readonly now: ScheduleInput; readonly before: Schedule | null },
): Promise<void> {
  assertSoundFields(now);
  const people = await mapPeople(db, accountId, listParticipants(now.layers));
  const known = new Set(listParticipants(before?.layers ?? []));
  for (const [index, { participants }] of now.layers.entries()) {
    const unknown = participants.findIndex(
      (id) => people.get(id)?.leftAt !== null && !known.has(id),
    );
    if (unknown >= 0) {
      throw invalid(
        `layers.${index}.participants.${unknown}`,
        "is not a member of this account; invite them first",
      );
    }
  }
}

async function withPeople(
  db: Database,
  accountId: string,
  schedule: Schedule,
): Promise<ScheduleWithPeople> {
  return {
    schedule,
    people: await mapPeople(db, accountId, listParticipants(schedule.layers)),
  };
}

export async function createSchedule(
  context: OnCallContext,
  caller: Caller,
  create: { readonly input: ScheduleInput; readonly idempotencyKey: string | undefined },
): Promise<ScheduleWithPeople> {
  const { input, idempotencyKey: key } = create;
  const { accountId } = caller;
  const at = context.clock.now();
  const id = randomUUIDv7();
  return inTransaction(context.db, async (db) => {
    const action = "on-call-schedule.created";
    const once = { key, operation: action, body: input, targetId: id, at };
    const { targetId } = await createOnce(db, caller, once, async () => {
      await assertSound(db, accountId, { now: input, before: null });
      await lockName(db, `on-call schedules ${accountId}`);
      const count = await countSchedules(db, accountId);
      if (count >= maxSchedules) {
        throw conflict(`an account has at most ${maxSchedules} schedules; delete one first`);
      }
      const isNew = await insertSchedule(db, accountId, { ...input, id, createdAt: at });
      if (!isNew) throw nameTaken(input.name);
      const changes = { name: input.name };
      await writeAuditEntry(db, caller, { action, targetId: id, changes, at });
    });
    const schedule = await findSchedule(db, accountId, targetId);
    if (schedule === null) {
      throw conflict(
        "the object created with this Idempotency-Key has been deleted; send another key",
      );
    }
    return withPeople(db, accountId, schedule);
  });
}

export async function getSchedule(
  { db }: OnCallContext,
  { accountId }: Caller,
  id: string,
): Promise<ScheduleWithPeople> {
  const schedule = await findSchedule(db, accountId, id);
  if (schedule === null) throw notFound();
  return withPeople(db, accountId, schedule);
}

export async function listOwnSchedules(
  { db }: OnCallContext,
  { accountId }: Caller,
  query: { readonly limit: number; readonly nextId?: string | undefined },
): Promise<ScheduleWithPeople[]> {
  const schedules = await listSchedules(db, accountId, query);
  const ids = schedules.flatMap(({ layers }) => listParticipants(layers));
  const people = await mapPeople(db, accountId, ids);
  return schedules.map((schedule) => ({ schedule, people }));
}

export async function changeSchedule(
  context: OnCallContext,
  caller: Caller,
  change: {
    readonly id: string;
    readonly input: ScheduleInput;
    readonly ifMatch: string | undefined;
  },
): Promise<ScheduleWithPeople> {
  const { id, input, ifMatch } = change;
  const { accountId } = caller;
  return inTransaction(context.db, async (db) => {
    await lockName(db, `on-call schedules ${accountId}`);
    const before = await lockSchedule(db, accountId, id);
    // Read after the locks, so that changes that wait for each other have increasing times.
    const at = context.clock.now();
    if (before === null) throw notFound();
    assertMatch(ifMatch, tagSchedule(await withPeople(db, accountId, before)));
    await assertSound(db, accountId, { now: input, before });
    if (await isNameTaken(db, accountId, { name: input.name, exceptId: id })) {
      throw nameTaken(input.name);
    }
    const { createdAt } = before;
    const after: Schedule = { ...input, id, createdAt, updatedAt: at };
    await updateSchedule(db, accountId, after);
    const changes = { name: after.name, before: before.name };
    const note = { action: "on-call-schedule.updated", targetId: id, changes, at };
    await writeAuditEntry(db, caller, note);
    return withPeople(db, accountId, after);
  });
}

export async function removeSchedule(
  context: OnCallContext,
  caller: Caller,
  id: string,
): Promise<void> {
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const schedule = await lockSchedule(db, caller.accountId, id);
    if (schedule === null) throw notFound();
    await deleteSchedule(db, caller.accountId, id);
    const changes = { name: schedule.name };
    const note = { action: "on-call-schedule.deleted", targetId: id, changes, at };
    await writeAuditEntry(db, caller, note);
  });
}

interface RangeQuery {
  readonly from?: Date;
  readonly to?: Date;
}

function readRange({ clock }: OnCallContext, query: RangeQuery): Span {
  const fromMs = query.from?.getTime() ?? clock.nowMs();
  const toMs = query.to?.getTime() ?? fromMs + defaultShiftDays * dayMs;
  if (fromMs < minTimeMs || fromMs >= maxTimeMs - maxShiftDays * dayMs) {
    throw invalid("from", "must be between the years 2000 and 2199", "querystring");
  }
  if (toMs <= fromMs) throw invalid("to", "must be after from", "querystring");
  if (toMs - fromMs > maxShiftDays * dayMs) {
    throw invalid("to", `must be at most ${maxShiftDays} days after from`, "querystring");
  }
  return { fromMs, toMs };
}

type Drawn = ScheduleInput & { readonly id: string | null };

async function drawShifts(
  db: Database,
  accountId: string,
  { schedule, range }: { readonly schedule: Drawn; readonly range: Span },
): Promise<RenderedShifts> {
  const [planned] = await loadPlans(db, accountId, { schedules: [schedule], range });
  if (planned === undefined) throw new Error("A schedule has no plan.");
  const { plan } = planned;
  const shifts = renderShifts(plan, range);
  const byLayer = plan.layers.map((_layer, index) => renderLayer(plan, index, range));
  return { ...range, planned, shifts, byLayer, gaps: listGaps(shifts) };
}

export async function listShifts(
  context: OnCallContext,
  { accountId }: Caller,
  { id, ...query }: RangeQuery & { readonly id: string },
): Promise<RenderedShifts> {
  const range = readRange(context, query);
  const schedule = await findSchedule(context.db, accountId, id);
  if (schedule === null) throw notFound();
  const drawn = await drawShifts(context.db, accountId, { schedule, range });
  if (range.fromMs >= context.clock.nowMs()) return drawn;
  const [past] = await renderHistory(context.db, accountId, { schedules: [schedule], range });
  if (past === undefined) throw new Error("A schedule has no history.");
  const { planned } = drawn;
  const people = new Map([...planned.people, ...past.people]);
  const { shifts } = past;
  return { ...drawn, planned: { ...planned, people }, shifts, gaps: listGaps(shifts) };
}

/** Renders schedule settings that are not saved. The overrides are those of the saved schedule. */
export async function previewSchedule(
  context: OnCallContext,
  { accountId }: Caller,
  preview: RangeQuery & { readonly input: ScheduleInput; readonly scheduleId: string | undefined },
): Promise<RenderedShifts> {
  const { input, scheduleId, ...query } = preview;
  const { db } = context;
  const range = readRange(context, query);
  const before = scheduleId === undefined ? null : await findSchedule(db, accountId, scheduleId);
  if (scheduleId !== undefined && before === null) throw notFound();
  await assertSound(db, accountId, { now: input, before });
  return drawShifts(db, accountId, { schedule: { ...input, id: before?.id ?? null }, range });
}

/** Returns who is on call now for every schedule of an account, ordered by schedule name. */
export async function listNow(
  { db, clock }: OnCallContext,
  accountId: string,
): Promise<ScheduleNow[]> {
  const nowMs = clock.nowMs();
  const schedules = await listEverySchedule(db, accountId);
  const range = { fromMs: nowMs, toMs: nowMs + horizonMs };
  const plans = await loadPlans(db, accountId, { schedules, range });
  return plans.map((planned) => ({ planned, ...decideNow(planned.plan, nowMs) }));
}

/** Who is on call for one schedule at a given time, and the shifts of the requested range. */
export interface ScheduleOnCall {
  readonly scheduleId: string;
  readonly scheduleName: string;
  readonly timeZone: string;
  readonly person: NamedPerson | null;
  /** Time of the next handoff; `null` if there is none in the following 31 days. */
  readonly untilMs: number | null;
  readonly next: (NamedPerson & { readonly fromMs: number }) | null;
  /** Shifts in order; `person` is `null` in a gap. Empty if the request has no end. */
  readonly shifts: readonly (Span & { readonly person: NamedPerson | null })[];
}

interface NamedPerson {
  readonly userId: string;
  readonly name: string;
}

/** Returns who is on call at a given time, for one schedule or for all, ordered by name. */
export async function listOnCall(
  context: OnCallContext,
  { accountId }: Pick<Caller, "accountId">,
  query: RangeQuery & { readonly scheduleId?: string | undefined },
): Promise<ScheduleOnCall[]> {
  const { db } = context;
  const { scheduleId, ...bounds } = query;
  const range = readRange(context, bounds);
  const all = await listEverySchedule(db, accountId);
  const schedules =
    scheduleId === undefined ? all : all.filter(({ id }) => id === scheduleId.toLowerCase());
  if (scheduleId !== undefined && schedules.length === 0) throw notFound();
  const { fromMs } = range;
  const toMs = Math.max(range.toMs, fromMs + horizonMs);
  const plans = await loadPlans(db, accountId, { schedules, range: { fromMs, toMs } });
  return plans.map(({ schedule, plan, people }) => {
    const nameOf = (userId: string | null): NamedPerson | null =>
      userId === null ? null : { userId, name: people.get(userId)?.name ?? "" };
    const { current, untilMs, next } = decideNow(plan, fromMs);
    const following = next && nameOf(next.userId);
    return {
      scheduleId: schedule.id,
      scheduleName: schedule.name,
      timeZone: schedule.timeZone,
      person: nameOf(current.userId),
      untilMs,
      next: next && following && { ...following, fromMs: next.fromMs },
      shifts: (query.to === undefined ? [] : joinTurns(renderShifts(plan, range))).map((shift) => ({
        fromMs: shift.fromMs,
        toMs: shift.toMs,
        person: nameOf(shift.userId),
      })),
    };
  });
}

/** The person who is on call for one schedule. */
export interface PersonOnCall {
  readonly scheduleName: string;
  /** Id of the person on call; `null` if nobody is on call. */
  readonly userId: string | null;
}

/** Who is on call for the given schedules at any time of a range. */
export interface PeopleOnCall {
  /** Ids of all users who can be on call in the range. */
  readonly userIds: readonly string[];
  /**
   * Returns who is on call for a schedule at a given time; `null` if the schedule does not exist.
   */
  readonly find: (scheduleId: string, atMs: number) => PersonOnCall | null;
}

export async function loadPeopleOnCall(
  db: Database,
  accountId: string,
  { scheduleIds, range }: { readonly scheduleIds: readonly string[]; readonly range: Span },
): Promise<PeopleOnCall> {
  const schedules: Schedule[] = [];
  for (const id of scheduleIds) {
    const schedule = await findSchedule(db, accountId, id);
    if (schedule !== null) schedules.push(schedule);
  }
  const plans = await loadPlans(db, accountId, { schedules, range });
  const byId = new Map(plans.map((planned) => [planned.schedule.id, planned]));
  return {
    userIds: [...new Set(plans.flatMap(({ people }) => [...people.keys()]))],
    find: (scheduleId, atMs) => {
      const planned = byId.get(scheduleId.toLowerCase());
      if (planned === undefined) return null;
      return { scheduleName: planned.schedule.name, userId: onCallAt(planned.plan, atMs) };
    },
  };
}

/** Returns who is on call for a schedule now; `null` if the schedule does not exist. */
export async function findPersonOnCall(
  { db, clock }: OnCallContext,
  accountId: string,
  scheduleId: string,
): Promise<PersonOnCall | null> {
  const atMs = clock.nowMs();
  const range = { fromMs: atMs, toMs: atMs + 1 };
  const people = await loadPeopleOnCall(db, accountId, { scheduleIds: [scheduleId], range });
  return people.find(scheduleId, atMs);
}
