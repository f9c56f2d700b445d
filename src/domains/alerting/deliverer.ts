import {
  type ChannelType,
  channelKinds,
  findChannel,
  type SendOutcome,
  sendThrough,
  unsealConfig,
} from "../alert-channels/index.ts";
import type { AlertingContext } from "./context.ts";
import { decideAfterAttempt } from "./delivery.ts";
import { type ClaimedDelivery, claimDeliveries, finishDelivery } from "./delivery-store.ts";

const maxUnderWay = 64;
const perChannel = 4;
/** Longer than any kind takes to send or to give up; after a crash, so long until it is retried. */
const claimMs = 40_000;
/** While the slow are waited for, others may have become due. */
const lookAgainMs = 250;

/** Sends what is due. A provider that is slow holds up its own channel and no other. */
export class Deliverer {
  readonly #context: AlertingContext;
  readonly #chance: () => number;
  readonly #underWay = new Map<string, { channelId: number | null; done: Promise<void> }>();

  #isStopping = false;

  constructor(context: AlertingContext, chance: () => number) {
    this.#context = context;
    this.#chance = chance;
  }

  /** Starts sending what is due and gives back how much that was; it does not wait for the end. */
  async deliverDue(): Promise<number> {
    const now = this.#context.clock.now();
    const limit = maxUnderWay - this.#underWay.size;
    if (limit <= 0) return 0;
    const claimed = await claimDeliveries(this.#context.pool, {
      now,
      until: new Date(now.getTime() + claimMs),
      limit,
      perChannel,
      underWay: this.#countByChannel(),
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

  #countByChannel(): Map<number, number> {
    const counts = new Map<number, number>();
    for (const { channelId } of this.#underWay.values()) {
      if (channelId !== null) counts.set(channelId, (counts.get(channelId) ?? 0) + 1);
    }
    return counts;
  }

  #begin(delivery: ClaimedDelivery): void {
    const done = this.#deliver(delivery)
      .catch((error) => this.#context.log.warn({ err: error }, "a delivery was left unfinished"))
      .finally(() => this.#underWay.delete(delivery.id));
    this.#underWay.set(delivery.id, { channelId: delivery.alertChannelId, done });
  }

  async #send(delivery: ClaimedDelivery): Promise<SendOutcome> {
    const { db, encryption } = this.#context;
    const { accountId, alertChannelId, message } = delivery;
    const channel =
      alertChannelId === null ? null : await findChannel(db, accountId, alertChannelId);
    if (channel === null) {
      const reason = "The channel was deleted.";
      const nothing = { statusCode: null, retryAfterSeconds: null };
      return { kind: "failed", isPermanent: true, reason, ...nothing };
    }
    const kind = channelKinds[channel.type as ChannelType];
    const config = unsealConfig(kind, channel.config, encryption);
    return sendThrough(this.#context, { ...channel, config }, message);
  }

  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    const { pool, clock, alertMetrics } = this.#context;
    // A fault of ours, such as a lost encryption key, counts as an attempt like any other.
    const outcome = await this.#send(delivery).catch((error): SendOutcome => {
      this.#context.log.error({ err: error, deliveryId: delivery.id }, "a message was not sent");
      const reason = "The message could not be sent because of a fault on this server.";
      const nothing = { statusCode: null, retryAfterSeconds: null };
      return { kind: "failed", isPermanent: false, reason, ...nothing };
    });
    const decision = decideAfterAttempt(outcome, delivery.attempts, this.#chance());
    alertMetrics.deliveries.inc({ outcome: decision.kind });
    const now = clock.now();
    const { statusCode } = outcome;
    if (decision.kind === "sent") {
      const waitedMs = now.getTime() - delivery.decidedAt.getTime();
      alertMetrics.deliverySeconds.observe(waitedMs / 1_000);
      const end = { nextAttemptAt: now, sentAt: now, statusCode, reason: null };
      await finishDelivery(pool, delivery.id, { status: "SENT", ...end });
      return;
    }
    const isOver = decision.kind === "dead";
    const nextAttemptAt = isOver ? now : new Date(now.getTime() + decision.afterMs);
    await finishDelivery(pool, delivery.id, {
      status: isOver ? "DEAD" : "PENDING",
      nextAttemptAt,
      sentAt: null,
      statusCode,
      reason: decision.reason,
    });
  }
}
