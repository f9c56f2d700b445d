import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import { conflict } from "../../platform/errors.ts";
import {
  escalateCheck,
  noFurtherStep,
  pageSomebody,
  preparePage,
  prepareResponse,
  reassignCheck,
  snoozeCheck,
  snoozeMinutes,
} from "../../response/alerting/index.ts";
import { listOnCall } from "../../response/on-call/index.ts";
import { defineReadTool, defineWriteTool } from "../tool.ts";
import { type WhoIsOnCallData, WhoIsOnCallSchema } from "../tool-shapes/directory-data.ts";
import {
  CheckReference,
  checkSource,
  formatMs,
  limitSources,
  linkSource,
  MemberReference,
  parseSpan,
  parseTime,
  ScheduleReference,
  TimeInput,
} from "./sources.ts";
import { done, quote } from "./write-tools.ts";

const maxSchedules = 100;
const maxShifts = 50;

const toMember = ({ userId, name }: { readonly userId: string; readonly name: string }) => ({
  memberId: userId,
  name,
});

export const whoIsOnCallTool = defineReadTool({
  name: "who_is_on_call",
  title: "Who is on call",
  description:
    "Who is on call now or at a time, until when, and who is next; for one on-call schedule or " +
    "all. With `to`, also everyone who is on call until then, such as tonight.",
  InputSchema: Type.Object(
    {
      scheduleId: Type.Optional(ScheduleReference),
      from: Type.Optional(TimeInput("The time; default now")),
      to: Type.Optional(TimeInput("End of the shifts to list, at most 62 days later")),
    },
    { additionalProperties: false },
  ),
  DataSchema: WhoIsOnCallSchema,
  run: async (context, caller, { scheduleId, from, to }) => {
    const start = from ?? formatMs(context.clock.nowMs());
    const fromMs = to === undefined ? parseTime("from", start) : parseSpan(start, to).fromMs;
    const bounds = { from: new Date(fromMs), ...(to !== undefined && { to: new Date(to) }) };
    const all = await listOnCall(context, caller, { ...bounds, scheduleId });
    const data: WhoIsOnCallData = {
      at: formatMs(fromMs),
      callerId: caller.userId,
      schedules: all.slice(0, maxSchedules).map(({ person, untilMs, next, ...one }) => ({
        scheduleId: one.scheduleId,
        name: one.scheduleName,
        timeZone: one.timeZone,
        person: person && toMember(person),
        until: untilMs === null ? null : formatMs(untilMs),
        next: next && { ...toMember(next), from: formatMs(next.fromMs) },
        shifts: one.shifts.slice(0, maxShifts).map((shift) => ({
          from: formatMs(shift.fromMs),
          to: formatMs(shift.toMs),
          person: shift.person && toMember(shift.person),
        })),
      })),
      isTruncated: all.length > maxSchedules,
    };
    const sources = data.schedules.map(({ scheduleId: id, name: label }) =>
      linkSource(context, { id, label, path: `/on-call/${id}` }),
    );
    return { data, sources: limitSources(sources) };
  },
});

const toRequest = (input: {
  readonly checkId: string;
  readonly memberId?: string;
  readonly scheduleId?: string;
  readonly note?: string;
}) => ({
  checkId: input.checkId,
  userId: input.memberId,
  scheduleId: input.scheduleId,
  note: input.note,
});

/** Pages a member, or the person who is on call for a schedule when the user confirms. */
export const pageMemberTool = defineWriteTool({
  name: "page_member",
  title: "Page somebody",
  description:
    "Page a member, or the person on call for a schedule, about the open alert of a check, by " +
    "their own notification rules.",
  right: "run",
  InputSchema: Type.Object(
    {
      checkId: CheckReference,
      memberId: Type.Optional(MemberReference),
      scheduleId: Type.Optional(ScheduleReference),
      note: Type.Optional(Type.String({ description: "What they should know.", maxLength: 500 })),
    },
    { additionalProperties: false },
  ),
  propose: async (context, caller, input) => {
    const { memberId } = input;
    const prepared = await preparePage(context, caller, toRequest(input));
    const { check, name, userId, plan } = prepared;
    const about = `about the open alert of the check ${quote(check.settings.name)} (${check.id})`;
    return {
      summary: `Page ${quote(name)} ${about}.`,
      proposal: { ...input, ...(memberId !== undefined && { memberId: userId }) },
      changes: [{ what: `Messages to ${name}`, before: null, after: plan }],
    };
  },
  run: async (context, caller, input) => {
    const page = await pageSomebody(context, caller, toRequest(input));
    const summary = `Paged ${page.recipient}.`;
    const sources = [
      checkSource(context, { checkId: page.checkId, name: "the check" }),
      linkSource(context, {
        id: page.alertId,
        label: "the alert",
        path: `/alerts/${page.alertId}`,
      }),
    ];
    return { data: done("page_member", summary, page.id), sources };
  },
});

