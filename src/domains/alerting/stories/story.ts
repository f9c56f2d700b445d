import type { AlertRecord } from "../notifications/store.ts";

/**
 * - open: nobody was told of a recovery so far
 * - recovered: a recovery was told
 * - ended: no recovery can be told any more, as the check was deleted
 * - held: nobody was told
 * - notice: about a certificate, of which no recovery is told
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

/** When it began, when somebody was first told, and when the end was told. */
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
