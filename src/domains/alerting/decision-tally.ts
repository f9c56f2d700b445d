import { createOrderedIds } from "../../platform/ordered-id.ts";
import type { Watched } from "../schedule/index.ts";
import { type Decision, findNextTickMs, findStartMs } from "./alert-decision.ts";
import type { OutgoingAlert } from "./alert-message.ts";
import type { AlertRules } from "./alert-rules.ts";
import type { AlertState } from "./alert-state.ts";
import type { DecidedAlert, SavedAlertState } from "./decider-store.ts";
import { type DecisionSnapshot, rulesFor } from "./decision-snapshot.ts";
import { explainDecision } from "./decision-words.ts";
import { listReachedChannelIds } from "./escalation.ts";
import type { TroubleLedger } from "./trouble-ledger.ts";

/** Interval at which a held alert is evaluated again. */
const heldTickMs = 60_000;

/**
 * Creates ids that are ordered even within a millisecond, because alerts are listed in id order.
 */
const createAlertId = createOrderedIds();

export interface Outcome {
  readonly states: readonly SavedAlertState[];
  readonly rows: readonly DecidedAlert[];
  readonly outgoing: readonly OutgoingAlert[];
  readonly troubles: TroubleLedger;
}

/** Collects the decisions of a batch. */
export class DecisionTally {
  readonly troubles: TroubleLedger;
  readonly #states = new Map<string, { watched: Watched; state: AlertState }>();
  readonly #rows: DecidedAlert[] = [];
  readonly #outgoing: Omit<OutgoingAlert, "reachedChannelIds">[] = [];
  readonly #lastDecisions: Map<string, string>;

  constructor(lastDecisions: Map<string, string>, troubles: TroubleLedger) {
    this.#lastDecisions = lastDecisions;
    this.troubles = troubles;
  }

  stateOf(checkId: string): AlertState | undefined {
    return this.#states.get(checkId)?.state;
  }

  add(
    watched: Watched,
    state: AlertState,
    rules: AlertRules,
    decisions: readonly Decision[],
  ): void {
    this.#states.set(watched.checkId, { watched, state });
    for (const decision of decisions) this.#note(watched, state, rules, decision);
  }

  #note(watched: Watched, state: AlertState, rules: AlertRules, decision: Decision): void {
    const { checkId, accountId } = watched;
    const isSent = decision.kind !== "NO_ALERT";
    const heldKind = isSent ? null : decision.heldKind;
    if (!isSent && heldKind === null) return;
    const summary = `${decision.kind} ${heldKind ?? ""} ${decision.reason}`;
    // Store an alert that stays held for the same reason only once.
    if (!isSent && this.#lastDecisions.get(checkId) === summary) return;
    this.#lastDecisions.set(checkId, summary);
    const id = createAlertId();
    this.#rows.push({
      id,
      accountId,
      checkId,
      alertNumber: isSent ? decision.alertNumber : state.alertNumber,
      kind: decision.kind,
      heldKind,
      reason: decision.reason,
      explanation: explainDecision(decision, state, rules),
      startedAt: new Date(isSent ? decision.startedAtMs : findStartMs(state)),
      parentId: isSent ? null : decision.parentId,
      resultId: decision.resultId,
      isReminder: isSent && decision.isReminder,
      at: new Date(decision.atMs),
    });
    if (isSent) this.#outgoing.push({ id, watched, alert: decision });
  }

  finish(snapshot: DecisionSnapshot, nowMs: number): Outcome {
    const states = [...this.#states.values()].map(({ watched, state }) => {
      const { checkId, accountId } = watched;
      const rules = rulesFor(snapshot, watched);
      const moments = [
        findNextTickMs(state, rules),
        this.troubles.findNextMs(watched, state, rules),
      ].filter((one) => one !== null);
      const tickMs = moments.length === 0 ? null : Math.min(...moments);
      const nextTickAtMs = tickMs === null ? null : tickMs > nowMs ? tickMs : nowMs + heldTickMs;
      return { checkId, accountId, state, nextTickAtMs };
    });
    const outgoing = this.#outgoing.map((one) => {
      const { escalationStages } = rulesFor(snapshot, one.watched);
      const { escalationStage } = one.alert;
      return {
        ...one,
        reachedChannelIds: listReachedChannelIds(escalationStages, escalationStage),
      };
    });
    return { states, rows: this.#rows, outgoing, troubles: this.troubles };
  }
}
