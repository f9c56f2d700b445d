import type { ListChannelsData, WhoIsOnCallData } from "../tool-shapes/directory-data.ts";
import type { Found } from "../tool-shapes/tool-data.ts";
import {
  checkIdsOf,
  describeScopes,
  during,
  isUnclear,
  periodOf,
  type Situation,
  spanOf,
  thingsOf,
} from "./situation.ts";
import { dayMs } from "./times.ts";
import { formatTime, quote, writeCount, writeDuration, writeList } from "./wording.ts";

const maxListed = 20;
const maxShifts = 6;

/** Names what the question is about, such as " of `core-db`"; or an empty string. */
function writeSubject(situation: Situation, preposition = "of"): string {
  const scope = describeScopes(situation.slots);
  if (scope !== "") return ` ${preposition} ${scope}`;
  const ids = checkIdsOf(situation);
  const names = situation.allNames.filter(({ kind, id }) => kind === "check" && ids.includes(id));
  return names.length === 0
    ? ""
    : ` ${preposition} ${writeList(
        names.map(({ name }) => quote(name)),
        4,
      )}`;
}

/** Open alerts: since when, and who acknowledged them. */
export async function answerAlerts(situation: Situation): Promise<void> {
  if (isUnclear(situation)) return;
  const { answer, lookup, slots } = situation;
  const found = await lookup("list_alerts", {});
  if (found === null) return;
  const ids = checkIdsOf(situation);
  const own = found.data.alerts.filter(({ checkId }) => ids.length === 0 || ids.includes(checkId));
  const about = writeSubject(situation);
  const isUnacked = /\bnot acknowledged\b|\bunack/.test(slots.text);
  const shown = own.filter(({ acknowledgedAt }) => !isUnacked || acknowledgedAt === null);
  if (shown.length === 0) {
    answer.line(
      `No ${isUnacked ? "unacknowledged " : ""}alert${about} is open.${answer.cite(found)}`,
    );
    return;
  }
  answer.line(
    `${writeCount(shown.length, isUnacked ? "alert without acknowledgement" : "open alert")}${about}:`,
  );
  for (const { checkId, name, openedAt, acknowledgedAt, remindersSent, isFlapping } of shown.slice(
    0,
    maxListed,
  )) {
    const acked =
      acknowledgedAt === null
        ? "not acknowledged, so nobody has it"
        : `acknowledged at ${formatTime(acknowledgedAt)}`;
    const reminders = remindersSent === 0 ? "" : `, ${writeCount(remindersSent, "reminder")} sent`;
    answer.item(
      `${quote(name)}: open since ${formatTime(openedAt)}, ${acked}${reminders}${isFlapping ? ", flapping" : ""}.${answer.cite(found, checkId)}`,
    );
  }
  if (found.data.isTruncated) answer.line("There are more: see [Alerts](/alerts).");
}

const outcomes = {
  SENT: "sent",
  DEAD: "given up",
  PENDING: "waiting",
  CANCELLED: "cancelled",
} as const;