const describeAlert = (check: { readonly id: string; readonly settings: { name: string } }) =>
  `the open alert of the check ${quote(check.settings.name)} (${check.id})`;

function describeState(open: { isAcknowledged: boolean; snoozedUntil: Date | null }): string {
  if (open.snoozedUntil !== null) return `snoozed until ${formatDateTime(open.snoozedUntil)}`;
  return open.isAcknowledged ? "acknowledged" : "open";
}

/** Returns the result of a change to the open alert of a check. */
const responded = (
  context: Parameters<typeof checkSource>[0],
  action: string,
  { checkId, summary }: { readonly checkId: string; readonly summary: string },
) => ({
  data: done(action, summary, checkId),
  sources: [checkSource(context, { checkId, name: "the check" })],
});

export const snoozeAlertTool = defineWriteTool({
  name: "snooze_alert",
  title: "Snooze an alert",
  description:
    "Snooze a check's open alert: no reminders and no escalation until then. If the problem still " +
    "exists, it is sent and escalated again.",
  right: "run",
  InputSchema: Type.Object(
    {
      checkId: CheckReference,
      minutes: Type.Integer({ description: "How long it is snoozed.", ...snoozeMinutes }),
    },
    { additionalProperties: false },
  ),
  propose: async (context, caller, { checkId, minutes }) => {
    const open = await prepareResponse(context, caller, checkId);
    const after = `snoozed for ${minutes} minutes, then sent again if the problem still exists`;
    return {
      summary: `Snooze ${describeAlert(open.check)} for ${minutes} minutes.`,
      proposal: { checkId, minutes },
      changes: [{ what: "Its alert", before: describeState(open), after }],
    };
  },
  run: async (context, caller, input) =>
    responded(context, "snooze_alert", await snoozeCheck(context, caller, input)),
});

export const reassignAlertTool = defineWriteTool({
  name: "reassign_alert",
  title: "Reassign an alert",
  description:
    "Give a check's open alert to a member, or the person on call for a schedule: they are paged, " +
    "and messages of earlier pages that wait are cancelled.",
  right: "run",
  InputSchema: Type.Object(
    {
      checkId: CheckReference,
      memberId: Type.Optional(MemberReference),
      scheduleId: Type.Optional(ScheduleReference),
    },
    { additionalProperties: false },
  ),
  propose: async (context, caller, input) => {
    const { memberId } = input;
    const { check, name, userId, plan } = await preparePage(context, caller, toRequest(input));
    return {
      summary: `Reassign ${describeAlert(check)} to ${quote(name)}.`,
      proposal: { ...input, ...(memberId !== undefined && { memberId: userId }) },
      changes: [
        { what: `Messages to ${name}`, before: null, after: plan },
        { what: "Waiting messages of earlier pages", before: "sent", after: "cancelled" },
      ],
    };
  },
  run: async (context, caller, input) =>
    responded(context, "reassign_alert", await reassignCheck(context, caller, toRequest(input))),
});

export const escalateAlertTool = defineWriteTool({
  name: "escalate_alert",
  title: "Escalate an alert",
  description: "Send the next step of the escalation of a check's open alert now.",
  right: "run",
  InputSchema: Type.Object({ checkId: CheckReference }, { additionalProperties: false }),
  propose: async (context, caller, { checkId }) => {
    const { check, nextStep } = await prepareResponse(context, caller, checkId);
    if (nextStep === null) throw conflict(noFurtherStep);
    return {
      summary: `Escalate ${describeAlert(check)}: ${nextStep} starts now.`,
      proposal: { checkId },
      changes: [{ what: "Its escalation", before: `${nextStep} waits`, after: `${nextStep} now` }],
    };
  },
  run: async (context, caller, { checkId }) =>
    responded(context, "escalate_alert", await escalateCheck(context, caller, checkId)),
});
