import type { DeliveryStatus } from "../delivery-store.ts";

/** One message of a page. */
export interface PageMessage {
  readonly id: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly dueAt: Date;
}

/** After this many failed attempts a message no longer counts; it is still retried. */
export const failedAttempts = 3;

export type PageProgress =
  /** Somebody was reached. */
  | { readonly kind: "reached" }
  | { readonly kind: "waiting" }
  /** What was sent so far failed, so that the next step does not wait for its time. */
  | { readonly kind: "hurry"; readonly ids: readonly string[] }
  /** Nothing reached the member. */
  | { readonly kind: "failed" };

/** Decides how a page continues after an attempt to send one of its messages failed. */
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

/** Whether another target of the same step was reached, or may still be. */
export function decideStep(
  messages: readonly Pick<PageMessage, "status" | "attempts">[],
): "reached" | "waiting" | "failed" {
  if (messages.some(({ status }) => status === "SENT")) return "reached";
  const isWaiting = messages.some(
    ({ status, attempts }) => status === "PENDING" && attempts < failedAttempts,
  );
  return isWaiting ? "waiting" : "failed";
}

/** A check whose alert is paged. */
export interface PagedAlert {
  readonly checkId: string;
  readonly alertId: string;
  readonly alertNumber: number;
  readonly kind: string;
}

const recoveryKinds: readonly string[] = ["ALERT_RECOVERY", "ALERT_DEGRADED_RECOVERY"];
export const isRecoveryKind = (kind: string) => recoveryKinds.includes(kind);

const count = (amount: number, one: string) => `${amount} ${one}${amount === 1 ? "" : "s"}`;

/** Describes the steps of a page: "push, email; after 5 minutes ntfy". */
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
