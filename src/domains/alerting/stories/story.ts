import type { AlertRecord } from "../notifications/store.ts";

/**
 * - open: no recovery was sent yet
 * - recovered: a recovery was sent
 * - ended: the check was deleted, so no recovery can be sent
 * - held: no alert was sent
 * - notice: about a certificate, which has no recovery
 */
export type StoryStatus = "open" | "recovered" | "ended" | "held" | "notice";

const recoveryKinds: readonly string[] = ["ALERT_RECOVERY", "ALERT_DEGRADED_RECOVERY"];

export const isRecovery = ({ kind }: Pick<AlertRecord, "kind">) => recoveryKinds.includes(kind);
export const isHeld = ({ heldKind }: Pick<AlertRecord, "heldKind">) => heldKind !== null;
export const isNotice = ({ kind }: Pick<AlertRecord, "kind">) => kind === "ALERT_SSL";

export interface StoryTimes {
  readonly startedAt: Date | null;
  readonly openedAt: Date | null;
  readonly recoveredAt: Date | null;
}

/** Returns when the problem began, when the first alert was sent and when the recovery was sent. */
export function findTimes(decisions: readonly AlertRecord[]): StoryTimes {
  const sent = decisions.filter((one) => !isHeld(one));
  const recovery = sent.findLast(isRecovery);
  const began = decisions.map((one) => one.startedAt).filter((one) => one !== null);
  return {
    startedAt: began.toSorted((one, other) => one.getTime() - other.getTime())[0] ?? null,
    openedAt: sent[0]?.at ?? null,
    recoveredAt: recovery?.at ?? null,
  };
}

export function decideStatus(decisions: readonly AlertRecord[], isOpen: boolean): StoryStatus {
  if (decisions.every(isHeld)) return "held";
  if (decisions.some(isNotice)) return "notice";
  if (isOpen) return "open";
  return decisions.some(isRecovery) ? "recovered" : "ended";
}
