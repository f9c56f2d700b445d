import { Type } from "typebox";
import { changeCheck, getCheck } from "../../checks/checks/index.ts";
import { conflict, notFound } from "../../platform/errors.ts";
import { acknowledgeCheck, listOpenAlerts, muteTargets } from "../../response/alerting/index.ts";
import { triggerChecks } from "../../runs/scheduling/index.ts";
import type { WriteDoneData } from "../tool.ts";
import { defineWriteTool } from "../tool.ts";
import { CheckReference, checkSource } from "./sources.ts";

const describeMuted = (isMuted: boolean) => (isMuted ? "muted" : "sent");

/** Maximum length of a mute by this tool, in minutes: one day less than the API allows. */
const maxMuteMinutes = 365 * 24 * 60;

export const muteCheckTool = defineWriteTool({
  name: "mute_check",
  title: "Mute a check",
  description: "Mute a check, so that it sends no alerts, or unmute it.",
  right: "write",
  InputSchema: Type.Object(
    {
      checkId: CheckReference,
      muted: Type.Boolean({ description: "true: sends no alerts; false: sends alerts again." }),
      minutes: Type.Optional(
        Type.Integer({
          description: "The mute ends by itself after this time.",
          minimum: 1,
          maximum: maxMuteMinutes,
        }),
      ),
      reason: Type.Optional(Type.String({ description: "With minutes: why.", maxLength: 500 })),
    },
    { additionalProperties: false },
  ),
  propose: async (context, caller, { checkId, muted, minutes, reason }) => {
    const { settings } = await getCheck(context, caller, checkId);
    const verb = muted ? "Mute" : "Unmute";
    const isTimed = muted && minutes !== undefined;
    const length = isTimed ? ` for ${minutes} minutes` : "";
    const after = `${describeMuted(muted)}${length}`;
    return {
      summary: `${verb} the check ${quote(settings.name)} (${checkId})${length}.`,
      proposal: { checkId, muted, ...(isTimed && { minutes, reason: reason ?? "" }) },
      changes: [{ what: "Its alerts", before: describeMuted(settings.muted), after }],
    };
  },
  run: async (context, caller, { checkId, muted, minutes, reason }) => {
    const targets = [{ type: "CHECK", checkId }] as const;
    if (muted && minutes !== undefined) {
      const { id, settings } = await getCheck(context, caller, checkId);
      const mutedUntil = new Date(context.clock.now().getTime() + minutes * 60_000).toISOString();
      await muteTargets(context, caller, { targets, mutedUntil, reason });
      const summary = `The check ${quote(settings.name)} is muted until ${mutedUntil}.`;
      const sources = [checkSource(context, { checkId: id, name: settings.name })];
      return { data: done("mute_check", summary, id), sources };
    }
    // Unmuting must also end a mute that has an end time.
    if (!muted) await muteTargets(context, caller, { targets, mutedUntil: null });
    const { id, settings } = await changeCheck(context, caller, { id: checkId, input: { muted } });
    const summary = `The check ${quote(settings.name)} is ${muted ? "muted" : "no longer muted"}.`;
    const sources = [checkSource(context, { checkId: id, name: settings.name })];
    return { data: done("mute_check", summary, id), sources };
  },
});

export const runCheckTool = defineWriteTool({
  name: "run_check",
  title: "Run a check now",
  description: "Run a check now, whether or not it is due.",
  right: "run",
  InputSchema: Type.Object({ checkId: CheckReference }, { additionalProperties: false }),
  propose: async (context, caller, { checkId }) => {
    const { settings } = await getCheck(context, caller, checkId);
    return {
      summary: `Run the check ${quote(settings.name)} (${checkId}) now.`,
      proposal: { checkId },
      changes: [{ what: "Runs", before: null, after: "one more, now" }],
    };
  },
  run: async (context, caller, { checkId }) => {
    const [report] = await triggerChecks(context, caller, { checkId: [checkId] });
    if (report === undefined) throw notFound();
    const { id } = report.session;
    const summary = `The check ${quote(report.name)} has been started.`;
    const url = `${context.publicUrl()}/v2/check-sessions/${id}`;
    return {
      data: done("run_check", summary, id),
      sources: [
        checkSource(context, { checkId, name: report.name }),
        { id, label: "the run", url },
      ],
    };
  },
});

export const acknowledgeAlertTool = defineWriteTool({
  name: "acknowledge_alert",
  title: "Acknowledge an alert",
  description: "Acknowledge a check's open alert: stops reminders and escalation until it closes.",
  right: "run",
  InputSchema: Type.Object({ checkId: CheckReference }, { additionalProperties: false }),
  propose: async (context, caller, { checkId }) => {
    const { settings } = await getCheck(context, caller, checkId);
    const [open] = await listOpenAlerts(context, caller, { checkId, limit: 1 });
    if (open === undefined) throw conflict("there is no open alert to acknowledge");
    return {
      summary: `Acknowledge the open alert of the check ${quote(settings.name)} (${checkId}).`,
      proposal: { checkId },
      changes: [{ what: "Its alert", before: "open", after: "acknowledged; no further reminders" }],
    };
  },
  run: async (context, caller, { checkId }) => {
    const { checkName } = await acknowledgeCheck(context, caller, checkId);
    const summary = `The alert of the check ${quote(checkName)} is acknowledged.`;
    const sources = [checkSource(context, { checkId, name: checkName })];
    return { data: done("acknowledge_alert", summary, checkId), sources };
  },
});

export function done(action: string, summary: string, targetId: string): WriteDoneData {
  return { done: true, action, summary, targetId };
}

/** Quotes a name as JSON, because the name may contain quotation marks. */
export const quote = (name: string) => JSON.stringify(name);
