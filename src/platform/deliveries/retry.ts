import type { SendOutcome } from "./send-outcome.ts";

/** About a day: delays double from five seconds to an hour. */
export const maxAttempts = 30;
const firstWaitMs = 5_000;
const maxWaitMs = 3_600_000;
/** Maximum of a provider's Retry-After. */
const maxRetryAfterMs = 6 * 3_600_000;

export type DeliveryDecision =
  | { readonly kind: "sent" }
  | { readonly kind: "again"; readonly afterMs: number; readonly reason: string }
  | { readonly kind: "dead"; readonly reason: string };

/**
 * `chance` is from 0 to 1 and adds up to half of the delay, to spread messages that failed
 * together.
 */
export function decideAfterAttempt(
  outcome: SendOutcome,
  attempts: number,
  chance: number,
): DeliveryDecision {
  if (outcome.kind === "sent") return { kind: "sent" };
  const { isPermanent, reason, retryAfterSeconds } = outcome;
  if (isPermanent) return { kind: "dead", reason };
  if (attempts >= maxAttempts) {
    return { kind: "dead", reason: `${reason} (abandoned after ${attempts} attempts)` };
  }
  const waitMs = Math.min(firstWaitMs * 2 ** (attempts - 1), maxWaitMs);
  const spreadMs = waitMs * (0.75 + 0.5 * chance);
  const retryAfterMs = Math.min((retryAfterSeconds ?? 0) * 1_000, maxRetryAfterMs);
  return { kind: "again", afterMs: Math.max(spreadMs, retryAfterMs), reason };
}
