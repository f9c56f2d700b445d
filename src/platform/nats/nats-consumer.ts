import type { ConsumeEachOptions, ConsumeOptions, Consumer } from "../bus.ts";
import { ReturnedMessageError, retryMs } from "../bus.ts";
import type { Log } from "../log.ts";
import { Progress } from "../progress.ts";
import { type NatsLink, type NatsSession, pause } from "./nats-link.ts";
import { type Delivery, NatsPuller, type PullTrouble } from "./nats-puller.ts";
import type { NatsStream } from "./nats-streams.ts";

export interface ConsumerPlace {
  readonly link: NatsLink;
  readonly stream: NatsStream;
  readonly pattern: string;
  readonly log: Log;
  /**
   * Creates the NATS consumer, if this process may do so. Called again if the NATS consumer does
   * not respond.
   */
  readonly ensure: (session: NatsSession) => Promise<void>;
  /** Returns the current name of the NATS consumer. */
  readonly nameConsumer: () => string;
  readonly onGone: () => void;
  readonly onRedelivered: (count: number) => void;
  readonly onMalformed: (subject: string) => void;
}

/** How long a pull waits for messages. Each new pull verifies that NATS still responds. */
const waitMs = 5_000;
/** First pause before a retry. It is short, because the consumer may just have been replaced. */
const firstPauseMs = 50;
const maxPauseMs = 1_000;
/** Maximum number of messages that one pull requests. */
const maxPortion = 500;
const again = "failed and will be delivered again";

type Take = (puller: NatsPuller) => Promise<void>;

/** Pulls messages until `stop` is called. After a reconnect, pulling continues. */
function startPulling(place: ConsumerPlace, take: Take) {
  const { link, stream, pattern, log } = place;
  const stopping = new AbortController();
  let puller: NatsPuller | null = null;
  let pauseMs = firstPauseMs;
  const runSession = async (session: NatsSession) => {
    await place.ensure(session);
    const { inboxPrefix } = link;
    const own = new NatsPuller(session, {
      ...{ stream, inboxPrefix, consumer: place.nameConsumer(), onMalformed: place.onMalformed },
    });
    puller = own;
    try {
      while (!stopping.signal.aborted && session.isOpen()) {
        await take(own);
        pauseMs = firstPauseMs;
      }
    } finally {
      own.close();
      puller = null;
    }
  };
  const run = async () => {
    while (!stopping.signal.aborted && !link.isStopped) {
      try {
        await runSession(await link.session(stopping.signal));
      } catch (error) {
        if (stopping.signal.aborted || link.isStopped) return;
        if (error instanceof NoConsumerError) place.onGone();
        if (pauseMs >= maxPauseMs)
          log.warn({ err: error, subject: pattern }, "pulling from NATS failed; retrying");
        await pause(pauseMs, stopping.signal);
        pauseMs = Math.min(2 * pauseMs, maxPauseMs);
      }
    }
  };
  const done = run();
  return {
    isStopped: () => stopping.signal.aborted,
    signal: stopping.signal,
    stop: async () => {
      stopping.abort(new Error("the consumer stops"));
      puller?.close();
      await done;
    },
  };
}

/** Thrown if the NATS consumer does not respond to a pull or does not exist. */
class NoConsumerError extends Error {
  readonly trouble: PullTrouble;

  constructor(pattern: string, trouble: PullTrouble) {
    super(
      `the consumer of ${pattern} ${trouble === "gone" ? "does not exist" : "does not respond"}`,
    );
    this.trouble = trouble;
  }
}

/** Returns the available messages. If there are none, waits a limited time for the next ones. */
async function pullSome(
  puller: NatsPuller,
  { pattern, onRedelivered }: ConsumerPlace,
  count: number,
): Promise<Delivery[]> {
  const pullOnce = async (wanted: number, patienceMs: number) => {
    const { deliveries, trouble } = await puller.pull(wanted, patienceMs);
    if (trouble !== null) throw new NoConsumerError(pattern, trouble);
    return deliveries;
  };
  const taken = [...(await pullOnce(count, 0))];
  if (taken.length === 0) {
    taken.push(...(await pullOnce(1, waitMs)));
    if (taken.length > 0 && count > 1) taken.push(...(await puller.pull(count - 1, 0)).deliveries);
  }
  const repeated = taken.filter(({ isRedelivered }) => isRedelivered).length;
  if (repeated > 0) onRedelivered(repeated);
  return taken;
}

