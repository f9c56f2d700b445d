import { callTool, type Found, type Plan } from "../../plan.ts";
import { dayMs } from "../../reading/moment.ts";
import { extendToPeriodEnd, type TimeWindow } from "../../reading/time-window.ts";
import type { KnownThing, ThingKind } from "../../reading/vocabulary.ts";
import type { WhoIsOnCallData } from "../../tools/tool-outcome.ts";
import { formatTime, quote, writeCount } from "../../wording.ts";
import { checkIdsOf, isUnclear, type Situation } from "../situation.ts";
import { reportWrite } from "../writes/writes.ts";

type Schedule = WhoIsOnCallData["schedules"][number];

const maxListed = 20;
const maxShifts = 6;
/** How far into the future a person's shifts are listed if the question names no time. */
const aheadMs = 31 * dayMs;

function thingsOf({ intent }: Situation, kind: ThingKind): readonly KnownThing[] {
  return intent.subject.things.filter((thing) => thing.kind === kind);
}

/**
 * Returns the time window of a question about shifts. Extends windows such as "today" to the end of
 * the period. A past weekday or clock time is moved to its next occurrence, so "on Friday" means
 * the coming Friday. Questions in the past tense keep the past time.
 */
function lookAhead(situation: Situation): TimeWindow | null {
  const { intent, nowMs } = situation;
  const { window, canonical } = intent;
  const isPast = /\b(?:was|were|did|had|LATEST)\b/.test(canonical);
  if (window === null || isPast) return window;
  const extended = extendToPeriodEnd(window);
  if (extended !== window) return extended;
  const shift = /^\d{2}:\d{2}/.test(window.label) ? dayMs : 7 * dayMs;
  const isNamed = /^(?:\d{2}:\d{2}|[A-Z][a-z]+day )/.test(window.label);
  if (window.toMs > nowMs || !isNamed) return window;
  const fromMs = window.fromMs + shift;
  const date = new Date(fromMs).toISOString().slice(0, 10);
  const label = window.label.replace(/\d{4}-\d{2}-\d{2}/, date);
  return { fromMs, toMs: window.toMs + shift, label };
}

interface Asked {
  readonly id: string;
  readonly name: string;
}

/**
 * Answers who is on call now, until when, and who is next, or who is on call at the time in the
 * question.
 */
export function* planOnCall(situation: Situation): Plan<void> {
  const { intent, answer, nowMs } = situation;
  const [schedule] = thingsOf(situation, "schedule");
  const people = thingsOf(situation, "member");
  const asksSelf = /\b(?:am|do|will|when) i\b|\bmy\b/.test(intent.canonical);
  const window = lookAhead(situation);
  const isAboutPeople = people.length > 0 || asksSelf;
  const span = window ?? (isAboutPeople ? { fromMs: nowMs, toMs: nowMs + aheadMs } : null);
  const isLater = span !== null && span.toMs > nowMs;
  const times = span && {
    from: new Date(isLater ? Math.max(span.fromMs, nowMs) : span.fromMs).toISOString(),
    to: new Date(span.toMs).toISOString(),
  };
  const about = schedule === undefined ? {} : { scheduleId: schedule.id };
  const found = yield* callTool("who_is_on_call", { ...about, ...times });
  if (found === null) return;
  const { schedules, callerId } = found.data;
  if (schedules.length === 0) {
    answer.line("There is no on-call schedule. Create one on the screen On call.");
    return;
  }
  if (people.length > 0) return writePeople(situation, found, people);
  if (asksSelf && callerId !== null) {
    return writePeople(situation, found, [{ id: callerId, name: "You" }]);
  }
  for (const one of schedules.slice(0, maxListed)) {
    const cited = answer.cite(found, one.scheduleId);
    answer.line(window === null ? describeNow(one, cited) : describeSpan(one, window.label, cited));
  }
  if (schedules.length > maxListed) answer.line(`And ${schedules.length - maxListed} more.`);
}

function describeNow({ name, person, until, next }: Schedule, cited: string): string {
  const end = until === null ? "" : ` until ${formatTime(until)}`;
  const who =
    person === null ? `nobody is on call${end}` : `${quote(person.name)} is on call${end}`;
  const then =
    next === null
      ? "nobody is next within 31 days"
      : `next is ${quote(next.name)} from ${formatTime(next.from)}`;
  return `${quote(name)}: ${who}; ${then}.${cited}`;
}

