import { createHmac, type KeyObject } from "node:crypto";
import { deriveNatsLogin, deriveProofKey, type NatsLogin } from "../../contract/nats-key.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import type { Log } from "../../platform/log.ts";
import { type Loop, startLoop } from "../../platform/loop.ts";
import type { ChangeNotifications } from "../../platform/notifications.ts";
import type { AdmittedKey } from "./probe-key-store.ts";
import { listKeyHashes } from "./probe-key-store.ts";

/** A probe key with its NATS user. */
export interface NatsKey extends AdmittedKey {
  readonly user: string;
  readonly proofKey: Uint8Array;
}

/** Lists all probe keys with their NATS credentials, grouped by route. */
export async function listNatsLogins(db: Database): Promise<(NatsLogin & AdmittedKey)[]> {
  const keys = await listKeyHashes(db);
  return keys.map(({ keyHash, ...key }) => ({ ...key, ...deriveNatsLogin(keyHash) }));
}

/** A route whose keys changed. */
export interface ChangedRoute {
  readonly route: string;
  readonly users: readonly string[];
  /** Users whose key was revoked. */
  readonly left: readonly string[];
}

interface KeyWatchOptions {
  readonly keyChanges: ChangeNotifications;
  readonly log: Log;
  readonly isConnected: () => boolean;
  /** Called once for every route, and then whenever its keys change. */
  readonly onChange: (changed: ChangedRoute) => Promise<void>;
}

/** Number of forged results per minute after which a user's results are discarded. */
const maxForgeries = 100;
const forgeryWindowMs = 60_000;

/**
 * In-memory map of probe keys by NATS user, because each result names the user that sent it. NATS
 * admits a revoked key until its own user list changes; here the key is unknown within a second.
 */
export class NatsKeys {
  readonly #db: Database;
  readonly #secret: KeyObject;
  #byUser: ReadonlyMap<string, NatsKey> = new Map();
  #byRoute: ReadonlyMap<string, readonly NatsKey[]> = new Map();
  readonly #forgeries = new Map<string, { count: number; readonly sinceMs: number }>();
  /** When a user was last seen that NATS admits but that has no probe key. */
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

  /** Counts results that do not belong to any order, because verifying each costs a signature. */
  noteForgery(user: string, nowMs: number): void {
    const known = this.#forgeries.get(user);
    if (known !== undefined && isRecent(known, nowMs)) known.count += 1;
    else if (this.#byUser.has(user)) this.#forgeries.set(user, { count: 1, sinceMs: nowMs });
  }

  /** Whether results of a user are discarded unread, until one minute after its first forgery. */
  isLocked(user: string, nowMs: number): boolean {
    const known = this.#forgeries.get(user);
    return known !== undefined && known.count >= maxForgeries && isRecent(known, nowMs);
  }

  /**
   * Unguessable suffix of the consumer that delivers the orders of a route. All servers derive the
   * same one; it changes whenever a key of the route is created or revoked.
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
