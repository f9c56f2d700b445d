import type { AlertChannel, Urgency } from "../../../channels/alert-channels/index.ts";
import {
  type EscalationPolicy,
  listPolicyStages,
  type PolicyStage,
} from "../../../channels/escalation-policies/index.ts";
import type { PeopleOnCall } from "../../on-call/index.ts";
import { followQuietHours } from "../addressing.ts";
import { receivesAlert } from "../alert-message.ts";
import {
  findEscalationStartMs,
  findNextStageMs,
  findReachableStage,
  listDueStages,
  minuteMs,
  orderStages,
  type StageProgress,
} from "../alert-rules.ts";
import {
  decidePaged,
  decideSteps,
  type Fallback,
  nameMethod,
  type Reach,
} from "./paged-members.ts";

type Target = EscalationPolicy["steps"][number]["targets"][number];

/** Data from which a rehearsal of an escalation policy is computed. */
export interface RehearsalFacts {
  readonly policy: Pick<
    EscalationPolicy,
    "steps" | "repeat" | "repeatAfterMinutes" | "fallbackChannelId" | "supportHours"
  >;
  /** Existing channels of the policy, and the channels that their quiet hours reroute to. */
  readonly channels: ReadonlyMap<number, AlertChannel>;
  readonly nameChannel: (channel: AlertChannel) => string;
  readonly findOnCall: PeopleOnCall["find"];
  readonly reaches: ReadonlyMap<string, Reach>;
  readonly fallback: Fallback;
}

/** One message that would be sent, or the reason why no message would be sent. */
export interface RehearsalEntry {
  readonly atMs: number;
  /** Round of the policy. Rounds and steps are counted from 1; both are `null` for the fallback. */
  readonly round: number | null;
  readonly step: number | null;
  /** Target of the step; `null` for the fallback. */
  readonly target: Target | null;
  readonly targetName: string;
  readonly userId: string | null;
  readonly userName: string | null;
  /** Name of the contact method or channel that is reached; `null` if nobody is reached. */
  readonly method: string | null;
  /** Why nobody is reached; `null` if the message reaches somebody. */
  readonly reason: string | null;
  /** How quiet hours of a channel affect the message; `null` if they do not. */
  readonly note: string | null;
}

export interface Rehearsal {
  /** When the escalation starts: later than the alert if it waits for support hours. */
  readonly pagesFromMs: number;
  readonly entries: readonly RehearsalEntry[];
}

export interface RehearsedAlert {
  readonly startsAtMs: number;
  readonly urgency: Urgency;
}

/** A page of the rehearsal that is not yet expanded into messages. */
interface Page {
  readonly atMs: number;
  /**
   * Id of the simulated alert. Several pages may belong to one alert, but each person is paged only
   * once about an alert.
   */
  readonly alertId: number;
  readonly stage: PolicyStage;
  /**
   * Number of the last escalation stage of the simulated alert, counted from 1. An alert has
   * several stages if they are all due when the alert starts.
   */
  readonly lastStage: number;
  /**
   * Id of the channel that the stage names. The channel may be deleted, or its quiet hours may
   * reroute the page.
   */
  readonly channelId: number;
  readonly channel: AlertChannel | null;
  readonly note: string | null;
}

const kindOf = (urgency: Urgency) =>
  urgency === "HIGH" ? ("ALERT_FAILURE" as const) : ("ALERT_DEGRADED" as const);

const isFallback = ({ type, config }: AlertChannel) =>
  type === "ONCALL" && !config.scheduleId && !config.userId;

function describeTarget({ policy, reaches, ...facts }: RehearsalFacts, page: Page) {
  const { channelId, stage, channel, atMs } = page;
  const step = policy.steps.find(({ channelIds }) => channelIds.includes(channelId));
  const target = step?.targets[step.channelIds.indexOf(channelId)] ?? { channelId };
  const named = facts.channels.get(channelId);
  const place = { round: stage.place?.round ?? null, step: stage.place?.step ?? null };
  if (channel !== null && isFallback(channel)) {
    return { ...place, target: null, targetName: "Fallback" };
  }
  if ("scheduleId" in target) {
    const name = facts.findOnCall(target.scheduleId, atMs)?.scheduleName;
    return { ...place, target, targetName: name ?? "Deleted schedule" };
  }
  if ("userId" in target) {
    return { ...place, target, targetName: reaches.get(target.userId)?.name ?? "Former member" };
  }
  const targetName = named === undefined ? "Deleted channel" : facts.nameChannel(named);
  return { ...place, target, targetName };
}

