import { isDeepStrictEqual } from "node:util";
import { Type } from "typebox";
import { type Caller, requireAccess, writeAuditEntry } from "../../../access/accounts/index.ts";
import { findChannel, listExistingChannelIds } from "../../../channels/alert-channels/index.ts";
import {
  type AccountStage,
  type EscalationPolicy,
  getPolicy,
  holdPolicies,
  listStagesOf,
  mapPolicies,
  type PolicyUses,
  savePolicyOfStages,
} from "../../../channels/escalation-policies/index.ts";
import { AlertSettingsSchema, listPolicyUsers } from "../../../checks/checks/index.ts";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { invalid } from "../../../platform/errors.ts";
import { answers, Described, Filled, Guid, OneOf, OrNull } from "../../../platform/http/schema.ts";
import {
  assertMatch,
  IfMatchHeaders,
  sendTagged,
  tagVersion,
} from "../../../platform/http/send.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
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

/** Maximum number of escalation stages in a response. Further stages of a policy are omitted. */
const maxStages = 5;

function listKnownChannels(
  db: Database,
  accountId: string,
  {
    escalationStages,
    fallbackAlertChannelId: fallback,
  }: Pick<AccountAlertSettings, "escalationStages" | "fallbackAlertChannelId">,
): Promise<Set<number>> {
  const ids = escalationStages.flatMap((stage) => stage.alertChannelIds);
  return listExistingChannelIds(db, accountId, fallback === null ? ids : [...ids, fallback]);
}

export interface TaggedSettings {
  readonly settings: AccountAlertSettings;
  readonly tag: string;
}

/** Returns the settings with the policy's stages, for clients that do not support policies. */
async function withPolicyStages(
  db: Database,
  settings: AccountAlertSettings,
): Promise<AccountAlertSettings> {
  const { escalationPolicyId: id } = settings;
  const policy = id === null ? undefined : (await mapPolicies(db, [id])).get(id);
  return policy === undefined
    ? settings
    : { ...settings, escalationStages: listShownStages(policy) };
}

const listShownStages = (policy: EscalationPolicy) => listStagesOf(policy).slice(0, maxStages);

/** Returns the settings without deleted channels, so that a client can send them back unchanged. */
export async function readSettings(
  { db }: Pick<AlertingContext, "db">,
  { accountId }: Caller,
): Promise<TaggedSettings> {
  const tag = tagVersion(await findSettingsVersion(db, accountId));
  const settings = await withPolicyStages(db, await getSettings(db, accountId));
  return { settings: await withoutUnknown(db, accountId, settings), tag };
}

async function withoutUnknown(
  db: Database,
  accountId: string,
  settings: AccountAlertSettings,
): Promise<AccountAlertSettings> {
  const known = await listKnownChannels(db, accountId, settings);
  const escalationStages = settings.escalationStages.map((stage) => ({
    ...stage,
    alertChannelIds: stage.alertChannelIds.filter((id) => known.has(id)),
  }));
  const { fallbackAlertChannelId: fallback } = settings;
  const fallbackAlertChannelId = fallback !== null && known.has(fallback) ? fallback : null;
  return { ...settings, escalationStages, fallbackAlertChannelId };
}

type SettingsContext = Pick<AlertingContext, "db" | "clock">;

/** Alert settings in a request. If policy and stages are missing, the escalation is removed. */
type SettingsChange = Omit<AccountAlertSettings, "escalationStages" | "escalationPolicyId"> & {
  readonly escalationStages?: readonly AccountStage[] | undefined;
  readonly escalationPolicyId?: string | null | undefined;
};

interface EscalationChange {
  readonly before: AccountAlertSettings;
  readonly change: SettingsChange;
  readonly at: Date;
}

/**
 * Decides which escalation a request selects. If the request contains a policy and stages, the
 * policy applies. However, if that policy was created from stages, the stages in the request apply.
 * They change nothing if they equal the stages that the client read before.
 */
async function decideEscalation(
  db: Database,
  accountId: string,
  { before, change, at }: EscalationChange,
): Promise<Pick<AccountAlertSettings, "escalationStages" | "escalationPolicyId">> {
  const { escalationStages: stages, escalationPolicyId: requested = null } = change;
  if (requested !== null) {
    const id = requested.toLowerCase();
    const held = await holdPolicies(db, accountId, [id]);
    if (!held.has(id)) throw invalid("escalationPolicyId", "does not exist in this account");
    const policy = await getPolicy({ db }, { accountId }, id);
    const isNamed = stages === undefined || !policy.isFromStages;
    if (isNamed) return { escalationPolicyId: id, escalationStages: listShownStages(policy) };
  }
  const shown = await withoutUnknown(db, accountId, await withPolicyStages(db, before));
  const { escalationPolicyId: stored, escalationStages: echoed } = shown;
  const isEcho = stages !== undefined && isDeepStrictEqual(stages, echoed);
  if (isEcho && stored !== null && echoed.length > 0) {
    return { escalationPolicyId: stored, escalationStages: echoed };
  }
  if (stages === undefined || stages.length === 0) {
    return { escalationPolicyId: null, escalationStages: [] };
  }
  const escalationPolicyId = await savePolicyOfStages(db, accountId, { stages, at });
  return { escalationPolicyId, escalationStages: stages };
}

