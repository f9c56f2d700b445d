import { randomUUID } from "node:crypto";
import type { Msg, Subscription } from "@nats-io/transport-node";
import { type DecodedMessage, decodeMessage, maxUnpackedBytes } from "./message-codec.ts";
import type { NatsSession } from "./nats-link.ts";
import { encodingHeader } from "./nats-publisher.ts";
import type { NatsStream } from "./nats-streams.ts";

/** Whoever holds it longer than the stream's patience must say that it is still at work. */
export interface Delivery<Message = unknown> {
  readonly subject: string;
  readonly message: Message;
  readonly isRedelivered: boolean;
  readonly acknowledge: () => void;
  readonly noteWork: () => void;
  /** Resolves when NATS knows it; somebody gets the message after the delay. */
  readonly giveBack: (delayMs: number) => Promise<void>;
}

export interface Pulled {
  readonly deliveries: readonly Delivery[];
  /** Why nothing came: not even a refusal, or because the consumer is not there; null: it is. */
  readonly trouble: PullTrouble | null;
}

export type PullTrouble = "silent" | "gone";

interface OpenPull {
  readonly reply: string;
  readonly taken: Msg[];
  left: number;
  readonly end: (trouble: PullTrouble | null) => void;
}

/** For a pull that does not wait: by then an answer has come, or none comes. */
const answerMs = 3_000;
const heartbeatCode = 100;
/** More than the largest message that NATS can be configured to accept, which is 64 MiB. */
const maxPullBytes = 65 * 1_048_576;
/** Of the texts of one pull: small messages may unpack to large ones. The rest is given back. */
const maxUnpackedPullBytes = 64 * 1_048_576;
/** Said to pulls that wait; one that comes later is not answered at all. */
const consumerDeleted = /consumer deleted/i;

/** Asks a consumer of NATS for messages: exactly as many as wanted, when they are wanted. */
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

  /** What is there, up to `count`; if there is nothing and `waitMs` is not 0, the next that comes. */
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
      // The connection has just ended.
      resolve(null);
    }
    const trouble = await promise;
    clearTimeout(timer);
    this.#open = null;
    const deliveries = this.#readAll(taken);
    return { deliveries, trouble: deliveries.length === 0 ? trouble : null };
  }

  /** Ends a pull that waits; a message that was on its way goes back at once. */
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
    // Any status but a heartbeat says that no more comes of this pull.
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
      // It will be the same however often it is handed over.
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
    const giveBack = async (delayMs: number) => {
      const text = delayMs === 0 ? "-NAK" : `-NAK {"delay":${delayMs * 1_000_000}}`;
      await this.#session.nc.request(reply, text, { timeout: answerMs }).catch(() => {});
    };
    return {
      subject,
      message,
      isRedelivered,
      acknowledge: () => answer("+ACK"),
      noteWork: () => answer("+WPI"),
      giveBack,
    };
  }
}

/** `$JS.ACK.<stream>.<consumer>.<deliveries>.…`; newer servers put two more parts in front. */
function countDeliveries(reply: string): number {
  const parts = reply.split(".");
  return Number(parts[parts.length <= 9 ? 4 : 6]);
}
