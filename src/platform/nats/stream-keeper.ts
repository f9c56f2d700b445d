import type { JetStreamManager } from "@nats-io/jetstream";
import type { Log } from "../log.ts";
import { type Loop, startLoop } from "../loop.ts";
import type { BusMetrics } from "./bus-metrics.ts";
import { ensureStreams, type NatsStream } from "./nats-streams.ts";

/** A stream that existed, went missing and was recreated. */
export interface RecreatedStream {
  readonly name: string;
  readonly at: Date;
}

export interface StreamKeeperOptions {
  readonly streams: readonly NatsStream[];
  readonly replicas: number;
  readonly log: Log;
  readonly metrics: BusMetrics;
  /** `null` while there is no connection. */
  readonly openManager: () => Promise<JetStreamManager> | null;
}

const lookEveryMs = 5_000;
const restMs = 250;

/** Creates the streams, and recreates deleted ones. */
export class StreamKeeper {
  readonly #options: StreamKeeperOptions;
  readonly #existing = new Set<string>();
  readonly #recreated = new Map<string, RecreatedStream>();
  #wake = () => {};

  constructor(options: StreamKeeperOptions) {
    this.#options = options;
  }

  /** The last recreation of each stream. */
  get recreated(): readonly RecreatedStream[] {
    return [...this.#recreated.values()];
  }

  /** Checks the streams at once, after a publisher found that none accepts its message. */
  readonly checkNow = (): void => this.#wake();

  async ensure(jsm: JetStreamManager): Promise<void> {
    const { streams, replicas } = this.#options;
    await this.#noteMissing(jsm);
    await ensureStreams(jsm, streams, replicas);
    for (const { name } of streams) this.#existing.add(name);
  }

  watch(): Loop {
    return startLoop({
      name: "watch the streams of NATS",
      isEssential: false,
      everyMs: lookEveryMs,
      restMs,
      onWork: (wake) => {
        this.#wake = wake;
      },
      log: this.#options.log,
      turn: async () => {
        const jsm = await this.#options.openManager();
        if (jsm !== null && (await listMissing(jsm, this.#options.streams)).length > 0) {
          await this.ensure(jsm);
        }
      },
    });
  }

  async #noteMissing(jsm: JetStreamManager): Promise<void> {
    if (this.#existing.size === 0) return;
    const { log, metrics, streams } = this.#options;
    for (const name of await listMissing(jsm, streams)) {
      if (!this.#existing.has(name)) continue;
      this.#recreated.set(name, { name, at: new Date() });
      metrics.recreated.inc({ stream: name });
      log.error({ stream: name }, "a NATS stream was missing and is recreated");
    }
  }
}

async function listMissing(
  jsm: JetStreamManager,
  streams: readonly NatsStream[],
): Promise<string[]> {
  const names = new Set<string>();
  for await (const name of jsm.streams.names()) names.add(name);
  return streams.flatMap(({ name }) => (names.has(name) ? [] : name));
}