function describeSpan({ name, shifts }: Schedule, label: string, cited: string): string {
  const [only, ...others] = shifts;
  if (only !== undefined && others.length === 0) {
    const who = only.person === null ? "nobody" : quote(only.person.name);
    return `${quote(name)}, ${label}: ${who}.${cited}`;
  }
  const shown = shifts
    .slice(0, maxShifts)
    .map(({ from, to, person }) => {
      const who = person === null ? "nobody" : quote(person.name);
      return `${who} from ${formatTime(from)} to ${formatTime(to)}`;
    })
    .join("; ");
  const rest = shifts.length > maxShifts ? `; and ${shifts.length - maxShifts} more shifts` : "";
  return `${quote(name)}, ${label}: ${shown}${rest}.${cited}`;
}

/**
 * Writes when the given people are on call, for questions such as "is Anna on call?" and "when am I
 * on call?".
 */
function writePeople(
  { answer }: Situation,
  found: Found<WhoIsOnCallData>,
  people: readonly Asked[],
): void {
  const { at, schedules } = found.data;
  for (const { id, name } of people) {
    const who = name === "You" ? name : quote(name);
    const verb = name === "You" ? "are" : "is";
    let count = 0;
    for (const one of schedules) {
      const shift = one.shifts.find(({ person }) => person?.memberId === id);
      if (shift === undefined) continue;
      count += 1;
      const start =
        Date.parse(shift.from) <= Date.parse(at) ? "" : ` from ${formatTime(shift.from)}`;
      const span = `${start} until ${formatTime(shift.to)}`;
      const cited = answer.cite(found, one.scheduleId);
      answer.line(`${who} ${verb} on call for ${quote(one.name)}${span}.${cited}`);
    }
    if (count === 0) {
      answer.line(
        `${who} ${verb} not on call in that time, by ${writeCount(schedules.length, "schedule")}.`,
      );
    }
  }
}

/** Proposes to page a person about the open alert of a check. */
export function* planPage(situation: Situation): Plan<void> {
  yield* planForPerson(situation, "page_member", "the page to be about it");
}

/** Proposes to reassign the open alert of a check, as in "give the alert of the shop to Anna". */
export function* planReassign(situation: Situation): Plan<void> {
  yield* planForPerson(situation, "reassign_alert", "me to reassign it");
}

function* planForPerson(
  situation: Situation,
  tool: "page_member" | "reassign_alert",
  requested: string,
): Plan<void> {
  const { intent, answer } = situation;
  if (isUnclear(situation, requested)) return;
  const [member] = thingsOf(situation, "member");
  const target =
    member === undefined ? yield* findPagedSchedule(situation) : { memberId: member.id };
  if (target === null) return;
  const alerts = yield* callTool("list_alerts", {});
  if (alerts === null) return;
  const meant = new Set(checkIdsOf(intent));
  const open = alerts.data.alerts.filter(({ checkId }) => meant.size === 0 || meant.has(checkId));
  const [first, ...others] = open;
  if (first === undefined) {
    answer.line("There is no open alert about that. Only an open alert can be paged about.");
    return;
  }
  if (meant.size === 0 && others.length > 0) {
    const names = open.slice(0, maxShifts).map(({ name }) => quote(name));
    answer.line(`About which check? Open alerts: ${names.join(", ")}.`);
    return;
  }
  reportWrite(situation, yield* callTool(tool, { ...target, checkId: first.checkId }));
  if (others.length > 0) {
    answer.line(`${writeCount(others.length, "more alert")} about that: this is the oldest one.`);
  }
}

/**
 * Finds the schedule for "page who is on call": the named schedule, or the only one. Returns `null`
 * after writing why none was chosen.
 */
function* findPagedSchedule(situation: Situation): Plan<{ readonly scheduleId: string } | null> {
  const { answer, intent } = situation;
  const [named] = thingsOf(situation, "schedule");
  if (named !== undefined) return { scheduleId: named.id };
  const [unknown] = intent.subject.unknown;
  if (!/\bONCALL\b/.test(intent.canonical)) {
    const who = unknown === undefined ? "that" : quote(unknown);
    answer.line(`I know no member named ${who}. Name a member, or say “page who is on call”.`);
    return null;
  }
  const known = situation.vocabulary.things.filter(({ kind }) => kind === "schedule");
  const [only, ...others] = known;
  if (only !== undefined && others.length === 0) return { scheduleId: only.id };
  const found = only === undefined ? yield* callTool("who_is_on_call", {}) : null;
  const listed = found?.data.schedules ?? [];
  const names = (only === undefined ? listed : known).map(({ name }) => quote(name));
  const [single] = listed;
  if (single !== undefined && listed.length === 1) return { scheduleId: single.scheduleId };
  answer.line(
    names.length === 0
      ? "There is no on-call schedule. Name a member to page."
      : `Which schedule? ${names.slice(0, maxListed).join(", ")}.`,
  );
  return null;
}
