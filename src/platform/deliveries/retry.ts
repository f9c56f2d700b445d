import type { SendOutcome } from "./send-outcome.ts";

/** A day of trying: the waits double from five seconds to an hour. */
export const maxAttempts = 30;
const firstWaitMs = 5_000;
const maxWaitMs = 3_600_000;
/** A provider's Retry-After may exceed our own waits, but not by days. */
const maxAskedMs = 6 * 3_600_000;

export type DeliveryDecision =
  | { readonly kind: "sent" }
  | { readonly kind: "again"; readonly afterMs: number; readonly reason: string }
  | { readonly kind: "dead"; readonly reason: string };

/** `chance` is from 0 to 1 and spreads those that failed together by half of the wait. */
export function decideAfterAttempt(
  outcome: SendOutcome,
  attempts: number,
  chance: number,
): DeliveryDecision {
  if (outcome.kind === "sent") return { kind: "sent" };
  const { isPermanent, reason, retryAfterSeconds } = outcome;
  if (isPermanent) return { kind: "dead", reason };
  if (attempts >= maxAttempts) {
    return { kind: "dead", reason: `${reason} (given up after ${attempts} attempts)` };
  }
  const waitMs = Math.min(firstWaitMs * 2 ** (attempts - 1), maxWaitMs);
  const spreadMs = waitMs * (0.75 + 0.5 * chance);
  const askedMs = Math.min((retryAfterSeconds ?? 0) * 1_000, maxAskedMs);
  return { kind: "again", afterMs: Math.max(spreadMs, askedMs), reason };
}
