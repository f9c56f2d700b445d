import { randomUUIDv7 } from "node:crypto";
import { on } from "node:events";
import type { Order } from "../../../contract/order.ts";
import type { RunStep } from "../../../contract/progress.ts";
import type { Outcome, Result } from "../../../contract/result.ts";
import type { Run } from "../../../kinds/definition.ts";
import { kinds } from "../../../kinds/index.ts";
import type { Kind } from "../../../kinds/kind.ts";
import { describeReason, explainVerdict } from "../../../kinds/reason-text.ts";
import { type Judgement, judgeRun } from "../../../kinds/verdict.ts";
import { invalid } from "../../../platform/errors.ts";
import { type Caller, writeAuditEntry } from "../../accounts/index.ts";
import { prepareUnsaved, type UnsavedCheck } from "../../checks/index.ts";
import type { ScheduleContext } from "../context.ts";
import { createOrder, sendOrders } from "../orders.ts";
import type { Watched } from "../watch-list.ts";
import type { Trial, TrialMessage } from "./open-trials.ts";

export interface TrialRequest extends UnsavedCheck {
  /** `null` for the first location of the check. */
  readonly location: string | null;
  /** True if the caller writes the audit entry. */
  readonly isUnaudited?: boolean;
}

/** An assertion of the check and its outcome; `null` if the run did not reach it. */
export interface TriedAssertion {
  readonly assertion: object;
  readonly passed: boolean | null;
  readonly actual?: unknown;
  readonly message?: string;
}

export type TrialEvent =
  | { readonly event: "ordered"; readonly order: Order; readonly target: string }
  | { readonly event: "started"; readonly probeId: string; readonly startedAtMs: number }
  | { readonly event: "progress"; readonly elapsedMs: number; readonly progress: RunStep }
  | { readonly event: "waiting"; readonly elapsedMs: number }
  | {
      readonly event: "result";
      readonly kind: Kind;
      readonly result: Result;
      readonly judgement: Judgement;
      readonly explanation: string;
      readonly reasons: readonly string[];
      readonly assertions: readonly TriedAssertion[];
    }
  | { readonly event: "end"; readonly reason: "complete" | "timed-out" };

/** Time that a result may take after the deadline of its run. */
const graceMs = 2_000;

export interface OpenedTrial {
  readonly trial: Trial;
  readonly events: AsyncGenerator<TrialEvent>;
}

/**
 * Runs unsaved settings once at one location. Nothing of the run is stored: no result, no status,
 * no statistics, and no alert is sent. The request is audited, because it may send the account's
 * secrets anywhere.
 */
export async function openTrial(
  context: ScheduleContext,
  caller: Caller,
  request: TrialRequest,
  signal: AbortSignal,
): Promise<OpenedTrial> {
  const { type, input, changed, location, group, isUnaudited = false } = request;
  const kind = kinds[type];
  if (!kind.isOrdered) {
    const rule = `must be of a kind that a probe executes; runs of ${kind.words.aCheck} are reported by the job itself`;
    throw invalid("checkType", rule);
  }
  const unsaved = await prepareUnsaved(context, caller, { type, input, changed, group });
  const checkId = changed?.id ?? randomUUIDv7();
  const watched = context.watchList.watchUnsaved({ ...unsaved, checkId, kind }, caller.accountId);
  const [first = ""] = watched.places;
  const now = context.clock.now();
  const dueAtMs = now.getTime();
  const when = { location: location ?? first, dueAtMs, attempt: 1, startAtMs: dueAtMs };
  const { serverId: tellServer } = context;
  const order: Order = { ...createOrder(watched, when), isTrial: true, tellServer };
  const target = kind.target(watched.settings);
  if (!isUnaudited) {
    const changes = { checkType: type, target, location: order.location };
    const action = "check.tried";
    await writeAuditEntry(context.db, caller, { action, targetId: order.runId, changes, at: now });
  }
  const trial = context.trials.open(order.runId, kind.deadlineMs(watched.settings) + graceMs);
  // Listen before the order is sent, so that no event is missed.
  const messages = on(trial, "message", { signal });
  await sendOrders(context, [order], dueAtMs, [watched]);
  return { trial, events: streamTrial({ watched, order, target, messages }) };
}

interface FollowedTrial {
  readonly watched: Watched;
  readonly order: Order;
  readonly target: string;
  readonly messages: AsyncIterable<unknown[]>;
}

async function* streamTrial(followed: FollowedTrial): AsyncGenerator<TrialEvent> {
  const { watched, order, target, messages } = followed;
  const startedMs = performance.now();
  yield { event: "ordered", order, target };
  for await (const [one] of messages) {
    const message = one as TrialMessage;
    switch (message.kind) {
      case "started":
        yield { event: "started", ...message.start };
        break;
      case "progress":
        yield { event: "progress", ...message.progress };
        break;
      case "waiting":
        yield { event: "waiting", elapsedMs: Math.round(performance.now() - startedMs) };
        break;
      case "timed-out":
        yield { event: "end", reason: "timed-out" };
        return;
      case "result":
        yield describeResult(watched, message.result);
        yield { event: "end", reason: "complete" };
        return;
    }
  }
}

/** Probes are not trusted: a measurement must be valid for the kind. */
function validateOutcome(kind: Kind, outcome: Outcome): Outcome {
  if (outcome.kind !== "measured" || kind.isMeasurement(outcome.measurement)) return outcome;
  return { kind: "interrupted", message: "The measurement of the probe is invalid." };
}

function describeResult({ kind, settings }: Watched, received: Result): TrialEvent {
  const result = { ...received, outcome: validateOutcome(kind, received.outcome) };
  const judgement = judgeRun(kind, settings, result);
  const { reasons } = judgement;
  return {
    event: "result",
    kind,
    result,
    judgement,
    explanation: explainVerdict(kind, reasons),
    reasons: reasons.map((reason) => describeReason(kind, reason)),
    assertions: listAssertions(kind, settings, result),
  };
}

type Failed = { readonly index?: number; readonly actual?: unknown; readonly message?: string };

/** After a network error no assertion is evaluated; otherwise each failed assertion is a reason. */
function listAssertions(kind: Kind, settings: Watched["settings"], run: Run): TriedAssertion[] {
  const assertions = kind.listAssertions(settings);
  const isMeasured = run.outcome.kind === "measured";
  const judgement = isMeasured ? kind.judge(settings, run) : null;
  if (judgement === null || judgement.isNetworkError) {
    return assertions.map((assertion) => ({ assertion, passed: null }));
  }
  const failed = new Map(
    judgement.reasons
      .filter(({ name }) => name === "assertion-failed")
      .map((reason) => [(reason as Failed).index, reason as Failed]),
  );
  return assertions.map((assertion, index) => {
    const { actual, message } = failed.get(index) ?? {};
    if (!failed.has(index)) return { assertion, passed: true };
    return { assertion, passed: false, actual, ...(message !== undefined && { message }) };
  });
}
