import { loadReaches } from "../../../channels/alert-channels/index.ts";
import {
  renderHandoffMail,
  renderShiftReminderMail,
  type ShiftMailContent,
} from "../../../pages/mails/shift-mail.ts";
import { inTransaction } from "../../../platform/database.ts";
import { Deliverer, type DeliveryEnd, type SendOutcome } from "../../../platform/deliverer.ts";
import { notSent } from "../../../platform/http-delivery.ts";
import { toShortLine } from "../../../platform/text/clip.ts";
import {
  formatZoned,
  joinTurns,
  listOnCall,
  listWatchedAccounts,
  renderEverySchedule,
  type Shift,
} from "../../on-call/index.ts";
import { listOpenAlertStates } from "../acknowledgements/store.ts";
import { headlines } from "../alert-message.ts";
import type { DeciderContext, DelivererContext } from "../context.ts";
import {
  defaultPreferences,
  finishShiftMail,
  insertShiftMails,
  listFiredAlerts,
  listPreferences,
  type PlannedMail,
  type Preferences,
  type ShiftMail,
  takeMailCursor,
  takeShiftMails,
  takeUpAccounts,
} from "./store.ts";

type ShiftMailContext = DelivererContext & Pick<DeciderContext, "publicUrl">;

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
/** Maximum number of minutes between a reminder and the start of its shift. */
export const maxReminderMinutes = 7 * 1_440;
/** How far back a handoff mail searches for the previous person on call and for alerts. */
const lookBackMs = 7 * dayMs;
/** Maximum age of a shift for which a handoff mail is still sent after a downtime. */
const maxDowntimeMs = dayMs;
const planEveryMs = 30_000;
const maxListed = 20;
/** Maximum number of concurrent shift mails. The remaining SMTP connections are for alerts. */
const mailConcurrency = 2;

interface Planning {
  readonly scheduleId: string;
  /** Shifts sorted by time. Consecutive shifts of one person are joined. */
  readonly turns: readonly Shift[];
  readonly preferences: ReadonlyMap<string, Preferences>;
  readonly doneUntilMs: number;
  readonly nowMs: number;
}

/**
 * Decides which mails of a schedule are due: handoffs and reminders. A handoff goes to a person
 * whose shift began after `doneUntilMs` and has not ended, unless the same person had the previous
 * shift. A reminder goes to a person whose shift starts soon.
 */
export function decideShiftMails(planning: Planning): PlannedMail[] {
  const { scheduleId, turns, preferences, doneUntilMs, nowMs } = planning;
  const mails: PlannedMail[] = [];
  let previousId: string | null = null;
  for (const { userId, fromMs, toMs } of turns) {
    if (userId === null) continue;
    const { sendsHandoffs, reminderMinutes } = preferences.get(userId) ?? defaultPreferences;
    const isNew = doneUntilMs < fromMs && fromMs <= nowMs && nowMs < toMs;
    if (isNew && sendsHandoffs && userId !== previousId) {
      mails.push({ scheduleId, userId, kind: "HANDOFF", shiftFromMs: fromMs });
    }
    const isSoon = nowMs < fromMs && fromMs - (reminderMinutes ?? 0) * minuteMs <= nowMs;
    if (isSoon) mails.push({ scheduleId, userId, kind: "REMINDER", shiftFromMs: fromMs });
    previousId = userId;
  }
  return mails;
}

/**
 * Plans the mails of one account that is due. One transaction stores the mails and the planning
 * cursor, so no mail is lost. Returns false if no account is due.
 */
async function planAccount(
  context: ShiftMailContext,
  accountIds: readonly string[],
): Promise<boolean> {
  const at = context.clock.now();
  const nowMs = at.getTime();
  return inTransaction(context.db, async (db) => {
    const cursor = await takeMailCursor(db, accountIds, new Date(nowMs - planEveryMs));
    if (cursor === null) return false;
    const { accountId, doneUntil } = cursor;
    const doneUntilMs = Math.max(doneUntil.getTime(), nowMs - maxDowntimeMs);
    const range = {
      fromMs: doneUntilMs - lookBackMs,
      toMs: nowMs + (maxReminderMinutes + 1) * minuteMs,
    };
    const rendered = await renderEverySchedule(db, accountId, range);
    const userIds = new Set(rendered.flatMap(({ people }) => [...people.keys()]));
    const chosen = await listPreferences(db, accountId, [...userIds]);
    const preferences = new Map(chosen.map((one) => [one.userId, one]));
    const mails = rendered.flatMap(({ schedule: { id: scheduleId }, shifts }) => {
      const turns = joinTurns(shifts);
      return decideShiftMails({ scheduleId, turns, preferences, doneUntilMs, nowMs });
    });
    await insertShiftMails(db, accountId, { mails, at });
    return true;
  });
}

/** Plans the shift mails of all accounts. After a downtime, mails are late but never repeated. */
export async function planShiftMails(context: ShiftMailContext): Promise<void> {
  if (context.sendTools.mailer === null) return;
  const accountIds = await listWatchedAccounts(context.db);
  if (accountIds.length === 0) return;
  await takeUpAccounts(context.db, accountIds, context.clock.now());
  for (let count = 0; count < accountIds.length; count += 1) {
    if (!(await planAccount(context, accountIds))) return;
  }
}

/** Formats a time in the reader's time zone, plus the schedule's local time if it differs. */
export function formatForReader(atMs: number, reader: string | null, schedule: string): string {
  const there = formatZoned(schedule, atMs);
  if (reader === null || reader === schedule) return `${there} (${schedule})`;
  const here = formatZoned(reader, atMs);
  return here === there ? `${here} (${schedule})` : `${here} (${there} ${schedule})`;
}

