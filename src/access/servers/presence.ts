import { randomUUID } from "node:crypto";
import { readFile, realpath } from "node:fs/promises";
import { hostname } from "node:os";
import type { FollowingClock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import { ExplainedError } from "../../platform/errors.ts";
import {
  type Condition,
  enterServer,
  type LiveServer,
  measureSkewMs,
  type OwnServer,
  removeServer,
  reportPresence,
} from "./server-store.ts";

interface PresenceOptions {
  readonly id: string;
  readonly version: string;
  readonly dataDir: string;
  /** Clock that each report adjusts to the database clock; `null` if a test controls the clock. */
  readonly clock: FollowingClock | null;
}

async function readBootId(): Promise<string> {
  return readFile("/proc/sys/kernel/random/boot_id", "utf8").then(
    (text) => text.trim(),
    () => hostname(),
  );
}

/** Reports in the database that this server is alive, and tracks the other live servers. */
export class Presence {
  readonly #db: Database;
  readonly #own: OwnServer;
  readonly #clock: FollowingClock | null;
  #live: readonly LiveServer[] = [];
  #clockSkewMs: number | null = null;
  #address: string | null = null;

  /** Registers this server; throws if another live process has the same id. */
  static async enter(db: Database, options: PresenceOptions): Promise<Presence> {
    const { id, version, dataDir, clock } = options;
    // A process locks its data folder, so a registered process with the same folder is no longer
    // running.
    const place = `${await readBootId()} ${await realpath(dataDir)}`;
    const own = { id, version, place, name: hostname(), instance: randomUUID(), address: null };
    const namesake = await enterServer(db, own);
    if (namesake !== null) throw explainNamesake(namesake.name, dataDir);
    const presence = new Presence(db, own, clock);
    // The clock difference is measured before this server writes any row that contains a time.
    await presence.look({ isScheduling: true, lagMs: 0, slowestLoop: null });
    return presence;
  }

  private constructor(db: Database, own: OwnServer, clock: FollowingClock | null) {
    this.#db = db;
    this.#own = own;
    this.#clock = clock;
  }

  get id(): string {
    return this.#own.id;
  }

  /** Number of live servers, including this one. */
  get liveCount(): number {
    return this.#live.length + 1;
  }

  /** How far this server's clock is ahead of the database's clock; `null` if not measured. */
  get clockSkewMs(): number | null {
    return this.#clockSkewMs;
  }

  /** Sets the address on which this server listens. */
  setAddress(address: string): void {
    this.#address = address;
  }

  /** Reports that this server is alive. Returns the ids of other servers that schedule checks. */
  async look(condition: Condition): Promise<readonly string[]> {
    const sentAtMs = this.#clock?.ownMs() ?? 0;
    const reported = { ...condition, clockSkewMs: this.#clockSkewMs, address: this.#address };
    const { isOurs, databaseMs, live } = await reportPresence(this.#db, this.#own, reported);
    this.#measureClock(sentAtMs, databaseMs);
    if (!isOurs) await this.#enterAgain();
    this.#live = live;
    return live.filter(({ isScheduling }) => isScheduling).map(({ id }) => id);
  }

  #measureClock(sentAtMs: number, databaseMs: number): void {
    if (this.#clock === null) return;
    const answeredAtMs = this.#clock.ownMs();
    const aheadMs = Math.round(measureSkewMs(sentAtMs, answeredAtMs, databaseMs));
    this.#clockSkewMs = aheadMs;
    this.#clock.follow(aheadMs, Math.max(0, answeredAtMs - sentAtMs));
  }

  /**
   * Registers this server again: its row was deleted after a day without a connection to the
   * database, or another process has taken over the id.
   */
  async #enterAgain(): Promise<void> {
    const namesake = await enterServer(this.#db, this.#own);
    if (namesake !== null) throw explainNamesake(namesake.name, "DATA_DIR");
  }

  async leave(): Promise<void> {
    await removeServer(this.#db, this.#own);
  }
}

function explainNamesake(name: string, dataDir: string): ExplainedError {
  return new ExplainedError(
    `Another server with the same id is running on this database, on the machine ${name}.\n` +
      `The data folder ${dataDir} is a copy of that server's folder, or both use it. Each server needs ` +
      "a separate\nfolder: choose another with DATA_DIR, or delete the file server.id in this " +
      "one if it is a copy.\nIf that server has just died, retry in ten seconds.",
  );
}
