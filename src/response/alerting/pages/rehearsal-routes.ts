import { Type } from "typebox";
import type { Caller } from "../../../access/accounts/index.ts";
import { loadReaches, mapChannels } from "../../../channels/alert-channels/index.ts";
import {
  assertSoundPolicy,
  type DraftPolicy,
  draftPolicy,
  fromWireRules,
  getPolicy,
  listPolicyStages,
  PolicyParams,
  policyRuleFields,
} from "../../../channels/escalation-policies/index.ts";
import type { Clock } from "../../../platform/clock.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import { invalid } from "../../../platform/errors.ts";
import {
  answers,
  DateTime,
  Described,
  Guid,
  ObjectOrNull,
  OneOf,
  OrNull,
  RowId,
} from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { loadPeopleOnCall } from "../../on-call/index.ts";
import { loadReroutes } from "../addressing.ts";
import { minuteMs } from "../alert-rules.ts";
import { loadFallback, nameChannel } from "./paged-members.ts";
import { type Rehearsal, type RehearsalFacts, type RehearsedAlert, rehearse } from "./rehearsal.ts";

type RehearsalContext = Parameters<typeof loadFallback>[0] & { readonly clock: Clock };

/**
 * Quiet hours and support hours may delay pages beyond the last escalation step. The people on call
 * are therefore also loaded for this period after the last step.
 */
const waitMs = 15 * 86_400_000;
const maxDistanceMs = 366 * 86_400_000;
const maxEntries = 1_000;

async function loadFacts(
  context: RehearsalContext,
  accountId: string,
  { policy, startsAtMs }: { readonly policy: DraftPolicy; readonly startsAtMs: number },
): Promise<RehearsalFacts> {
  const { db } = context;
  const stages = listPolicyStages(policy);
  const named = await mapChannels(db, [...new Set(stages.flatMap((one) => one.channelIds))]);
  const own = [...named.values()].filter((channel) => channel.accountId === accountId);
  const channels = await loadReroutes(db, [...own, ...policy.channels]);
  const onCall = [...channels.values()].filter(({ type }) => type === "ONCALL");
  const lastMs = Math.max(...stages.map(({ afterMinutes }) => afterMinutes)) * minuteMs;
  const people = await loadPeopleOnCall(db, accountId, {
    scheduleIds: [
      ...new Set(
        onCall.flatMap(({ config }) => (config.scheduleId ? [String(config.scheduleId)] : [])),
      ),
    ],
    range: { fromMs: startsAtMs, toMs: startsAtMs + lastMs + waitMs },
  });
  const userIds = new Set([
    ...people.userIds,
    ...onCall.flatMap(({ config }) => (config.userId ? [String(config.userId)] : [])),
  ]);
  return {
    policy,
    channels,
    nameChannel: (channel) => nameChannel(context, channel),
    findOnCall: people.find,
    reaches: await loadReaches(context, accountId, [...userIds]),
    fallback: await loadFallback(context, accountId),
  };
}

/** Returns what an escalation policy would do about an alert. Sends and stores nothing. */
async function rehearseDraft(
  context: RehearsalContext,
  { accountId }: Caller,
  { policy, ...alert }: RehearsedAlert & { readonly policy: DraftPolicy },
): Promise<Rehearsal> {
  const { startsAtMs } = alert;
  if (Math.abs(startsAtMs - context.clock.nowMs()) > maxDistanceMs) {
    throw invalid("startsAt", "must be within 366 days from now");
  }
  return rehearse(await loadFacts(context, accountId, { policy, startsAtMs }), alert);
}

export async function rehearsePolicy(
  context: RehearsalContext,
  caller: Caller,
  { policyId, ...alert }: RehearsedAlert & { readonly policyId: string },
): Promise<Rehearsal> {
  const stored = await getPolicy(context, caller, policyId);
  const usesFallback = stored.fallbackChannelId !== null;
  const policy = draftPolicy({ ...stored, usesFallback });
  return rehearseDraft(context, caller, { ...alert, policy });
}

const urgencies = OneOf(["HIGH", "LOW"]);

