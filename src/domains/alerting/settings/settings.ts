import { isDeepStrictEqual } from "node:util";
import { Type } from "typebox";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { invalid } from "../../../platform/errors.ts";
import { answers, Described } from "../../../platform/http/schema.ts";
import {
  assertMatch,
  IfMatchHeaders,
  sendTagged,
  tagVersion,
} from "../../../platform/http/send.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { type Caller, writeAuditEntry } from "../../accounts/index.ts";
import { findChannel, listExistingChannelIds } from "../../alert-channels/index.ts";
import { AlertSettingsSchema } from "../../checks/index.ts";
import type { FlapDamping } from "../alert-rules.ts";
import type { AlertingContext } from "../context.ts";
import {
  type AccountAlertSettings,
  defaultAccountAlertSettings,
  findSettingsVersion,
  getSettings,
  lockSettingsVersion,
  saveSettings,
} from "./settings-store.ts";

function listKnownChannels(
  db: Database,
  accountId: string,
  { escalationStages, fallbackAlertChannelId: fallback }: AccountAlertSettings,
): Promise<Set<number>> {
  const ids = escalationStages.flatMap((stage) => stage.alertChannelIds);
  return listExistingChannelIds(db, accountId, fallback === null ? ids : [...ids, fallback]);
}

export interface TaggedSettings {
  readonly settings: AccountAlertSettings;
  readonly tag: string;
}

/** Omits deleted channels so that a client can send back what it read. */
export async function readSettings(
  context: AlertingContext,
  caller: Caller,
): Promise<TaggedSettings> {
  const tag = tagVersion(await findSettingsVersion(context.db, caller.accountId));
  const settings = await getSettings(context.db, caller.accountId);
  const known = await listKnownChannels(context.db, caller.accountId, settings);
  const escalationStages = settings.escalationStages.map((stage) => ({
    ...stage,
    alertChannelIds: stage.alertChannelIds.filter((id) => known.has(id)),
  }));
  const { fallbackAlertChannelId: fallback } = settings;
  const fallbackAlertChannelId = fallback !== null && known.has(fallback) ? fallback : null;
  return { settings: { ...settings, escalationStages, fallbackAlertChannelId }, tag };
}

export async function changeSettings(
  context: AlertingContext,
  caller: Caller,
  change: { readonly settings: AccountAlertSettings; readonly ifMatch?: string | undefined },
): Promise<TaggedSettings> {
  const { settings } = change;
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const version = await lockSettingsVersion(db, caller.accountId);
    assertMatch(change.ifMatch, tagVersion(version));
    const before = await getSettings(db, caller.accountId);
    const known = await listKnownChannels(db, caller.accountId, settings);
    for (const [stage, { alertChannelIds }] of settings.escalationStages.entries()) {
      const unknown = alertChannelIds.findIndex((id) => !known.has(id));
      const key = `escalationStages.${stage}.alertChannelIds.${unknown}`;
      if (unknown >= 0) throw invalid(key, "does not exist in this account");
    }
    await assertFallback(db, caller.accountId, settings);
    await saveSettings(db, caller.accountId, { settings, at });
    const note = { action: "alert-settings.updated", changes: diffSettings(before, settings) };
    await writeAuditEntry(db, caller, { ...note, targetId: caller.accountId, at });
    return { settings, tag: tagVersion(version + 1) };
  });
}

/** The fallback is for pages that reach nobody, so that it must not be a page itself. */
async function assertFallback(
  db: Database,
  accountId: string,
  { fallbackAlertChannelId: id }: AccountAlertSettings,
): Promise<void> {
  if (id === null) return;
  const channel = await findChannel(db, accountId, id);
  const key = "fallbackAlertChannelId";
  if (channel === null) throw invalid(key, "does not exist in this account");
  if (channel.type === "ONCALL") throw invalid(key, "must not be a channel of type ONCALL");
}

/** Returns the changed fields with their old and new values. */
function diffSettings(before: AccountAlertSettings, after: AccountAlertSettings) {
  const was: Readonly<Record<string, unknown>> = { ...before };
  const changed = Object.entries(after).filter(([key, to]) => !isDeepStrictEqual(was[key], to));
  return Object.fromEntries(changed.map(([key, to]) => [key, { from: was[key] ?? null, to }]));
}

const { flapDamping, noDataMinutes } = defaultAccountAlertSettings;

const Stage = Type.Object({
  afterMinutes: Type.Integer({
    description: "Minutes without acknowledgement before the stage is reached.",
    minimum: 1,
    maximum: 10_080,
  }),
  alertChannelIds: Type.Array(Type.Integer({ minimum: 1, maximum: 2_147_483_647 }), {
    description: "Ids of the channels that the stage alerts.",
    maxItems: 20,
  }),
});