const nobody = { userId: null, userName: null, method: null, note: null };

/** Returns the messages to the fallback channel, or to the owners if there is none. */
function listFallback({ fallback, ...facts }: RehearsalFacts, atMs: number): RehearsalEntry[] {
  const common = { ...nobody, atMs, round: null, step: null, target: null, reason: null };
  const named = { ...common, targetName: "Fallback" };
  const { channel, mails } = fallback;
  if (channel !== null) return [{ ...named, method: facts.nameChannel(channel) }];
  if (mails.length === 0) return [{ ...named, reason: "The account has no owner." }];
  return mails.map(({ reach: { userId, name: userName }, method }) => {
    const isSent = method.problem === null;
    const name = isSent ? nameMethod(method) : null;
    return { ...named, userId, userName, method: name, reason: method.problem };
  });
}

/** Whether a page is sent: its channel exists and receives alerts of this urgency. */
const isSent = ({ channel }: Page, urgency: Urgency) =>
  channel !== null && receivesAlert(kindOf(urgency), channel);

/**
 * Whether the fallback receives an alert after the last stage: the policy has a fallback, or nobody
 * was reached.
 */
function hasFallback(
  { policy }: RehearsalFacts,
  entries: readonly RehearsalEntry[],
  nowMs: number,
): boolean {
  if (policy.fallbackChannelId !== null) return true;
  return !entries.some(({ atMs, method }) => method !== null && atMs <= nowMs);
}

/** Outcome of a page. If `hasFailed` and no other target succeeds, the next stage starts. */
interface Expansion {
  readonly entries: readonly RehearsalEntry[];
  readonly hasFailed: boolean;
  /** Id of the member who is paged; `null` if nobody is paged. */
  readonly userId: string | null;
}

function expandPage(
  facts: RehearsalFacts,
  page: Page,
  { urgency, paged }: { readonly urgency: Urgency; readonly paged: ReadonlySet<string> },
): Expansion {
  const { atMs, channel, note } = page;
  const common = { ...nobody, ...describeTarget(facts, page), atMs, note, reason: null };
  const end = (outcome: Partial<RehearsalEntry>, hasFailed = false): Expansion => {
    const { userId = null } = outcome;
    return { entries: [{ ...common, ...outcome }], hasFailed, userId };
  };
  if (channel === null) return end({ reason: "The channel was deleted." });
  if (!isSent(page, urgency)) {
    return end({ reason: "The channel does not receive alerts of this kind." });
  }
  if (channel.type !== "ONCALL") return end({ method: facts.nameChannel(channel) });
  if (isFallback(channel)) {
    return { entries: listFallback(facts, atMs), hasFailed: false, userId: null };
  }
  const found = decidePaged(channel.config, (id) => facts.findOnCall(id, atMs));
  if (found.userId === null) return end({ reason: found.reason }, true);
  const { userId } = found;
  if (paged.has(`${page.alertId} ${userId}`)) {
    const reason = "Not sent: another target of this step pages the same person.";
    return end({ reason }, true);
  }
  const decided = decideSteps(facts.reaches.get(userId), { urgency, atMs });
  const person = { userId: decided.reach && userId, userName: decided.reach?.name ?? null };
  if (decided.reason !== null) return end({ ...person, reason: decided.reason }, true);
  const entries = decided.steps.map(({ method, afterMinutes }) => {
    const sentAtMs = atMs + afterMinutes * minuteMs;
    return { ...common, ...person, atMs: sentAtMs, method: nameMethod(method) };
  });
  return { entries, hasFailed: false, userId };
}