const alertFields = {
  startsAt: Described(DateTime, "When the alert is sent, within 366 days from now."),
  urgency: Described(Type.Optional(urgencies), "The urgency of the alert.", "HIGH"),
};
const RehearsalBody = Type.Object(alertFields, { title: "RehearsalInput" });
const DraftBody = Type.Object(
  { ...policyRuleFields, ...alertFields },
  { title: "UnsavedPolicyRehearsalInput" },
);

const EntryTarget = Type.Object({
  scheduleId: Described(Type.Optional(Guid), "The schedule whose person is paged."),
  userId: Described(Type.Optional(Guid), "The member who is paged."),
  channelId: Described(Type.Optional(RowId), "The channel that is alerted."),
});

const place = (what: string) =>
  Described(OrNull(Type.Integer()), `Number of the ${what}, from 1; \`null\` for the fallback.`);

const RehearsalSchema = Type.Object(
  {
    startsAt: Described(DateTime, "When the alert is sent."),
    urgency: Described(urgencies, "The urgency of the alert."),
    pagesFrom: Described(
      DateTime,
      "When the steps start: later than `startsAt` if the alert waits for support hours.",
    ),
    entries: Type.Array(
      Type.Object({
        at: Described(DateTime, "When it is sent."),
        round: place("round"),
        step: place("step"),
        target: Described(ObjectOrNull(EntryTarget), "The target; `null` for the fallback."),
        targetName: Type.String({ description: "Its name.", examples: ["Primary"] }),
        userId: Described(OrNull(Guid), "The member who is reached."),
        userName: Described(OrNull(Type.String()), "Their name.", "Anna"),
        method: Described(
          OrNull(Type.String()),
          "The contact method, or the channel; `null` if nothing is sent.",
          "push",
        ),
        reason: Described(
          OrNull(Type.String()),
          "Why nothing is sent; `null` if something is.",
          "Nobody is on call for Primary.",
        ),
        note: Described(
          OrNull(Type.String()),
          "What the quiet hours of a channel change; `null` if nothing.",
        ),
      }),
      { description: "In the order of their times, the first 1,000." },
    ),
  },
  { title: "Rehearsal" },
);

const toWireTime = (atMs: number) => formatDateTime(new Date(atMs));

function parseAlert({ startsAt, urgency = "HIGH" }: Type.Static<typeof RehearsalBody>) {
  return { startsAtMs: Date.parse(startsAt), urgency };
}

function toWireRehearsal({ startsAtMs, urgency }: RehearsedAlert, rehearsal: Rehearsal) {
  const { pagesFromMs, entries } = rehearsal;
  return {
    startsAt: toWireTime(startsAtMs),
    urgency,
    pagesFrom: toWireTime(pagesFromMs),
    entries: entries.slice(0, maxEntries).map(({ atMs, target, ...entry }) => {
      return { at: toWireTime(atMs), ...entry, target: target && { ...target } };
    }),
  };
}

const tags = ["Escalation policies"];
const path = "/v1/escalation-policies";
const description =
  "Returns who would be reached when and how, if nobody acknowledged an alert and every message " +
  "arrived. Uses the current schedules, quiet hours and notification rules. Nothing is sent or " +
  "stored.";

export function addRehearsalRoutes(server: HttpServer, context: RehearsalContext): void {
  server.post(
    `${path}/:policyId/rehearse`,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "rehearseEscalationPolicy",
        summary: "Rehearse an escalation policy",
        description,
        params: PolicyParams,
        body: RehearsalBody,
        response: answers({ 200: RehearsalSchema }, "notFound"),
      },
    },
    async ({ caller, params: { policyId }, body }) => {
      const alert = parseAlert(body);
      return toWireRehearsal(alert, await rehearsePolicy(context, caller, { policyId, ...alert }));
    },
  );
  server.post(
    `${path}/rehearse`,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "rehearseUnsavedEscalationPolicy",
        summary: "Rehearse an escalation policy that is not saved",
        description:
          `${description} Accepts the fields of a policy without its name. A target that does not ` +
          "exist is treated as a deleted one.",
        body: DraftBody,
        response: answers({ 200: RehearsalSchema }),
      },
    },
    async ({ caller, body }) => {
      const alert = parseAlert(body);
      const rules = fromWireRules(body);
      assertSoundPolicy(rules);
      const request = { policy: draftPolicy(rules), ...alert };
      return toWireRehearsal(alert, await rehearseDraft(context, caller, request));
    },
  );
}