const Damping = Type.Object({
  transitions: Type.Integer({
    description: "Number of state changes at which a check counts as flapping.",
    minimum: 2,
    maximum: 50,
    default: flapDamping?.transitions,
  }),
  windowMinutes: Type.Integer({
    description: "Window in minutes in which changes are counted.",
    minimum: 5,
    maximum: 1_440,
    default: flapDamping?.windowMinutes,
  }),
});

/** Every field has a default, so a client may send only the fields it knows. */
const AccountSettingsSchema = Type.Object(
  {
    ...AlertSettingsSchema.properties,
    escalationStages: Type.Array(Stage, {
      description: "Additional channels that are alerted if nobody acknowledges the alert.",
      maxItems: 5,
      default: [],
    }),
    flapDamping: Described(
      Type.Unsafe<FlapDamping | null>({
        ...Damping,
        type: ["object", "null"],
        default: flapDamping,
      }),
      "When alerts of a flapping check are held; `null` if never.",
    ),
    noDataMinutes: Type.Union([Type.Integer({ minimum: 2, maximum: 10_080 }), Type.Null()], {
      description: "Minutes without any result before an alert is sent; `null` to disable it.",
      default: noDataMinutes,
    }),
    fallbackAlertChannelId: Type.Union(
      [Type.Integer({ minimum: 1, maximum: 2_147_483_647 }), Type.Null()],
      {
        description:
          "The channel that receives pages which reach nobody if no escalation stage follows; " +
          "`null` to send them to the owners by email.",
        default: null,
      },
    ),
  },
  { title: "AccountAlertSettings" },
);
type AccountSettingsBody = Type.Static<typeof AccountSettingsSchema>;

/** Copies only known fields: other fields of the body must not be stored. */
function fromWireSettings(body: AccountSettingsBody): AccountAlertSettings {
  const { runBasedEscalation, timeBasedEscalation, reminders } = body;
  const { enabled, percentage } = body.parallelRunFailureThreshold;
  const { minutesFailingThreshold } = timeBasedEscalation;
  const { flapDamping: damping, sslCertificates: certificates } = body;
  return {
    escalationType: body.escalationType,
    runBasedEscalation: { failedRunThreshold: runBasedEscalation.failedRunThreshold },
    timeBasedEscalation: { minutesFailingThreshold },
    reminders: { amount: reminders.amount, interval: reminders.interval },
    parallelRunFailureThreshold: { enabled, percentage },
    ...(certificates && {
      sslCertificates: {
        enabled: certificates.enabled,
        alertThreshold: certificates.alertThreshold,
      },
    }),
    escalationStages: body.escalationStages.map(({ afterMinutes, alertChannelIds }) => ({
      afterMinutes,
      alertChannelIds: [...new Set(alertChannelIds)],
    })),
    flapDamping: damping && {
      transitions: damping.transitions,
      windowMinutes: damping.windowMinutes,
    },
    noDataMinutes: body.noDataMinutes,
    fallbackAlertChannelId: body.fallbackAlertChannelId,
  };
}

function toWireSettings(settings: AccountAlertSettings): AccountSettingsBody {
  const escalationStages = settings.escalationStages.map((stage) => ({
    afterMinutes: stage.afterMinutes,
    alertChannelIds: [...stage.alertChannelIds],
  }));
  return { ...settings, escalationStages };
}

const tags = ["Alert settings"];

export function addAlertSettingsRoutes(server: HttpServer, context: AlertingContext): void {
  server.get(
    "/v1/alert-settings",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getAlertSettings",
        summary: "Get the account's alert settings",
        description: "Apply to every check with `useGlobalAlertSettings`.",
        answerHeaders: ["ETag"],
        response: answers({ 200: AccountSettingsSchema }),
      },
    },
    async ({ caller }, reply) => {
      const { settings, tag } = await readSettings(context, caller);
      return sendTagged(reply, tag, toWireSettings(settings));
    },
  );
  server.put(
    "/v1/alert-settings",
    {
      config: { access: "admin" },
      schema: {
        tags,
        operationId: "updateAlertSettings",
        summary: "Replace the account's alert settings; omitted fields get their defaults",
        description:
          "Apply from the next run of each check. With `If-Match`, fails if the settings were " +
          "changed since.",
        headers: IfMatchHeaders,
        body: AccountSettingsSchema,
        answerHeaders: ["ETag"],
        response: answers({ 200: AccountSettingsSchema }, "preconditionFailed"),
      },
    },
    async ({ caller, body, headers }, reply) => {
      const change = { settings: fromWireSettings(body), ifMatch: headers["if-match"] };
      const { settings, tag } = await changeSettings(context, caller, change);
      return sendTagged(reply, tag, toWireSettings(settings));
    },
  );
}