/** Alert messages and their outcome. */
export async function answerDeliveries(situation: Situation): Promise<void> {
  if (isUnclear(situation)) return;
  const { answer, lookup, slots } = situation;
  const ids = checkIdsOf(situation);
  const [only, ...others] = ids;
  const period = periodOf(situation, ids.length === 0 ? dayMs : 7 * dayMs);
  const when = ` ${during(period)}`;
  const found = await lookup("list_deliveries", {
    ...(only !== undefined && others.length === 0 && { checkId: only }),
    ...(slots.periods.length > 0 ? spanOf(period) : { from: spanOf(period).from }),
  });
  if (found === null) return;
  const channels = thingsOf(slots, "channel").map(({ name }) => name);
  const isFailed = /\bfailed\b|\bfail\b|\bnot be delivered\b|\bwhy did nobody\b/.test(slots.text);
  const shown = found.data.deliveries.filter(
    (one) =>
      (ids.length === 0 || ids.includes(one.checkId)) &&
      (channels.length === 0 || channels.includes(one.recipient)),
  );
  const about = writeSubject(situation, "about");
  if (shown.length === 0) {
    answer.line(`Nobody was notified${about}${when}.${answer.cite(found)}`);
    return;
  }
  const counts = (["SENT", "DEAD", "PENDING", "CANCELLED"] as const).flatMap((status) => {
    const count = shown.filter((one) => one.status === status).length;
    return count === 0 ? [] : [`${count} ${outcomes[status]}`];
  });
  answer.line(`${writeCount(shown.length, "message")}${about}${when}, ${writeList(counts)}:`);
  const listed = isFailed
    ? shown.toSorted(
        (one, other) => Number(one.status !== "DEAD") - Number(other.status !== "DEAD"),
      )
    : shown;
  for (const one of answer.upTo(listed, maxListed)) {
    const kind = one.alertType.replace("ALERT_", "").toLowerCase().replaceAll("_", " ");
    const check = one.checkName === null ? "a deleted check" : quote(one.checkName);
    const why = one.reason === null ? "" : `: ${quote(one.reason, 200)}`;
    const outcome =
      one.sentAt === null
        ? `${outcomes[one.status]} after ${writeCount(one.attempts, "attempt")}${why}`
        : `sent ${formatTime(one.sentAt)}`;
    answer.item(
      `${quote(one.recipient)}, alert ${kind} of ${check}: ${outcome}.${answer.cite(found, one.deliveryId)}`,
    );
  }
}

type Channel = ListChannelsData["channels"][number];

function writeChannel({ answer }: Situation, found: Found<unknown>, channel: Channel): void {
  const { recipient, type, checks, groups, sends, channelId } = channel;
  const through =
    groups.length === 0 ? "" : `, through the group ${writeList(groups.map((one) => quote(one)))}`;
  const reach =
    checks.length === 0
      ? "no check"
      : writeList(
          checks.map(({ name }) => quote(name)),
          8,
        );
  answer.item(
    `${quote(recipient)} (${type}): alerts of ${reach}${through}; sends ${writeList(sends)}.${answer.cite(found, `channel-${channelId}`)}`,
  );
}

/** Where alerts go: of the named checks, through the named channels, or all channels. */
export async function answerChannels(situation: Situation): Promise<void> {
  if (isUnclear(situation)) return;
  const { answer, lookup, slots, checks } = situation;
  const found = await lookup("list_channels", {});
  if (found === null) return;
  const { channels } = found.data;
  const named = thingsOf(slots, "channel").map(({ id }) => id);
  const ids = checkIdsOf(situation);
  if (named.length > 0) {
    for (const one of channels)
      if (named.includes(String(one.channelId))) writeChannel(situation, found, one);
    return;
  }
  if (ids.length > 0 || describeScopes(slots) !== "") {
    const whose = writeSubject(situation);
    const reached = channels.filter((one) =>
      one.checks.some(({ checkId }) => ids.includes(checkId)),
    );
    if (reached.length === 0) {
      answer.line(`Alerts${whose} go to nobody: no channel has them.${answer.cite(found)}`);
      return;
    }
    const cited = answer.cite(found, ...reached.map(({ channelId }) => `channel-${channelId}`));
    answer.line(
      `Alerts${whose} go to ${writeList(reached.map(({ recipient }) => quote(recipient)))}.${cited}`,
    );
    if (ids.length < 2) return;
    for (const { recipient, checks: own, channelId } of reached) {
      const covered = own
        .filter(({ checkId }) => ids.includes(checkId))
        .map(({ name }) => quote(name));
      answer.item(
        `${quote(recipient)}: ${writeList(covered)}.${answer.cite(found, `channel-${channelId}`)}`,
      );
    }
    return;
  }
  answer.line(
    channels.length === 0
      ? "There are no alert channels: nobody is notified."
      : `${writeCount(channels.length, "alert channel")}:`,
  );
  for (const one of answer.upTo(channels, maxListed)) writeChannel(situation, found, one);
  const covered = new Set(channels.flatMap((one) => one.checks.map(({ checkId }) => checkId)));
  const silent = checks.filter(
    ({ checkId, muted, activated }) => !covered.has(checkId) || muted || !activated,
  );
  if (silent.length > 0) {
    const written = silent.map(
      ({ name, muted, activated }) =>
        `${quote(name)}${muted ? " (muted)" : activated ? "" : " (switched off)"}`,
    );
    answer.line(
      `${writeCount(silent.length, "check")} would alert nobody: ${writeList(written, 10)}.${answer.cite(found)}`,
    );
  }
}

