import { Type } from "typebox";
import { type Caller, writeAuditEntry } from "../../access/accounts/index.ts";
import { inTransaction } from "../../platform/database.ts";
import { invalid, notFound } from "../../platform/errors.ts";
import { answers, DateTime, Described, Guid } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { type FileEvent, listOccurrences, readEvents } from "./calendar-events.ts";
import { dayMs } from "./local-time.ts";
import { addOverrides, assertMember, createOverrideId, maxOverrideDays } from "./overrides.ts";
import { loadPlans, type OnCallContext } from "./plans.ts";
import { joinSpans, renderShifts } from "./rendering.ts";
import { hasLeft, type Plan, type Span } from "./schedule.ts";
import { ScheduleParams, toWireTime } from "./schema.ts";
import { lockSchedule } from "./store.ts";

const maxEvents = 500;
/** Maximum number of absences after recurring events are expanded. */
const maxAbsences = 2_000;
const maxReplacements = 500;

interface Replacement extends Span {
  /** Id of the participant who takes over; `null` if there is nobody. */
  readonly userId: string | null;
}

/** Lists the other participants of a layer in turn order, starting after the given user. */
function listFollowers(participants: readonly string[], userId: string): string[] {
  const place = participants.indexOf(userId);
  const order = [...participants.slice(place + 1), ...participants.slice(0, place)];
  return order.filter((id) => id !== userId);
}

/**
 * Decides who takes over each shift of an absent user: the next participant of the layer who has
 * not left the account.
 */
export function decideReplacements(
  plan: Plan,
  { userId, absences }: { readonly userId: string; readonly absences: readonly Span[] },
): Replacement[] {
  return joinSpans(absences)
    .flatMap((span) => renderShifts(plan, span))
    .filter((shift) => shift.userId === userId)
    .map(({ fromMs, toMs, layer }) => {
      const participants = layer === null ? [] : (plan.layers[layer]?.participants ?? []);
      const followers = listFollowers(participants, userId);
      const other = followers.find((id) => !hasLeft(plan, id, toMs - 1));
      return { fromMs, toMs, userId: other ?? null };
    });
}

interface Skipped {
  readonly summary: string;
  readonly reason: string;
}

/** Returns the absences of an event in a range, or why it is skipped. */
function listAbsences(event: FileEvent, range: Span): readonly Span[] | string {
  if (Number.isNaN(event.fromMs) || Number.isNaN(event.toMs)) return "Its times cannot be read.";
  if (event.isCancelled) return "It is cancelled.";
  if (event.toMs <= event.fromMs) return "It has no length.";
  const isSingle = event.recurrence === null;
  if (isSingle && event.toMs <= range.fromMs) return "It has ended.";
  if (event.fromMs >= range.toMs) return `It starts in more than ${maxOverrideDays} days.`;
  const spans = listOccurrences(event, range);
  if (spans === null) return "How it recurs is not supported. Add its dates as single events.";
  if (spans.length === 0) return `It has no dates in the next ${maxOverrideDays} days.`;
  return spans;
}

interface Imported {
  readonly replacements: readonly (Replacement & { readonly name: string | null })[];
  readonly skipped: readonly Skipped[];
}

