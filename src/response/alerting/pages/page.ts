import type { DeliveryStatus } from "../delivery-store.ts";

export interface PageMessage {
  readonly id: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly dueAt: Date;
}

/** Number of failed attempts after which a message counts as failed, although retries follow. */
export const failedAttempts = 3;

export type PageProgress =
  /** A message of the page was delivered. */
  | { readonly kind: "reached" }
  | { readonly kind: "waiting" }
  /** The messages sent so far have failed, so the next step of the page is due now. */
  | { readonly kind: "hurry"; readonly ids: readonly string[] }
  /** No message of the page was delivered and no step is left. */
  | { readonly kind: "failed" };

/** Decides how a page continues after an attempt to send one of its messages has failed. */
export function decideProgress(messages: readonly PageMessage[], now: Date): PageProgress {
  if (messages.some(({ status }) => status === "SENT")) return { kind: "reached" };
  const pending = messages.filter(({ status }) => status === "PENDING");
  const isLater = ({ attempts, dueAt }: PageMessage) => attempts === 0 && dueAt > now;
  const isUnderWay = (message: PageMessage) =>
    !isLater(message) && message.attempts < failedAttempts;
  if (pending.some(isUnderWay)) return { kind: "waiting" };
  const later = pending.filter(isLater);
  if (later.length === 0) {
    const isCancelled = messages.some(({ status }) => status === "CANCELLED");
    return { kind: isCancelled ? "waiting" : "failed" };
  }
  const nextMs = Math.min(...later.map(({ dueAt }) => dueAt.getTime()));
  const next = later.filter(({ dueAt }) => dueAt.getTime() === nextMs);
  return { kind: "hurry", ids: next.map(({ id }) => id) };
}

/** Returns whether a target of an escalation step was reached or may still be reached. */
export function decideStep(
  messages: readonly Pick<PageMessage, "status" | "attempts">[],
): "reached" | "waiting" | "failed" {
  if (messages.some(({ status }) => status === "SENT")) return "reached";
  const isWaiting = messages.some(
    ({ status, attempts }) => status === "PENDING" && attempts < failedAttempts,
  );
  return isWaiting ? "waiting" : "failed";
}

/** An alert that a page is about. */
export interface PagedAlert {
  readonly checkId: string;
  readonly alertId: string;
  readonly alertNumber: number;
  readonly kind: string;
}

export const recoveryKinds: readonly string[] = ["ALERT_RECOVERY", "ALERT_DEGRADED_RECOVERY"];
export const isRecoveryKind = (kind: string) => recoveryKinds.includes(kind);

const count = (amount: number, one: string) => `${amount} ${one}${amount === 1 ? "" : "s"}`;

/** Returns a description of the steps of a page, such as "push, email; after 5 minutes ntfy". */
export function describePlan(
  steps: readonly { readonly name: string; readonly afterMinutes: number }[],
): string {
  const byTime = Map.groupBy(steps, ({ afterMinutes }) => afterMinutes);
  return [...byTime]
    .map(([minutes, together]) => {
      const names = together.map(({ name }) => name).join(", ");
      return minutes === 0 ? names : `after ${count(minutes, "minute")} ${names}`;
    })
    .join("; ");
}