/** Maintenance: open now, in a period, of the named checks, or a named window. */
export async function answerMaintenance(situation: Situation): Promise<void> {
  const { answer, lookup, slots, nowMs } = situation;
  const [period] = slots.periods;
  const isPast = period !== undefined && period.toMs <= nowMs;
  const span = period ?? { fromMs: nowMs - dayMs, toMs: nowMs + 31 * dayMs, label: "" };
  const found = await lookup("list_maintenance", spanOf(span));
  if (found === null) return;
  const windows = thingsOf(slots, "window").map(({ id }) => id);
  const ids = checkIdsOf(situation);
  const tags = new Set(
    situation.checks.filter(({ checkId }) => ids.includes(checkId)).flatMap((one) => one.tags),
  );
  const shown = found.data.windows.filter(
    (one) =>
      (windows.length === 0 || windows.includes(String(one.windowId))) &&
      (ids.length === 0 || one.silencesAllAlerts || one.tags.some((tag) => tags.has(tag))),
  );
  const isOpen = (one: (typeof shown)[number]) =>
    Date.parse(one.startsAt) <= nowMs && Date.parse(one.endsAt) > nowMs;
  const open = shown.filter(isOpen);
  const later = shown
    .filter((one) => Date.parse(one.startsAt) > nowMs || isPast || windows.length > 0)
    .filter((one) => !isOpen(one));
  const about = writeSubject(situation, "for");
  const asksNext = /\bnext\b|\bupcoming\b|\bplanned\b|\bscheduled\b/.test(slots.text);
  const asksNow = period === undefined && !asksNext && windows.length === 0;
  if (asksNow && open.length === 0)
    answer.line(`No maintenance is under way now${about}.${answer.cite(found)}`);
  if (open.length > 0)
    answer.line(`${writeCount(open.length, "maintenance window")} open now${about}:`);
  const write = (one: (typeof shown)[number]) => {
    const every = one.repeats === null ? "" : `, every ${one.repeats.toLowerCase()}`;
    const scope = one.silencesAllAlerts
      ? ", silences all alerts"
      : one.tags.length === 0
        ? ""
        : `, for the tags ${writeList(one.tags.map((tag) => quote(tag)))}`;
    const length = writeDuration(Date.parse(one.endsAt) - Date.parse(one.startsAt));
    answer.item(
      `${quote(one.name)}: ${formatTime(one.startsAt)} to ${formatTime(one.endsAt)} (${length})${every}${scope}.${answer.cite(found, `maintenance-window-${one.windowId}`)}`,
    );
  };
  for (const one of open) write(one);
  if (asksNow && !/\bis\b|\bare\b/.test(slots.text) === false && open.length > 0) return;
  if (later.length > 0 && ids.length === 0) {
    answer.line(isPast ? `Maintenance ${during(period)}:` : "Next:");
    for (const one of answer.upTo(later, 5)) write(one);
  } else if (shown.length === 0 && !asksNow) {
    answer.line(
      `No maintenance${about}${period === undefined ? " is planned" : ` ${during(period)}`}.${answer.cite(found)}`,
    );
  }
}

type Schedule = WhoIsOnCallData["schedules"][number];

const nameOf = (person: { readonly name: string } | null) =>
  person === null ? "nobody" : quote(person.name);

function describeNow({ person, until, next }: Schedule): string {
  const end = until === null ? "" : ` until ${formatTime(until)}`;
  const then =
    next === null
      ? "nobody is next within 31 days"
      : `next is ${quote(next.name)} from ${formatTime(next.from)}`;
  return `${nameOf(person)} is on call${end}; ${then}`;
}

