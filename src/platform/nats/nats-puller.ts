import { randomUUID } from "node:crypto";
import type { Msg, Subscription } from "@nats-io/transport-node";
import type { NatsSession } from "./nats-link.ts";
import {
  type DecodedMessage,
  decodeMessage,
  encodingHeader,
  maxUnpackedBytes,
} from "./nats-publisher.ts";
import type { NatsStream } from "./nats-streams.ts";

/**
 * A received message. NATS redelivers a message that is not acknowledged within the timeout of the
 * stream. If handling a message takes longer, call `noteWork` repeatedly.
 */
export interface Delivery<Message = unknown> {
  readonly subject: string;
  readonly message: Message;
  readonly isRedelivered: boolean;
  readonly acknowledge: () => void;
  readonly noteWork: () => void;
  /**
   * Returns the message to NATS, which delivers it again after the delay. Resolves when NATS
   * confirms the return, and also if the confirmation fails or takes too long.
   */
  readonly returnMessage: (delayMs: number) => Promise<void>;
}

interface Pulled {
  readonly deliveries: readonly Delivery[];
  /**
   * Why the pull returned no messages: NATS did not respond (`silent`), or the consumer does not
   * exist (`gone`). `null` if there is no such trouble.
   */
  readonly trouble: PullTrouble | null;
}

export type PullTrouble = "silent" | "gone";

interface OpenPull {
  readonly reply: string;
  readonly taken: Msg[];
  left: number;
  readonly end: (trouble: PullTrouble | null) => void;
}

/** How long a pull waits for the response of NATS, in addition to `waitMs`. */
const answerMs = 3_000;
const heartbeatCode = 100;
/**
 * Maximum number of bytes of a pull. It exceeds the maximum message size that NATS allows (64 MiB).
 */
const maxPullBytes = 65 * 1_048_576;
/** Maximum decompressed size of one pull. Further messages are returned to NATS. */
const maxUnpackedPullBytes = 64 * 1_048_576;
/** Status that ends a waiting pull when its consumer is deleted. Later pulls get no response. */
const consumerDeleted = /consumer deleted/i;

/** Pulls messages from a NATS consumer, never more than requested. */
export class NatsPuller {
  readonly #session: NatsSession;
  readonly #inbox: string;
  readonly #nextSubject: string;
  readonly #subscription: Subscription;
  readonly #onMalformed: (subject: string) => void;
  #open: OpenPull | null = null;
  #pulls = 0;

  constructor(
    session: NatsSession,
    place: {
      readonly stream: NatsStream;
      readonly consumer: string;
      readonly inboxPrefix: string;
      readonly onMalformed: (subject: string) => void;
    },
  ) {
    const { stream, consumer, inboxPrefix } = place;
    this.#session = session;
    this.#onMalformed = place.onMalformed;
    this.#inbox = `${inboxPrefix}.${randomUUID()}`;
    this.#nextSubject = `$JS.API.CONSUMER.MSG.NEXT.${stream.name}.${consumer}`;
    this.#subscription = session.nc.subscribe(`${this.#inbox}.*`, {
      callback: (error, msg) => {
        if (error === null) this.#note(msg);
      },
    });
    void session.nc.closed().then(() => this.#open?.end(null));
  }

  /** Returns up to `count` messages. If none is available, waits up to `waitMs` milliseconds. */
  async pull(count: number, waitMs: number): Promise<Pulled> {
    const { promise, resolve } = Promise.withResolvers<PullTrouble | null>();
    this.#pulls += 1;
    const reply = `${this.#inbox}.${this.#pulls.toString(36)}`;
    const taken: Msg[] = [];
    this.#open = { reply, taken, left: count, end: resolve };
    const timer = setTimeout(() => resolve("silent"), waitMs + answerMs);
    const request = {
      batch: count,
      max_bytes: maxPullBytes,
      ...(waitMs === 0 ? { no_wait: true } : { expires: waitMs * 1_000_000 }),
    };
    try {
      this.#session.nc.publish(this.#nextSubject, JSON.stringify(request), { reply });
    } catch {
      // `publish` throws if the connection has just ended.
      resolve(null);
    }
    const trouble = await promise;
    clearTimeout(timer);
    this.#open = null;
    const deliveries = this.#readAll(taken);
    return { deliveries, trouble: deliveries.length === 0 ? trouble : null };
  }

  /** Ends a waiting pull and the subscription. NATS redelivers a message that arrives later. */
  close(): void {
    this.#open?.end(null);
    if (this.#session.isOpen()) this.#subscription.unsubscribe();
  }

  #note(msg: Msg): void {
    const open = this.#open;
    if (msg.reply?.startsWith("$JS.ACK.")) {
      if (open === null || open.left === 0) {
        msg.respond("-NAK");
        return;
      }
      open.taken.push(msg);
      open.left -= 1;
      if (open.left === 0) open.end(null);
      return;
    }
    // A message with a status ends the pull, unless it is a heartbeat.
    if (open?.reply !== msg.subject || msg.headers?.code === heartbeatCode) return;
    const { description = "" } = msg.headers ?? {};
    open.end(consumerDeleted.test(description) ? "gone" : null);
  }

  #readAll(taken: readonly Msg[]): Delivery[] {
    let leftBytes = maxUnpackedPullBytes;
    return taken.flatMap((msg) => {
      if (leftBytes <= 0) {
        msg.respond("-NAK");
        return [];
      }
      const decoded = this.#decode(msg);
      leftBytes -= decoded?.bytes ?? maxUnpackedBytes;
      return decoded === null ? [] : this.#deliver(msg, decoded.message);
    });
  }

  #decode(msg: Msg): DecodedMessage | null {
    try {
      const isPacked = msg.headers?.get(encodingHeader) === "zstd";
      return decodeMessage({ bytes: msg.data, isPacked });
    } catch {
      // Reject the message permanently, because it would be invalid at each delivery.
      msg.respond("+TERM");
      this.#onMalformed(msg.subject);
      return null;
    }
  }

  #deliver(msg: Msg, message: unknown): Delivery {
    const { subject, reply = "" } = msg;
    const isRedelivered = countDeliveries(reply) > 1;
    const answer = (text: string) => {
      if (this.#session.isOpen()) msg.respond(text);
    };
    const returnMessage = async (delayMs: number) => {
      const text = delayMs === 0 ? "-NAK" : `-NAK {"delay":${delayMs * 1_000_000}}`;
      await this.#session.nc.request(reply, text, { timeout: answerMs }).catch(() => {});
    };
    return {
      subject,
      message,
      isRedelivered,
      acknowledge: () => answer("+ACK"),
      noteWork: () => answer("+WPI"),
      returnMessage,
    };
  }
}

/**
 * Reads the number of deliveries from a reply subject such as
 * `$JS.ACK.<stream>.<consumer>.<deliveries>.…`. Newer servers insert two more parts after `ACK`.
 */
function countDeliveries(reply: string): number {
  const parts = reply.split(".");
  return Number(parts[parts.length <= 9 ? 4 : 6]);
}
