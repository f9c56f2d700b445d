import { setTimeout as sleep } from "node:timers/promises";
import type { Order } from "../contract/order.ts";
import {
  type AssetRun,
  type AssetSink,
  boundAssets,
  packAssets,
  type RunAsset,
} from "../contract/run-asset.ts";
import type { CodeSource } from "../kinds/kit/prober.ts";
import { BoundedMap } from "../platform/bounded-map.ts";
import type { Log } from "../platform/log.ts";
import type { Outbound } from "../platform/outbound.ts";

/** Sends the packed files of a run. Throws `AssetRejection` if a retry is pointless. */
type SendAssets = (grant: string, packed: Buffer) => Promise<void>;

export class AssetRejection extends Error {}

/**
 * Maximum number of upload grants stored in memory. Each grant allows the probe to send the files
 * of one run.
 */
const maxGrants = 10_000;
/**
 * Maximum number of bytes of files that wait to be sent. Files that would exceed it are dropped.
 */
const maxQueuedBytes = 100 * 1024 * 1024;
const pausesMs = [1_000, 5_000, 20_000];

interface AssetOutboxOptions {
  readonly send: SendAssets;
  readonly log: Log;
  /** Pauses between attempts, in milliseconds. Tests shorten the pauses. */
  readonly retryPausesMs?: readonly number[];
}

/**
 * Sends the files of runs to the server, one run at a time. Results do not wait for files. Files
 * that cannot be sent are dropped, because a result is useful even without its files.
 */
export class AssetOutbox implements AssetSink {
  readonly #options: AssetOutboxOptions;
  readonly #grants = new BoundedMap<string, string>(maxGrants);
  readonly #stopping = new AbortController();
  #queuedBytes = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(options: AssetOutboxOptions) {
    this.#options = options;
  }

  /**
   * Stores the upload grant of a run order. With the grant, the probe may send the files of the
   * run.
   */
  note({ runId, assetGrant }: Order): void {
    if (assetGrant !== undefined) this.#grants.set(runId, assetGrant);
  }

  /**
   * Returns the upload grant of a run, which proves that this probe received the run order; `null`
   * if there is none.
   */
  findGrant(runId: string): string | null {
    return this.#grants.get(runId) ?? null;
  }

  /** Adds the files of a run to the queue. Resolves before the files are sent. */
  async save({ runId }: AssetRun, assets: readonly RunAsset[]): Promise<void> {
    const grant = this.#grants.get(runId);
    if (grant === undefined) throw new Error("the server accepts no files of this run");
    const packed = packAssets(boundAssets(assets));
    if (this.#queuedBytes + packed.length > maxQueuedBytes) {
      throw new Error("files of a run were dropped: too many wait for the connection");
    }
    this.#queuedBytes += packed.length;
    this.#last = this.#last
      .then(() => this.#send(grant, packed))
      .catch((error) => {
        this.#options.log.warn({ err: error, runId }, "files of a run could not be sent");
      })
      .finally(() => {
        this.#queuedBytes -= packed.length;
      });
  }

  /** Waits until the files in the queue are sent, or until the timeout. */
  async stop(timeoutMs: number): Promise<void> {
    const timer = setTimeout(() => this.#stopping.abort(), timeoutMs);
    const aborted = new Promise<void>((resume) =>
      this.#stopping.signal.addEventListener("abort", () => resume(), { once: true }),
    );
    await Promise.race([this.#last, aborted]);
    this.#stopping.abort();
    clearTimeout(timer);
  }

  async #send(grant: string, packed: Buffer): Promise<void> {
    const { send, retryPausesMs = pausesMs } = this.#options;
    for (const pauseMs of [...retryPausesMs, null]) {
      this.#stopping.signal.throwIfAborted();
      try {
        return await send(grant, packed);
      } catch (error) {
        if (pauseMs === null || error instanceof AssetRejection) throw error;
        await sleep(pauseMs, undefined, { signal: this.#stopping.signal });
      }
    }
  }
}

const uploadTimeoutMs = 60_000;
/** Maximum size of the code of a run. It exceeds the maximum that a server accepts in uploads. */
const maxCodeBytes = 16 * 1024 * 1024;

interface FileServer {
  readonly server: string;
  readonly token: string;
  readonly outbound: Outbound;
}

/** Loads the code of runs from the server over HTTP, authenticated with the probe's key. */
export function createHttpCodeSource(
  { server, token, outbound }: FileServer,
  outbox: AssetOutbox,
): CodeSource {
  return {
    load: async ({ runId }, key) => {
      const grant = outbox.findGrant(runId);
      if (grant === null) return { reason: "The server gave no access to the code of this run." };
      const digest = encodeURIComponent(key.replace(/^bundle\//, ""));
      const result = await outbound.request({
        method: "GET",
        url: `${server.replace(/\/+$/, "")}/v1/probe/code/${digest}`,
        headers: { authorization: `Bearer ${token}`, "x-asset-grant": grant },
        timeoutMs: uploadTimeoutMs,
        maxResponseBytes: maxCodeBytes,
      });
      if (result.kind === "answered" && result.status === 200) return result.bodyBytes;
      const why = result.kind === "answered" ? `status ${result.status}` : result.message;
      return { reason: `The code of the check could not be loaded from the server: ${why}.` };
    },
  };
}

/** Sends the files of runs to the server over HTTP, authenticated with the probe's key. */
export function createHttpSender({ server, token, outbound }: FileServer): SendAssets {
  const url = `${server.replace(/\/+$/, "")}/v1/probe/assets`;
  return async (grant, packed) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/octet-stream",
      "x-asset-grant": grant,
    };
    const request = { method: "POST", url, headers, body: packed } as const;
    const result = await outbound.request({ ...request, timeoutMs: uploadTimeoutMs });
    if (result.kind !== "answered") throw new Error(result.message);
    if (result.status < 300) return;
    const message = `the server rejected the files with status ${result.status}`;
    const isFinal = result.status < 500 && result.status !== 429;
    throw isFinal ? new AssetRejection(message) : new Error(message);
  };
}