/** Who is on call now or at a time, and when a person is. */
export async function answerOnCall(situation: Situation): Promise<void> {
  const { answer, lookup, slots, nowMs } = situation;
  const [schedule] = thingsOf(slots, "schedule");
  const people = thingsOf(slots, "member");
  const asksSelf = /\b(?:am|do|will|when) i\b|\bmy\b|\bme\b/.test(slots.text);
  const [period] = slots.periods;
  const isAboutPeople = people.length > 0 || asksSelf;
  const span = period ?? (isAboutPeople ? { fromMs: nowMs, toMs: nowMs + 31 * dayMs } : null);
  const times = span && {
    from: new Date(span.toMs > nowMs ? Math.max(span.fromMs, nowMs) : span.fromMs).toISOString(),
    to: new Date(span.toMs).toISOString(),
  };
  const found = await lookup("who_is_on_call", {
    ...(schedule && { scheduleId: schedule.id }),
    ...times,
  });
  if (found === null) return;
  const { schedules, callerId, at } = found.data;
  if (schedules.length === 0) {
    answer.line("There is no on-call schedule. Create one here: [On call](/on-call).");
    return;
  }
  const asked = people.map(({ id, name }) => ({ id, who: `${quote(name)} is` }));
  if (asksSelf && callerId !== null && asked.length === 0)
    asked.push({ id: callerId, who: "You are" });
  for (const { id, who } of asked) {
    const own = schedules.flatMap((one) => {
      const shift = one.shifts.find(({ person }) => person?.memberId === id);
      return shift === undefined ? [] : [{ one, shift }];
    });
    for (const { one, shift } of own) {
      const start =
        Date.parse(shift.from) <= Date.parse(at) ? "" : ` from ${formatTime(shift.from)}`;
      answer.line(
        `${who} on call for ${quote(one.name)}${start} until ${formatTime(shift.to)}.${answer.cite(found, one.scheduleId)}`,
      );
    }
    if (own.length === 0) answer.line(`${who} not on call in that time.${answer.cite(found)}`);
  }
  if (asked.length > 0) return;
  for (const one of answer.upTo(schedules, maxListed)) {
    const cited = answer.cite(found, one.scheduleId);
    if (period === undefined) {
      answer.line(`${quote(one.name)}: ${describeNow(one)}.${cited}`);
      continue;
    }
    const [first, ...others] = one.shifts;
    const left = one.shifts.length - maxShifts;
    const shifts =
      first !== undefined && others.length === 0
        ? nameOf(first.person)
        : one.shifts
            .slice(0, maxShifts)
            .map(
              ({ from, to, person }) =>
                `${nameOf(person)} from ${formatTime(from)} to ${formatTime(to)}`,
            )
            .join("; ") + (left > 0 ? `; and ${left} more` : "");
    answer.line(`${quote(one.name)}, ${period.label}: ${shifts}.${cited}`);
  }
}

/** Escalation policies with their steps. */
export async function answerPolicies({ answer, lookup }: Situation): Promise<void> {
  const found = await lookup("list_escalation_policies", {});
  if (found === null) return;
  const { policies } = found.data;
  answer.line(
    policies.length === 0
      ? "There is no escalation policy. Create one here: [Escalation policies](/on-call/policies)."
      : `${writeCount(policies.length, "escalation policies").replace(/ss$/, "s")}:`,
  );
  for (const { policyId, name, steps, rounds, usesFallback } of answer.upTo(policies, maxListed)) {
    const written = steps.map(
      ({ afterMinutes, targets }) =>
        `after ${afterMinutes} min ${writeList(targets.map((one) => quote(one)))}`,
    );
    const then = usesFallback ? ", then the fallback" : "";
    answer.item(
      `${quote(name)}: ${written.join("; ")}${rounds > 1 ? `, ${rounds} rounds` : ""}${then}.${answer.cite(found, policyId)}`,
    );
  }
}
