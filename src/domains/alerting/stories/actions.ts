import { notFound } from "../../../platform/errors.ts";
import type { Caller } from "../../accounts/index.ts";
import { findNextSteps } from "../alert-decision.ts";
import { findHold, type HoldReason } from "../alert-rules.ts";
import { type AlertState, isAlertCurrent } from "../alert-state.ts";
import type { AlertingContext } from "../context.ts";
import { loadDecisionSnapshot, rulesFor } from "../decision-snapshot.ts";
import { type AlertRecord, listReceiptsOf, type Receipt } from "../notifications/store.ts";
import {
  findAcknowledgement,
  findAlertRecord,
  findAlertState,
  listStory,
  type StoredAcknowledgement,
} from "./store.ts";
import { decideStatus, findTimes, isHeld, type StoryStatus, type StoryTimes } from "./story.ts";

const maxMessages = 500;

/** The steps that follow unless the alert is acknowledged or the check recovers. */
export interface ComingSteps {
  readonly reminderAtMs: number | null;
  readonly escalation: {
    readonly atMs: number;
    readonly stage: number;
    readonly alertChannelIds: readonly number[];
  } | null;
  /** Why due messages are held; `null` if they are not. */
  readonly heldReason: HoldReason | null;
}

export interface AlertStory extends StoryTimes {
  readonly id: string;
  readonly checkId: string;
  readonly checkName: string | null;
  readonly status: StoryStatus;
  readonly acknowledgement: StoredAcknowledgement | null;
  readonly decisions: readonly AlertRecord[];
  readonly decisionsTotal: number;
  readonly messages: readonly Receipt[];
  /** `null` if no further step is due by time. */
  readonly next: ComingSteps | null;
}

async function findComingSteps(
  context: AlertingContext,
  checkId: string,
  state: AlertState,
): Promise<ComingSteps | null> {
  if (!isAlertCurrent(state) || state.acknowledgedAtMs !== null) return null;
  const snapshot = await loadDecisionSnapshot(context, [checkId]);
  const watched = snapshot.watched.get(checkId);
  if (watched === undefined) return null;
  const rules = rulesFor(snapshot, watched);
  const { reminderAtMs, escalation } = findNextSteps(state, rules);
  if (reminderAtMs === null && escalation === null) return null;
  const stages = rules.escalationStages.toSorted(
    (one, other) => one.afterMinutes - other.afterMinutes,
  );
  const alertChannelIds = stages[(escalation?.stage ?? 0) - 1]?.channelIds ?? [];
  const hold = findHold(rules, [context.clock.now().getTime()]) ?? state.heldReason;
  return {
    reminderAtMs,
    escalation: escalation && { ...escalation, alertChannelIds },
    heldReason: hold ?? (state.isFlapping ? "flapping" : null),
  };
}

/** Loads the whole history of the problem that an alert is part of. */
export async function readStory(
  context: AlertingContext,
  { accountId }: Pick<Caller, "accountId">,
  id: string,
): Promise<AlertStory> {
  const { db } = context;
  const alert = await findAlertRecord(db, accountId, id);
  if (alert === null) throw notFound();
  const { checkId, checkName } = alert;
  const { decisions, total } = await listStory(db, accountId, alert);
  const opening = decisions.find((one) => !isHeld(one)) ?? null;
  const state = opening === null ? null : await findAlertState(db, accountId, checkId);
  const isOpen = state?.alertedKind != null && state.alertNumber === opening?.alertNumber;
  const alertIds = decisions.map((one) => one.id);
  return {
    id: (opening ?? decisions[0] ?? alert).id,
    checkId,
    checkName,
    status: decideStatus(decisions, isOpen),
    ...findTimes(decisions),
    acknowledgement: opening === null ? null : await findAcknowledgement(db, accountId, opening),
    decisions,
    decisionsTotal: total,
    messages: await listReceiptsOf(db, accountId, { alertIds, limit: maxMessages }),
    next: isOpen ? await findComingSteps(context, checkId, state) : null,
  };
}