const countOf = (count: number, one: string, isMore: boolean) =>
  count === 0
    ? `No ${one}s`
    : `${isMore ? "More than " : ""}${count} ${one}${count === 1 && !isMore ? "" : "s"}`;

/**
 * Returns the name of the previous person on call and when that shift began. The name is `null` if
 * nobody else was on call before.
 */
async function findPrevious(context: ShiftMailContext, mail: ShiftMail) {
  const { accountId, scheduleId, userId, shiftFrom } = mail;
  const range = { fromMs: shiftFrom.getTime() - lookBackMs, toMs: shiftFrom.getTime() };
  const all = await renderEverySchedule(context.db, accountId, range);
  const own = all.find(({ schedule }) => schedule.id === scheduleId);
  const turn = joinTurns(own?.shifts ?? []).findLast((one) => one.userId !== null);
  if (turn === undefined || turn.userId === userId) return { name: null, sinceMs: range.fromMs };
  return { name: own?.people.get(turn.userId ?? "")?.name ?? null, sinceMs: turn.fromMs };
}

async function composeHandoff(
  context: ShiftMailContext,
  mail: ShiftMail,
  { content, format }: { content: ShiftMailContent; format: (atMs: number) => string },
) {
  const { db } = context;
  const { accountId, shiftFrom } = mail;
  const { name, sinceMs } = await findPrevious(context, mail);
  const limit = maxListed + 1;
  const open = await listOpenAlertStates(db, accountId, { limit });
  const fired = await listFiredAlerts(db, accountId, {
    ...{ from: new Date(sinceMs), to: shiftFrom, limit },
  });
  const short = (text: string) => toShortLine(text, 120);
  return renderHandoffMail({
    ...content,
    previousName: name,
    since: format(sinceMs),
    open: open.slice(0, maxListed).map(({ checkName, state }) => {
      const since = format(state.troubleStartedAtMs ?? state.sinceMs);
      const by = state.acknowledgedBy ? `, acknowledged by ${short(state.acknowledgedBy)}` : "";
      return [short(checkName), `since ${since}${by}`];
    }),
    fired: fired.slice(0, maxListed).map(({ checkName, kind, at }) => {
      return [short(checkName), `${headlines[kind]}, ${format(at.getTime())}`];
    }),
    openCount: countOf(Math.min(open.length, maxListed), "open alert", open.length > maxListed),
    firedCount: countOf(Math.min(fired.length, maxListed), "alert", fired.length > maxListed),
  });
}

/**
 * Composes a shift mail immediately before it is sent, so that the content is current. Returns
 * `null` if the mail is no longer correct.
 */
async function composeMail(context: ShiftMailContext, mail: ShiftMail) {
  const { accountId, scheduleId, userId, kind, shiftFrom } = mail;
  const atMs = Math.max(shiftFrom.getTime(), context.clock.nowMs());
  const from = new Date(kind === "HANDOFF" ? atMs : shiftFrom);
  const [onCall] = await listOnCall(context, { accountId }, { scheduleId, from });
  // The schedule may have changed after planning, so that somebody else has the shift now.
  if (onCall?.person?.userId !== userId) return null;
  const [chosen = defaultPreferences] = await listPreferences(context.db, accountId, [userId]);
  const format = (ms: number) => formatForReader(ms, chosen.timeZone, onCall.timeZone);
  const base = context.publicUrl();
  const content: ShiftMailContent = {
    scheduleName: toShortLine(onCall.scheduleName, 100),
    from: format(shiftFrom.getTime()),
    until: onCall.untilMs === null ? null : format(onCall.untilMs),
    nextName: onCall.next && toShortLine(onCall.next.name, 100),
    scheduleUrl: `${base}/on-call/${scheduleId}`,
    alertsUrl: `${base}/`,
    settingsUrl: `${base}/settings/contact-methods`,
  };
  return kind === "HANDOFF"
    ? composeHandoff(context, mail, { content, format })
    : renderShiftReminderMail(content);
}

async function sendShiftMail(context: ShiftMailContext, mail: ShiftMail): Promise<SendOutcome> {
  const { accountId, userId } = mail;
  const { mailer } = context.sendTools;
  const reach = (await loadReaches(context, accountId, [userId])).get(userId);
  const email = reach?.methods.find(({ id }) => id === "email");
  const permanent = { isPermanent: true };
  if (email === undefined) return notSent("The member has left the account.", permanent);
  if (mailer === null) return notSent("No SMTP server is configured.");
  if (email.problem !== null) return notSent(email.problem, permanent);
  const content = await composeMail(context, mail);
  if (content === null) return notSent("Somebody else has the shift now.", permanent);
  const outcome = await mailer.send({
    to: String(email.config.address),
    content,
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
    messageId: mail.id,
  });
  if (outcome.kind === "sent") return { kind: "sent", statusCode: null };
  const { isPermanent, code, reason } = outcome;
  return notSent(reason, { isPermanent, statusCode: code });
}

/** Creates the deliverer that sends the planned shift mails and retries failed attempts. */
export function createShiftMailDeliverer(
  context: ShiftMailContext,
  chance: () => number,
): Deliverer<ShiftMail> {
  const { db, clock, log } = context;
  const queue = {
    claim: (claim: Parameters<typeof takeShiftMails>[1]) => {
      const free = mailConcurrency - (claim.underWay.get("mail") ?? 0);
      return free > 0 ? takeShiftMails(db, claim, free) : Promise.resolve([]);
    },
    send: (mail: ShiftMail) => sendShiftMail(context, mail),
    finish: ({ accountId, id }: ShiftMail, end: DeliveryEnd) =>
      finishShiftMail(db, accountId, { ...end, id }),
    observe: () => {},
  };
  return new Deliverer(queue, { clock, log, chance });
}
