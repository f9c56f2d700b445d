import { Type } from "typebox";
import { defaultType, kinds } from "../../../kinds/index.ts";
import { conflict, notFound } from "../../../platform/errors.ts";
import { acknowledgeCheck, listOpenAlerts } from "../../alerting/index.ts";
import {
  type CheckInput,
  changeCheck,
  checkBodyOf,
  createCheck,
  getCheck,
  proposeCheck,
} from "../../checks/index.ts";
import { triggerChecks } from "../../runs/index.ts";
import { defineWriteTool } from "../tool.ts";
import type { WriteDoneData } from "../tool-data.ts";
import { describeFields } from "./check-fields.ts";
import { CheckReference } from "./inputs.ts";
import { checkSource } from "./sources.ts";

function done(action: string, summary: string, targetId: string): WriteDoneData {
  return { done: true, action, summary, targetId };
}

/** As people say it; the wire's text may hold quotes. */
const quote = (name: string) => JSON.stringify(name);

export const muteCheckTool = defineWriteTool({
  name: "mute_check",
  title: "Mute a check",
  description: "Mute a check, so that it notifies nobody, or let it be heard again.",
  right: "write",
  InputSchema: Type.Object(
    {
      checkId: CheckReference,
      muted: Type.Boolean({ description: "true: it alerts nobody; false: it alerts again." }),
    },
    { additionalProperties: false },
  ),
  propose: async (context, caller, { checkId, muted }) => {
    const { settings } = await getCheck(context, caller, checkId);
    const verb = muted ? "Mute" : "Unmute";
    return {
      summary: `${verb} the check ${quote(settings.name)} (${checkId}).`,
      proposal: { checkId, muted },
    };
  },
  run: async (context, caller, { checkId, muted }) => {
    const { id, settings } = await changeCheck(context, caller, { id: checkId, input: { muted } });
    const summary = `The check ${quote(settings.name)} is ${muted ? "muted" : "not muted any more"}.`;
    const sources = [checkSource(context, { checkId: id, name: settings.name })];
    return { data: done("mute_check", summary, id), sources };
  },
});

const type = defaultType;
const kind = kinds[type];

/**
 * Without the fields that carry secrets or scripts, and without the automatic incident: whether
 * subscribers are told of one is for a person to set.
 */
const proposedFields = [
  "name",
  ...Object.keys(kind.fields.target.create),
  "activated",
  "muted",
  "shouldFail",
  "locations",
  "privateLocations",
  "tags",
  "groupId",
  "runParallel",
  "frequency",
  "frequencyOffset",
  ...Object.keys(kind.fields.settings),
  "degradedResponseTime",
  "maxResponseTime",
  "retryStrategy",
  "alertSettings",
  "useGlobalAlertSettings",
];
const ProposedCheck = Type.Object(Type.Pick(checkBodyOf(kind), proposedFields).properties, {
  additionalProperties: false,
});

const CheckBody = Type.Unsafe<CheckInput>({
  ...describeFields(JSON.parse(JSON.stringify(ProposedCheck)), kind.words.fieldHints),
  description: "The check; what is not given is as the service has it by default.",
});

export const createCheckTool = defineWriteTool({
  name: "create_check",
  title: "Create a check",
  description:
    `Create ${kind.words.aMonitor}. It alerts through every channel of the account. ` +
    "Frequency is in minutes (0, 1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720 or 1440; 0 with a frequencyOffset " +
    `of 10, 20 or 30 is that many seconds). ${kind.tools.hints.creation}`,
  right: "write",
  InputSchema: Type.Object({ body: CheckBody }, { additionalProperties: false }),
  propose: async (context, caller, { body }) => {
    const settings = await proposeCheck(context, caller, { type, input: body });
    const { name, frequency, frequencyOffset } = settings;
    const minutes = frequency === 1 ? "minute" : `${frequency} minutes`;
    const every = frequency === 0 ? `${frequencyOffset} seconds` : minutes;
    const places = [...(settings.locations ?? []), ...settings.privateLocations];
    const from = places.length === 0 ? "the default location" : places.join(", ");
    return {
      summary:
        `Create the check ${quote(name)} that ${kind.words.verb} ${kind.target(settings)} every ` +
        `${every} from ${from}, ${kind.describeLimits(settings)}, and alerts through every ` +
        "channel of the account.",
      proposal: body,
    };
  },
  run: async (context, caller, { body }) => {
    const wanted = { type, input: body, autoAssignAlerts: true };
    const { id, settings } = await createCheck(context, caller, wanted);
    const summary = `The check ${quote(settings.name)} has been created (${id}).`;
    const sources = [checkSource(context, { checkId: id, name: settings.name })];
    return { data: done("create_check", summary, id), sources };
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
  description:
    "Acknowledge a check's open alert: no more reminders and no escalation until it is over.",
  right: "run",
  InputSchema: Type.Object({ checkId: CheckReference }, { additionalProperties: false }),
  propose: async (context, caller, { checkId }) => {
    const { settings } = await getCheck(context, caller, checkId);
    const [open] = await listOpenAlerts(context, caller, { checkId, limit: 1 });
    if (open === undefined) throw conflict("there is no open alert to acknowledge");
    return {
      summary: `Acknowledge the open alert of the check ${quote(settings.name)} (${checkId}).`,
      proposal: { checkId },
    };
  },
  run: async (context, caller, { checkId }) => {
    const { checkName } = await acknowledgeCheck(context, caller, checkId);
    const summary = `The alert of the check ${quote(checkName)} is acknowledged.`;
    const sources = [checkSource(context, { checkId, name: checkName })];
    return { data: done("acknowledge_alert", summary, checkId), sources };
  },
});
