import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";
import { isTransient } from "./quarantine.ts";

/** Maximum number of attempts, which take about 20 hours. Delays double from 5 s to an hour. */
export const maxAttempts = 30;
const firstWaitMs = 5_000;
/** Maximum of the doubled delay, and of the delay that a provider requests with Retry-After. */
export const maxWaitMs = 3_600_000;

const maxUnderWay = 64;
/**
 * How long a claim lasts. It exceeds the time that any channel needs to send a message or to time
 * out. After a crash, a message is retried when its claim has expired.
 */
const claimMs = 40_000;
/** Interval of polling for due messages while slow messages are being sent. */
const pollEveryMs = 250;
/** Maximum duration of one turn, so that a long backlog does not count as a loop that hangs. */
const maxTurnMs = 20_000;

/** Result of one attempt to send a message. */
export type SendOutcome =
  | {
      readonly kind: "sent";
      readonly statusCode: number | null;
      /** Who was paged by a test message, and how. Absent if the channel does not page anyone. */
      readonly recipient?: string;
    }
  | {
      readonly kind: "failed";
      /** Whether a retry is pointless, for example because of a wrong address or a revoked key. */
      readonly isPermanent: boolean;
      readonly statusCode: number | null;
      /** Delay requested by the provider. */
      readonly retryAfterSeconds: number | null;
      /** Reason for the delivery log; never contains a secret. */
      readonly reason: string;
    };

type DeliveryDecision =
  | { readonly kind: "sent" }
  | { readonly kind: "again"; readonly afterMs: number; readonly reason: string }
  | { readonly kind: "dead"; readonly reason: string };

/**
 * Decides what happens after an attempt. `chance` is a random number from 0 to 1. It varies the
 * delay between 75 % and 125 %, so that messages that failed together are retried at different
 * times.
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
  const retryAfterMs = Math.min((retryAfterSeconds ?? 0) * 1_000, maxWaitMs);
  return { kind: "again", afterMs: Math.max(spreadMs, retryAfterMs), reason };
}

/** A message claimed by this server for sending. */
export interface ClaimedDelivery {
  readonly id: string;
  /** Key of the provider. A slow provider delays only messages with the same key. */
  readonly lane: string | null;
  readonly attempts: number;
}

export interface DeliveryClaim {
  readonly now: Date;
  /** When the claim expires. From then on, another server may claim the message. */
  readonly until: Date;
  readonly limit: number;
  /** Number of messages that are being sent, by `lane` (the key of the provider). */
  readonly underWay: ReadonlyMap<string, number>;
}

export interface DeliveryEnd {
  readonly status: "SENT" | "DEAD" | "PENDING";
  readonly nextAttemptAt: Date;
  readonly sentAt: Date | null;
  readonly statusCode: number | null;
  readonly reason: string | null;
}

/** Storage and transport of the messages to deliver. */
export interface DeliveryQueue<
  Claimed extends ClaimedDelivery,
  Outcome extends SendOutcome = SendOutcome,
> {
  readonly claim: (claim: DeliveryClaim) => Promise<readonly Claimed[]>;
  readonly send: (delivery: Claimed) => Promise<Outcome>;
  readonly finish: (
    delivery: Claimed,
    end: DeliveryEnd,
    outcome: Outcome | SendOutcome,
  ) => Promise<void>;
  /** Called after every attempt, for metrics. */
  readonly observe: (delivery: Claimed, decision: DeliveryDecision["kind"], at: Date) => void;
}

interface DelivererContext {
  readonly clock: Clock;
  readonly log: Log;
  /** Returns a random number from 0 to 1, to spread the retries of failed messages. */
  readonly chance: () => number;
}

/** Sends due messages. A slow provider does not delay the messages of other providers. */
export class Deliverer<Claimed extends ClaimedDelivery, Outcome extends SendOutcome = SendOutcome> {
  readonly #queue: DeliveryQueue<Claimed, Outcome>;
  readonly #context: DelivererContext;
  readonly #underWay = new Map<string, { lane: string | null; done: Promise<void> }>();

  #isStopping = false;

  constructor(queue: DeliveryQueue<Claimed, Outcome>, context: DelivererContext) {
    this.#queue = queue;
    this.#context = context;
  }