export function startNatsConsumer<Message>(
  place: ConsumerPlace,
  { name, maxBatch, handle }: ConsumeOptions<Message>,
): Consumer {
  const { pattern, stream, log } = place;
  const progress = new Progress({ name: name ?? pattern });
  const returnMessage = (batch: readonly Delivery[]) =>
    Promise.all(batch.map((delivery) => delivery.returnMessage(0)));
  const handleBatch = async (batch: readonly Delivery[]) => {
    const beat = setInterval(() => {
      for (const delivery of batch) delivery.noteWork();
    }, stream.ackWaitMs / 3);
    progress.begin();
    try {
      await handle(
        batch.map(({ message }) => message as Message),
        batch.map(({ subject }) => subject),
      );
      progress.succeed();
      for (const delivery of batch) delivery.acknowledge();
    } catch (error) {
      progress.fail();
      log.warn({ err: error, subject: pattern, messages: batch.length }, `a batch ${again}`);
      // If NATS delayed the redelivery, it would deliver newer messages before this batch. The
      // pause is therefore made here, and NATS redelivers the returned batch without a delay.
      await pause(retryMs, pulling.signal);
      await returnMessage(batch);
    } finally {
      clearInterval(beat);
    }
  };
  const pulling = startPulling(place, async (puller) => {
    const batch = await pullSome(puller, place, maxBatch);
    if (batch.length === 0) return;
    if (pulling.isStopped()) await returnMessage(batch);
    else await handleBatch(batch);
  });
  return { progress: () => progress.state(), stop: pulling.stop };
}

/**
 * Messages in progress. While they are handled, NATS is notified regularly that the work continues.
 */
class OpenDeliveries {
  readonly #open = new Map<Delivery, Promise<void>>();
  readonly #beat: NodeJS.Timeout;
  #onCapacity = () => {};

  constructor(ackWaitMs: number) {
    this.#beat = setInterval(() => {
      for (const delivery of this.#open.keys()) delivery.noteWork();
    }, ackWaitMs / 3).unref();
  }

  get size(): number {
    return this.#open.size;
  }

  add(delivery: Delivery, handled: Promise<void>): void {
    const over = handled.finally(() => {
      this.#open.delete(delivery);
      this.#onCapacity();
    });
    this.#open.set(delivery, over);
  }

  /** Waits until a message has been handled or the consumer stops. */
  async waitForCapacity(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onCapacity = resolve;
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
    await promise;
  }

  async end(): Promise<void> {
    await Promise.all(this.#open.values());
    clearInterval(this.#beat);
  }
}

export function startNatsEachConsumer<Message>(
  place: ConsumerPlace,
  { name, maxOpen, handle }: ConsumeEachOptions<Message>,
): Consumer {
  const { pattern, stream, log } = place;
  const progress = new Progress({ name: name ?? pattern });
  const inHand = new OpenDeliveries(stream.ackWaitMs);
  const minRoom = Math.min(100, Math.ceil(maxOpen / 8));
  const handleOne = async (delivery: Delivery) => {
    try {
      await handle(delivery.message as Message, delivery.subject);
      progress.succeed();
      delivery.acknowledge();
    } catch (error) {
      if (!(error instanceof ReturnedMessageError)) {
        progress.fail();
        log.warn({ err: error, subject: pattern }, `a message ${again}`);
      }
      await delivery.returnMessage(pulling.isStopped() ? 0 : retryMs);
    }
  };
  const pulling = startPulling(place, async (puller) => {
    const room = maxOpen - inHand.size;
    if (room < minRoom) return inHand.waitForCapacity(pulling.signal);
    for (const delivery of await pullSome(puller, place, Math.min(room, maxPortion))) {
      if (pulling.isStopped()) await delivery.returnMessage(0);
      else inHand.add(delivery, handleOne(delivery));
    }
  });
  return {
    progress: () => progress.state(),
    stop: async () => {
      await pulling.stop();
      await inHand.end();
    },
  };
}