export async function changeSettings(
  context: SettingsContext,
  caller: Caller,
  { change, ifMatch }: { readonly change: SettingsChange; readonly ifMatch?: string | undefined },
): Promise<TaggedSettings> {
  requireAccess(caller, "admin");
  const at = context.clock.now();
  const { accountId } = caller;
  return inTransaction(context.db, async (db) => {
    const version = await lockSettingsVersion(db, accountId);
    assertMatch(ifMatch, tagVersion(version));
    const before = await getSettings(db, accountId);
    const { escalationStages: stages = [] } = change;
    const known = await listKnownChannels(db, accountId, { ...change, escalationStages: stages });
    for (const [stage, { alertChannelIds }] of stages.entries()) {
      const unknown = alertChannelIds.findIndex((id) => !known.has(id));
      const key = `escalationStages.${stage}.alertChannelIds.${unknown}`;
      if (unknown >= 0) throw invalid(key, "does not exist in this account");
    }
    await assertFallback(db, accountId, change);
    const escalation = await decideEscalation(db, accountId, { before, change, at });
    const settings: AccountAlertSettings = { ...change, ...escalation };
    await saveSettings(db, accountId, { settings, at });
    const note = { action: "alert-settings.updated", changes: diffSettings(before, settings) };
    await writeAuditEntry(db, caller, { ...note, targetId: accountId, at });
    return { settings, tag: tagVersion(version + 1) };
  });
}

/** Makes a policy the default of the account, or removes it as the default. */
export async function selectAccountPolicy(
  context: SettingsContext,
  caller: Caller,
  { id, isSelected }: { readonly id: string; readonly isSelected: boolean },
): Promise<void> {
  await inTransaction(context.db, async (db) => {
    await lockSettingsVersion(db, caller.accountId);
    const within = { ...context, db };
    const { settings } = await readSettings(within, caller);
    if ((settings.escalationPolicyId === id) === isSelected) return;
    const escalation = { escalationStages: undefined, escalationPolicyId: isSelected ? id : null };
    await changeSettings(within, caller, { change: { ...settings, ...escalation } });
  });
}

/** Returns whether the policy is the account's default, and which checks and groups use it. */
export async function findPolicyUses(
  db: Database,
  accountId: string,
  id: string,
): Promise<PolicyUses> {
  await lockSettingsVersion(db, accountId);
  const { escalationPolicyId } = await getSettings(db, accountId);
  const isOfAccount = escalationPolicyId === id.toLowerCase();
  return { isOfAccount, ...(await listPolicyUsers(db, accountId, id)) };
}

/** Rejects a fallback of type ONCALL: a page that reached nobody must not become a page again. */
async function assertFallback(
  db: Database,
  accountId: string,
  { fallbackAlertChannelId: id }: Pick<AccountAlertSettings, "fallbackAlertChannelId">,
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

const UrgencyRules = Type.Array(
  Type.Object({
    tag: Filled({ description: "A tag of checks or groups.", maxLength: 255 }),
    urgency: Described(OneOf(["HIGH", "LOW"]), "Urgency of alerts of these checks."),
  }),
  {
    description: "The first rule whose tag a check has decides the urgency of its alerts.",
    maxItems: 20,
    default: [],
  },
);

const { urgency: _urgency, ...sharedFields } = AlertSettingsSchema.properties;

const Stages = Type.Array(Stage, {
  description:
    "Additional channels that are alerted if nobody acknowledges the alert: the channels of the " +
    "escalation policy. Used if the request names no policy; then they become a policy.",
  maxItems: maxStages,
});

/** Request body. Every field has a default, so that clients may omit fields unknown to them. */
const AccountSettingsBody = Type.Object(
  {
    ...sharedFields,
    urgencyRules: UrgencyRules,
    escalationPolicyId: Described(
      Type.Optional(OrNull(Guid)),
      "The escalation policy of checks without their own.",
      null,
    ),
    escalationStages: Type.Optional(Stages),
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
  { title: "AccountAlertSettingsInput" },
);
type AccountSettingsBody = Type.Static<typeof AccountSettingsBody>;

const AccountSettingsSchema = Type.Object(
  {
    ...AccountSettingsBody.properties,
    escalationStages: Stages,
  },
  { title: "AccountAlertSettings" },
);

/** Copies each field of the body by name, so that unknown fields are not stored. */
function fromWireSettings(body: AccountSettingsBody): SettingsChange {
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
    urgencyRules: body.urgencyRules.map(({ tag, urgency }) => ({ tag, urgency })),
    escalationPolicyId: body.escalationPolicyId,
    escalationStages: body.escalationStages?.map(({ afterMinutes, alertChannelIds }) => ({
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

function toWireSettings(settings: AccountAlertSettings): Type.Static<typeof AccountSettingsSchema> {
  const escalationStages = settings.escalationStages.map((stage) => ({
    afterMinutes: stage.afterMinutes,
    alertChannelIds: [...stage.alertChannelIds],
  }));
  const urgencyRules = settings.urgencyRules.map((rule) => ({ ...rule }));
  return { ...settings, escalationStages, urgencyRules };
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
        body: AccountSettingsBody,
        answerHeaders: ["ETag"],
        response: answers({ 200: AccountSettingsSchema }, "preconditionFailed"),
      },
    },
    async ({ caller, body, headers }, reply) => {
      const change = { change: fromWireSettings(body), ifMatch: headers["if-match"] };
      const { settings, tag } = await changeSettings(context, caller, change);
      return sendTagged(reply, tag, toWireSettings(settings));
    },
  );
}