/** Lists the pages of the due stages. Quiet hours may delay or reroute a page. */
function listPages(
  { channels, ...facts }: RehearsalFacts,
  due: readonly (PolicyStage & Pick<Page, "alertId" | "lastStage">)[],
  atMs: number,
): Page[] {
  const pages = due.flatMap(({ alertId, lastStage, ...stage }) =>
    stage.channelIds.map((channelId): Page => {
      const page = { atMs, alertId, stage, lastStage, channelId, note: null };
      const named = channels.get(channelId);
      if (named === undefined) return { ...page, channel: null };
      const { channel, heldUntilMs } = followQuietHours(named, channels, atMs);
      const isRerouted = channel.id !== channelId;
      const quiet = `the quiet hours of ${facts.nameChannel(isRerouted ? named : channel)}`;
      const note = isRerouted ? `Rerouted by ${quiet}.` : `Held until ${quiet} end.`;
      const isQuiet = isRerouted || heldUntilMs !== null;
      return { ...page, atMs: heldUntilMs ?? atMs, channel, note: isQuiet ? note : null };
    }),
  );
  // Remove duplicates, because a channel receives an alert only once. A page to a channel that a
  // step names has priority over a page that quiet hours reroute to that channel.
  const keyOf = ({ alertId, channel, channelId }: Page) => `${alertId} ${channel?.id ?? channelId}`;
  const isRerouted = ({ channel, channelId }: Page) => channel !== null && channel.id !== channelId;
  const ordered = pages.toSorted(
    (one, other) => Number(isRerouted(one)) - Number(isRerouted(other)),
  );
  const kept = new Map(ordered.toReversed().map((page) => [keyOf(page), page]));
  return pages.filter((page) => kept.get(keyOf(page)) === page);
}

/**
 * Simulates an alert that nobody acknowledges, with the rules for real alerts: due stages become
 * pages, and pages become messages. If a stage reaches nobody, the next stage starts immediately.
 */
export function rehearse(facts: RehearsalFacts, alert: RehearsedAlert): Rehearsal {
  const { startsAtMs, urgency } = alert;
  const { supportHours } = facts.policy;
  const rules = { urgency, supportHours };
  const pagesFromMs = findEscalationStartMs(rules, kindOf(urgency), startsAtMs);
  const stages = orderStages(listPolicyStages(facts.policy));
  const entries: RehearsalEntry[] = [];
  const paged = new Set<string>();
  /** Ids of the simulated alerts that reached somebody. */
  const reached = new Set<number>();
  let pages: Page[] = [];
  let progress: StageProgress = { reached: 0, hurriedTo: 0 };
  let nowMs = pagesFromMs;
  for (;;) {
    const afterMs = findNextStageMs(stages, progress);
    const stageMs = afterMs === null ? null : Math.max(nowMs, pagesFromMs + afterMs);
    const [page, ...later] = pages;
    if (page !== undefined && (stageMs === null || page.atMs <= stageMs)) {
      pages = later;
      nowMs = Math.max(nowMs, page.atMs);
      const expansion = expandPage(facts, page, { urgency, paged });
      entries.push(...expansion.entries);
      if (expansion.userId !== null) paged.add(`${page.alertId} ${expansion.userId}`);
      if (expansion.entries.some(({ method }) => method !== null)) reached.add(page.alertId);
      // If a later step has already started, the failure of this page does not start another step
      // early.
      if (!expansion.hasFailed || page.lastStage < progress.reached) continue;
      const isOfStep = (one: Page) => one.alertId === page.alertId && isSent(one, urgency);
      if (reached.has(page.alertId) || pages.some(isOfStep)) continue;
      const next = findReachableStage(stages, progress.reached, facts.channels);
      if (next !== null) progress = { ...progress, hurriedTo: next };
      else if (hasFallback(facts, entries, nowMs)) entries.push(...listFallback(facts, nowMs));
      continue;
    }
    if (stageMs === null) break;
    nowMs = stageMs;
    const before = progress.reached;
    // Stages that are due when the alert starts belong to the same simulated alert.
    const isFirst = before === 0 && nowMs === startsAtMs;
    const due = listDueStages(stages, progress, nowMs - pagesFromMs).map((stage, index, all) => {
      const number = before + index + 1;
      return isFirst
        ? { ...stage, alertId: 0, lastStage: all.length }
        : { ...stage, alertId: number, lastStage: number };
    });
    if (due.length === 0) break;
    pages = [...pages, ...listPages(facts, due, nowMs)].sort((one, other) => one.atMs - other.atMs);
    progress = { ...progress, reached: before + due.length };
  }
  return { pagesFromMs, entries: entries.sort((one, other) => one.atMs - other.atMs) };
}
