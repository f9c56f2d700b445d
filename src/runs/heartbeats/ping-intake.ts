import { listWatchedByToken } from "../../checks/checks/index.ts";
import { BoundedMap } from "../../platform/bounded-map.ts";
import { isForeignKeyViolation } from "../../platform/database-errors.ts";
import { KnownError, readCode } from "../../platform/errors.ts";
import type { Log } from "../../platform/log.ts";
import type { Intake, PingsContext, Taken } from "./context.ts";
import type { Ping } from "./heartbeat.ts";
import { type PingOf, recordPings } from "./judge.ts";

/** Functions and limits for the ping URL of a check and for push addresses. */

const maxUserAgentLength = 255;
const controls = /[\p{Cc}\u2028\u2029]+/gu;

/**
 * Converts a header or address, which is shown to people, to one line without control characters.
 */
export function toHeaderText(value: string | undefined): string {
  return (value ?? "").toWellFormed().replaceAll(controls, " ").slice(0, maxUserAgentLength);
}

export function tooMany(retryAfterSeconds: number): KnownError {
  return new KnownError("tooManyRequests", { retryAfterSeconds });
}

interface Waiting {
  readonly token: string;
  readonly ping: Ping;
  readonly resolve: (taken: Taken) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Minimum interval between batches in milliseconds. A transaction is expensive, and jobs can wait
 * for the response.
 */
const gatherMs = 100;
const maxBatch = 500;
/** Maximum number and total size in bytes of the pings that wait to be stored. */
const maxWaiting = 20_000;
const maxWaitingBytes = 64_000_000;
/**
 * Maximum number of tokens whose check id is cached, so that most pings need no query to find their
 * check.
 */
const maxRemembered = 200_000;

/**
 * Stores pings in batches, each in one transaction, and then acknowledges the pings of the batch.
 */
export class PingIntake implements Intake {
  readonly #context: PingsContext;
  readonly #log: Log;
  readonly #checkIds = new BoundedMap<string, string>(maxRemembered);
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #isBusy = false;
  #begunMs = 0;
  #current: Promise<void> = Promise.resolve();

  constructor(context: PingsContext, log: Log) {
    this.#context = context;
    this.#log = log;
  }

  knows(token: string): boolean {
    return this.#checkIds.has(token);
  }

  take(token: string, ping: Ping): Promise<Taken> {
    const isFull = this.#waiting.length >= maxWaiting || this.#waitingBytes >= maxWaitingBytes;
    if (isFull) return Promise.resolve("full");
    return new Promise((resolve, reject) => {
      this.#waiting.push({ token, ping, resolve, reject });
      this.#waitingBytes += ping.sender.body.length;
      if (!this.#isBusy) this.#begin();
    });
  }

  async stop(): Promise<void> {
    while (this.#isBusy) await this.#current;
  }

  #begin(): void {
    this.#isBusy = true;
    const restMs = Math.ceil(this.#begunMs + gatherMs - performance.now());
    this.#current = new Promise((done) => {
      setTimeout(() => void this.#storeAll().then(done), Math.max(0, restMs));
    });
  }

  async #storeAll(): Promise<void> {
    this.#begunMs = performance.now();
    for (let left = this.#waiting.length; left > 0; left -= maxBatch) {
      const batch = this.#waiting.splice(0, maxBatch);
      for (const { ping } of batch) this.#waitingBytes -= ping.sender.body.length;
      await this.#storeOrReject(batch);
    }
    this.#isBusy = false;
    if (this.#waiting.length > 0) this.#begin();
  }

  /**
   * Stores a batch. If the database rejects the batch, stores each ping alone, so that an invalid
   * ping does not prevent the others from being stored.
   */
  async #storeOrReject(batch: readonly Waiting[]): Promise<void> {
    try {
      await this.#store(batch);
    } catch (error) {
      if (batch.length > 1 && isOfOne(error)) {
        for (const one of batch) await this.#storeOrReject([one]);
        return;
      }
      if (isForeignKeyViolation(error)) {
        for (const { resolve } of batch) resolve("unknown");
        return;
      }
      this.#log.warn({ err: error, pings: batch.length }, "pings could not be stored");
      for (const { reject } of batch) reject(error);
    }
  }

  async #store(batch: readonly Waiting[]): Promise<void> {
    const found = await this.#find(batch);
    const pings: PingOf[] = [];
    for (const { token, ping } of batch) {
      const checkId = found.get(token);
      if (checkId !== undefined) pings.push({ checkId, ping });
    }
    const kept = pings.length === 0 ? new Set() : await recordPings(this.#context, pings);
    for (const { token, resolve } of batch) {
      const checkId = found.get(token);
      resolve(checkId !== undefined && kept.has(checkId) ? "taken" : "unknown");
    }
  }

  /** Finds checks by token. A cached check id is used only if the check still has the token. */
  async #find(batch: readonly Waiting[]): Promise<ReadonlyMap<string, string>> {
    const { watchList, db } = this.#context;
    const tokens = [...new Set(batch.map(({ token }) => token))];
    const known = tokens.flatMap((token) => this.#checkIds.get(token) ?? []);
    const watched = await watchList.find(known);
    const found = new Map<string, string>();
    const missing: string[] = [];
    for (const token of tokens) {
      const checkId = this.#checkIds.get(token);
      const check = checkId === undefined ? undefined : watched.get(checkId);
      const isStill = check?.kind.pings?.token(check.settings) === token;
      if (checkId !== undefined && isStill) found.set(token, checkId);
      else missing.push(token);
    }
    if (missing.length === 0) return found;
    const listed = await listWatchedByToken(db, missing);
    for (const token of missing) this.#checkIds.delete(token);
    for (const [token, checkId] of listed) {
      this.#checkIds.set(token, checkId);
      found.set(token, checkId);
    }
    return found;
  }
}

/**
 * Returns whether a single ping of a batch may have caused the error. The SQLSTATE classes are data
 * errors, constraint violations and transaction conflicts.
 */
function isOfOne(error: unknown): boolean {
  return (
    error instanceof TypeError || error instanceof RangeError || /^(22|23|40)/.test(readCode(error))
  );
}

/** Parsing of requests to the ping URL of a check and to push addresses. */

const wholeNumber = /^\d{1,3}$/;
const maxExitCode = 255;

/** Signal and exit code that a job sends with its ping. */
type Signal = Pick<Ping, "signal" | "exitCode">;

const success: Signal = { signal: "success", exitCode: null };

/** Parses the last path segment: none, `start`, `fail` or an exit code; `null` if invalid. */
export function parseSignal(text: string | undefined): Signal | null {
  if (text === undefined) return success;
  if (text === "start") return { signal: "start", exitCode: null };
  if (text === "fail") return { signal: "failure", exitCode: null };
  const exitCode = wholeNumber.test(text) ? Number(text) : Number.NaN;
  if (!(exitCode <= maxExitCode)) return null;
  return { signal: exitCode === 0 ? "success" : "failure", exitCode };
}

/** The stored beginning of a request body. */
export interface KeptBody {
  readonly bytes: Buffer;
  /** Length of the whole request body in bytes. */
  readonly length: number;
}

/** Decodes a body as UTF-8. Invalid bytes, such as a truncated last character, become U+FFFD. */
export function toBodyText({ bytes }: KeptBody): string {
  return bytes.toString("utf8");
}

export const noBody: KeptBody = { bytes: Buffer.alloc(0), length: 0 };