async function importAbsences(
  { db: pool, clock }: OnCallContext,
  caller: Caller,
  request: { readonly scheduleId: string; readonly userId: string; readonly calendar: string },
): Promise<Imported> {
  const { scheduleId, userId, calendar } = request;
  const { accountId } = caller;
  const at = clock.now();
  const range = { fromMs: at.getTime(), toMs: at.getTime() + maxOverrideDays * dayMs };
  return inTransaction(pool, async (db) => {
    const schedule = await lockSchedule(db, accountId, scheduleId);
    if (schedule === null) throw notFound();
    const person = await assertMember(db, accountId, { userId, key: "userId" });
    const events = readEvents(calendar, { timeZone: schedule.timeZone, limit: maxEvents + 1 });
    if (events === null) throw invalid("calendar", "must be an iCalendar file (BEGIN:VCALENDAR)");
    if (events.length > maxEvents) {
      throw invalid("calendar", `must have at most ${maxEvents} events; export a shorter range`);
    }
    const judged = events.map((event) => ({
      summary: event.summary,
      found: listAbsences(event, range),
    }));
    const absences = judged
      .flatMap(({ found }) => (typeof found === "string" ? [] : found))
      .map(({ fromMs, toMs }) => ({
        fromMs: Math.max(fromMs, range.fromMs),
        toMs: Math.min(toMs, range.toMs),
      }));
    if (absences.length > maxAbsences) {
      throw invalid("calendar", `must have at most ${maxAbsences} dates; export a shorter range`);
    }
    const [planned] = await loadPlans(db, accountId, { schedules: [schedule], range });
    if (planned === undefined) throw new Error("A schedule has no plan.");
    const replacements = decideReplacements(planned.plan, { userId, absences });
    if (replacements.length > maxReplacements) {
      throw invalid("calendar", "affects more than 500 shifts; export a shorter range");
    }
    const who = { author: caller.label, authorId: caller.userId, swapId: null, createdAt: at };
    const overrides = replacements
      .filter((one) => one.userId !== null)
      .map((one) => ({
        ...{ id: createOverrideId(), scheduleId, userId: one.userId, ...who },
        ...{ startsAt: new Date(one.fromMs), endsAt: new Date(one.toMs) },
        reason: `${person.name} is absent`,
      }));
    if (overrides.length > 0) await addOverrides(db, accountId, { overrides, at });
    const changes = { name: schedule.name, absent: person.name, overrides: overrides.length };
    const action = "on-call-override.created";
    await writeAuditEntry(db, caller, { action, targetId: scheduleId, changes, at });
    return {
      replacements: replacements.map((one) => ({
        ...one,
        name: planned.people.get(one.userId ?? "")?.name ?? null,
      })),
      skipped: judged.flatMap(({ summary, found }) =>
        typeof found === "string" ? [{ summary, reason: found }] : [],
      ),
    };
  });
}

const Replaced = Type.Object({
  from: Described(DateTime, "When it starts."),
  to: Described(DateTime, "When it ends."),
  userId: Described(Guid, "Who is on call in their place."),
  name: Type.String({ description: "Their name.", examples: ["Ben"] }),
});
const Uncovered = Type.Object({
  from: Described(DateTime, "When it starts."),
  to: Described(DateTime, "When it ends."),
});

const AbsencesSchema = Type.Object(
  {
    replaced: Type.Array(Replaced, { description: "Shifts that an override now gives to others." }),
    uncovered: Type.Array(Uncovered, {
      description:
        "Shifts that they still have, because the layer has nobody else or an override put them " +
        "on call.",
    }),
    skipped: Type.Array(
      Type.Object({
        summary: Type.String({ description: "Title of the event.", examples: ["Holiday"] }),
        reason: Type.String({ description: "Why it was not used.", examples: ["It has ended."] }),
      }),
      { description: "Events that were not used." },
    ),
  },
  { title: "OnCallAbsences" },
);

export function addAbsenceRoutes(server: HttpServer, context: OnCallContext): void {
  server.post(
    "/v1/on-call/schedules/:scheduleId/absences",
    {
      config: { access: "write" },
      schema: {
        tags: ["On call"],
        operationId: "importOnCallAbsences",
        summary: "Import a calendar of absences",
        description:
          "The next participant of the layer takes the member's shifts during the events of the " +
          "iCalendar file, by overrides. Importing the same file again changes nothing.",
        params: ScheduleParams,
        body: Type.Object(
          {
            userId: Described(Guid, "The member who is absent."),
            calendar: Type.String({
              description: "The text of an .ics file.",
              examples: ["BEGIN:VCALENDAR\r\n…"],
              minLength: 1,
              maxLength: 1_000_000,
            }),
          },
          { title: "OnCallAbsencesInput" },
        ),
        response: answers({ 201: AbsencesSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params, body }, reply) => {
      const userId = body.userId.toLowerCase();
      const request = { scheduleId: params.scheduleId, userId, calendar: body.calendar };
      const { replacements, skipped } = await importAbsences(context, caller, request);
      const times = replacements.map(({ fromMs, toMs, ...one }) => ({
        ...one,
        from: toWireTime(fromMs),
        to: toWireTime(toMs),
      }));
      return reply.code(201).send({
        replaced: times.flatMap(({ from, to, userId: id, name }) =>
          id === null ? [] : [{ from, to, userId: id, name: name ?? "" }],
        ),
        uncovered: times.flatMap(({ from, to, userId: id }) => (id === null ? [{ from, to }] : [])),
        skipped: skipped.map((one) => ({ ...one })),
      });
    },
  );
}
