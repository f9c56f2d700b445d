import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { isTransient } from "../quarantine.ts";
import { type DeliveryDecision, decideAfterAttempt } from "./retry.ts";
import type { SendOutcome } from "./send-outcome.ts";

/** A message that its claimer has to send. */
export interface ClaimedDelivery {
  readonly id: string;
  /** Those of one lane share a provider: a slow one holds up its own lane and no other. */
  readonly lane: string | null;
  readonly attempts: number;
}

export interface DeliveryClaim {
  readonly now: Date;
  /** The claim expires then, and another server may claim the message. */
  readonly until: Date;
  readonly limit: number;
  /** How many are under way already, by lane. */
  readonly underWay: ReadonlyMap<string, number>;
}

export interface DeliveryEnd {
  readonly status: "SENT" | "DEAD" | "PENDING";
  readonly nextAttemptAt: Date;
  readonly sentAt: Date | null;
  readonly statusCode: number | null;
  readonly reason: string | null;
}

/** Where messages wait as rows, and how they leave. */
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
  /** For figures: told of every attempt. */
  readonly observe: (delivery: Claimed, decision: DeliveryDecision["kind"], at: Date) => void;
}

export interface DelivererContext {
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 to 1; spreads those that failed together. */
  readonly chance: () => number;
}

const maxUnderWay = 64;
/** Longer than any kind takes to send or to give up; after a crash, so long until it is retried. */
const claimMs = 40_000;
/** While slow sends are waited for, others may have become due. */
const lookAgainMs = 250;

/** Sends what is due. A provider that is slow holds up its own lane and no other. */
export class Deliverer<Claimed extends ClaimedDelivery, Outcome extends SendOutcome = SendOutcome> {
  readonly #queue: DeliveryQueue<Claimed, Outcome>;
  readonly #context: DelivererContext;
  readonly #underWay = new Map<string, { lane: string | null; done: Promise<void> }>();

  #isStopping = false;

  constructor(queue: DeliveryQueue<Claimed, Outcome>, context: DelivererContext) {
    this.#queue = queue;
    this.#context = context;
  }

  /** Starts sending what is due and gives back how much that was; it does not wait for the end. */
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

  /** Takes the next as soon as one has ended, until nothing is due or it is told to stop. */
  async deliverWhileDue(): Promise<void> {
    while (!this.#isStopping && (await this.deliverDue()) > 0) {
      const look = Promise.withResolvers<void>();
      const timer = setTimeout(look.resolve, lookAgainMs);
      await Promise.race([...this.#underWay.values()].map(({ done }) => done).concat(look.promise));
      clearTimeout(timer);
    }
  }

  /** Begins nothing more of a long backlog, so that a stop need not wait for all of it. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Waits for what is under way. */
  async settle(): Promise<void> {
    await Promise.all([...this.#underWay.values()].map(({ done }) => done));
  }

  /** Waits for what is under way, but not for ever. */
  settleWithin(patienceMs: number): Promise<void> {
    const late = new Promise<void>((resume) => setTimeout(resume, patienceMs).unref());
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
      .catch((error) => this.#context.log.warn({ err: error }, "a delivery was left unfinished"))
      .finally(() => this.#underWay.delete(delivery.id));
    this.#underWay.set(delivery.id, { lane: delivery.lane, done });
  }

  async #deliver(delivery: Claimed): Promise<void> {
    const { clock, log, chance } = this.#context;
    // A fault of ours, such as a lost encryption key, counts as an attempt like any other.
    const outcome = await this.#queue.send(delivery).catch((error): SendOutcome => {
      log.error({ err: error, deliveryId: delivery.id }, "a message was not sent");
      const reason = "The message could not be sent because of a fault on this server.";
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
      // A provider's words that cannot be stored must not have the message sent for ever.
      log.error({ err: error, deliveryId: delivery.id }, "the reason of a delivery was left out");
      const reason = "What became of it could not be stored in full.";
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