  /** Starts to send due messages and returns their number, without waiting until they are sent. */
  async deliverDue(): Promise<number> {
    const now = this.#context.clock.now();
    const limit = maxUnderWay - this.#underWay.size;
    if (limit <= 0) return 0;
    const claimed = await this.#queue.claim({
      now,
      until: new Date(now.getTime() + claimMs),
      limit,
      underWay: this.#countByLane(),
    });
    for (const delivery of claimed) this.#begin(delivery);
    return claimed.length;
  }

  /**
   * Claims and sends messages until none is due or being sent, `stop` is called or the turn has
   * taken 20 s. Claims again as soon as a message has been sent.
   */
  async deliverWhileDue(): Promise<void> {
    const endsAtMs = performance.now() + maxTurnMs;
    while (!this.#isStopping && performance.now() < endsAtMs) {
      const begun = await this.deliverDue();
      if (begun === 0 && this.#underWay.size === 0) return;
      const look = Promise.withResolvers<void>();
      const timer = setTimeout(look.resolve, pollEveryMs);
      await Promise.race([...this.#underWay.values()].map(({ done }) => done).concat(look.promise));
      clearTimeout(timer);
    }
  }

  /** Stops claiming messages, so that a shutdown does not wait for a long backlog. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Waits until all claimed messages have been sent or have failed. */
  async settle(): Promise<void> {
    await Promise.all([...this.#underWay.values()].map(({ done }) => done));
  }

  /** Waits until all claimed messages have been sent or have failed, or until the timeout. */
  settleWithin(timeoutMs: number): Promise<void> {
    const late = new Promise<void>((resume) => setTimeout(resume, timeoutMs).unref());
    return Promise.race([this.settle(), late]);
  }

  #countByLane(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { lane } of this.#underWay.values()) {
      if (lane !== null) counts.set(lane, (counts.get(lane) ?? 0) + 1);
    }
    return counts;
  }

  #begin(delivery: Claimed): void {
    const done = this.#deliver(delivery)
      .catch((error) =>
        this.#context.log.warn({ err: error }, "failed to store the outcome of a delivery"),
      )
      .finally(() => this.#underWay.delete(delivery.id));
    this.#underWay.set(delivery.id, { lane: delivery.lane, done });
  }

  async #deliver(delivery: Claimed): Promise<void> {
    const { clock, log, chance } = this.#context;
    // An internal error, such as a lost encryption key, counts as a failed attempt too.
    const outcome = await this.#queue.send(delivery).catch((error): SendOutcome => {
      log.error({ err: error, deliveryId: delivery.id }, "failed to send a message");
      const reason = "The message could not be sent because of an internal error.";
      const nothing = { statusCode: null, retryAfterSeconds: null };
      return { kind: "failed", isPermanent: false, reason, ...nothing };
    });
    const decision = decideAfterAttempt(outcome, delivery.attempts, chance());
    const now = clock.now();
    this.#queue.observe(delivery, decision.kind, now);
    const end = toEnd(decision, outcome.statusCode, now);
    try {
      await this.#queue.finish(delivery, end, outcome);
    } catch (error) {
      if (isTransient(error)) throw error;
      // If the reason cannot be stored, store the outcome without it. Otherwise the message would
      // be sent again and again.
      log.error(
        { err: error, deliveryId: delivery.id },
        "failed to store the reason of a delivery",
      );
      const reason = "The outcome could not be stored completely.";
      await this.#queue.finish(delivery, { ...end, reason, statusCode: null }, outcome);
    }
  }
}

function toEnd(decision: DeliveryDecision, statusCode: number | null, now: Date): DeliveryEnd {
  if (decision.kind === "sent") {
    return { status: "SENT", nextAttemptAt: now, sentAt: now, statusCode, reason: null };
  }
  const { reason } = decision;
  if (decision.kind === "dead") {
    return { status: "DEAD", nextAttemptAt: now, sentAt: null, statusCode, reason };
  }
  const nextAttemptAt = new Date(now.getTime() + decision.afterMs);
  return { status: "PENDING", nextAttemptAt, sentAt: null, statusCode, reason };
}
