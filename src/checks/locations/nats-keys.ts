import { createHmac, type KeyObject } from "node:crypto";
import { deriveNatsLogin, deriveProofKey, type NatsLogin } from "../../contract/nats-key.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import type { Log } from "../../platform/log.ts";
import { type Loop, startLoop } from "../../platform/loop.ts";
import type { ChangeNotifications } from "../../platform/notifications.ts";
import type { AdmittedKey } from "./probe-key-store.ts";
import { listKeyHashes } from "./probe-key-store.ts";

/** A probe key with its derived NATS user name. */
export interface NatsKey extends AdmittedKey {
  readonly user: string;
  readonly proofKey: Uint8Array;
}

/** Lists all probe keys with their NATS credentials, ordered by route. */
export async function listNatsLogins(db: Database): Promise<(NatsLogin & AdmittedKey)[]> {
  const keys = await listKeyHashes(db);
  return keys.map(({ keyHash, ...key }) => ({ ...key, ...deriveNatsLogin(keyHash) }));
}

/** A route whose set of probe keys changed. */
export interface ChangedRoute {
  readonly route: string;
  readonly users: readonly string[];
  /** NATS users whose keys were revoked. */
  readonly left: readonly string[];
}

interface KeyWatchOptions {
  readonly keyChanges: ChangeNotifications;
  readonly log: Log;
  readonly isConnected: () => boolean;
  /** Called for every route at the start, and again whenever the keys of a route change. */
  readonly onChange: (changed: ChangedRoute) => Promise<void>;
}

/**
 * Number of forged results that locks a NATS user, if the user sends them within one minute. All
 * results of a locked user are discarded.
 */
const maxForgeries = 100;
const forgeryWindowMs = 60_000;

/**
 * Probe keys by NATS user. Every result is verified with the key of its sender, so the keys are
 * held in memory to avoid a query for each result. NATS itself accepts a revoked key until the user
 * list of NATS is changed. In memory, a revoked key is removed within a few seconds, and results
 * that are sent with the key are then rejected.
 */
export class NatsKeys {
  readonly #db: Database;
  readonly #secret: KeyObject;
  #byUser: ReadonlyMap<string, NatsKey> = new Map();
  #byRoute: ReadonlyMap<string, readonly NatsKey[]> = new Map();
  readonly #forgeries = new Map<string, { count: number; readonly sinceMs: number }>();
  /**
   * Time of the last heartbeat or disconnect message from a NATS user that has no probe key; `null`
   * if there was none.
   */
  #strangerAt: Date | null = null;

  constructor(db: Database, encryption: Encryption) {
    this.#db = db;
    this.#secret = encryption.deriveKey("consumers of orders");
  }

  find(user: string): NatsKey | null {
    return this.#byUser.get(user) ?? null;
  }

  usersOf(route: string): readonly string[] {
    return (this.#byRoute.get(route) ?? []).map(({ user }) => user);
  }

  get strangerAt(): Date | null {
    return this.#strangerAt;
  }

  noteStranger(at: Date): void {
    this.#strangerAt = at;
  }

  /**
   * Counts a forged result of a NATS user. A user who sends too many forged results is locked,
   * because verifying signatures takes time.
   */
  noteForgery(user: string, nowMs: number): void {
    const known = this.#forgeries.get(user);
    if (known !== undefined && isRecent(known, nowMs)) known.count += 1;
    else if (this.#byUser.has(user)) this.#forgeries.set(user, { count: 1, sinceMs: nowMs });
  }

  /**
   * Whether the results of a user are discarded. A lock ends one minute after the first forged
   * result.
   */
  isLocked(user: string, nowMs: number): boolean {
    const known = this.#forgeries.get(user);
    return known !== undefined && known.count >= maxForgeries && isRecent(known, nowMs);
  }

  /**
   * Returns a secret that ends the name of a NATS consumer. The consumer delivers the orders of one
   * route to the probes. All servers derive the same secret. The secret changes when a key of the
   * route is created or revoked.
   */
  writeConsumerSecret(route: string): string {
    const keyIds = (this.#byRoute.get(route) ?? []).map(({ keyId }) => keyId);
    const content = JSON.stringify([route, ...keyIds]);
    return createHmac("sha256", this.#secret).update(content).digest("hex").slice(0, 32);
  }

  async refresh(): Promise<void> {
    const keys: NatsKey[] = [];
    for (const { keyHash, ...key } of await listKeyHashes(this.#db)) {
      const { user } = deriveNatsLogin(keyHash);
      keys.push({ ...key, user, proofKey: deriveProofKey(keyHash) });
    }
    this.#byUser = new Map(keys.map((key) => [key.user, key]));
    this.#byRoute = Map.groupBy(keys, ({ route }) => route);
    for (const user of this.#forgeries.keys()) {
      if (!this.#byUser.has(user)) this.#forgeries.delete(user);
    }
  }

  watch({ keyChanges, log, isConnected, onChange }: KeyWatchOptions): Loop {
    const done = new Map<string, readonly string[]>();
    return startLoop({
      name: "follow the keys of probes on NATS",
      isEssential: false,
      everyMs: 5_000,
      restMs: 50,
      onWork: (wake) => keyChanges.onChange(wake),
      log,
      turn: async () => {
        await this.refresh();
        if (!isConnected()) return;
        for (const route of new Set([...done.keys(), ...this.#byRoute.keys()])) {
          const before = done.get(route);
          const now = this.usersOf(route);
          if (before?.join() === now.join()) continue;
          const left = before?.filter((user) => !now.includes(user)) ?? [];
          await onChange({ route, users: now, left });
          if (now.length === 0) done.delete(route);
          else done.set(route, now);
        }
      },
    });
  }
}

function isRecent({ sinceMs }: { readonly sinceMs: number }, nowMs: number): boolean {
  return nowMs >= sinceMs && nowMs < sinceMs + forgeryWindowMs;
}
