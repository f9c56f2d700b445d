import { hash } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Credential } from "./caller.ts";
import { isExpired } from "./caller.ts";
import { findCredential, saveLastUses } from "./credential-store.ts";

const maxRemembered = 10_000;

/** A secret sent with a request, as a hash, so that memory never contains a list of keys. */
export interface Presented {
  readonly type: Credential["type"];
  readonly digest: Buffer;
  /** Cache key. */
  readonly name: string;
}

export function presentSecret(type: Credential["type"], secret: string): Presented {
  const digest = hash("sha256", secret, "buffer");
  return { type, digest, name: type + digest.toString("base64") };
}

/**
 * Caches credentials by the hash of their secret, so that a request needs no query. Any change to
 * keys, sessions or members clears the cache: immediately in this process, by notification on other
 * servers. While notifications may have been missed, nothing is cached.
 */
export class Credentials {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #isListening: () => boolean;
  readonly #remembered = new Map<string, Credential>();
  readonly #lastUses = new Map<string, { atMs: number; address: string | null }>();
  #generation = 0;

  constructor(db: Database, clock: Clock, isListening: () => boolean) {
    this.#db = db;
    this.#clock = clock;
    this.#isListening = isListening;
  }

  /** Returns a cached credential without a query; `null` means only that it is not cached. */
  recall(presented: Presented, address: string, nowMs = this.#clock.nowMs()): Credential | null {
    if (!this.#isListening()) return null;
    const found = this.#remembered.get(presented.name);
    return found === undefined ? null : this.#use(found, address, nowMs);
  }

  async find(
    { type, digest, name }: Presented,
    address: string | null = null,
  ): Promise<Credential | null> {
    const generation = this.#generation;
    const found = await findCredential(this.#db, type, digest);
    if (found === null) return null;
    // If something changed during the query, the result may be stale: use it once and do not cache
    // it.
    if (generation === this.#generation && this.#isListening()) this.#remember(name, found);
    return this.#use(found, address, this.#clock.nowMs());
  }

  forgetAll(): void {
    this.#generation += 1;
    this.#remembered.clear();
  }

  /** Stores last-use times in batches, called by a loop, instead of one write per request. */
  async flushLastUses(): Promise<void> {
    if (this.#lastUses.size === 0) return;
    const uses = [...this.#lastUses].map(([id, use]) => ({ id, ...use }));
    this.#lastUses.clear();
    await saveLastUses(this.#db, uses);
  }

  #use(credential: Credential, address: string | null, nowMs: number): Credential | null {
    if (isExpired(credential, nowMs)) return null;
    const last = this.#lastUses.get(credential.id);
    if (last === undefined) this.#lastUses.set(credential.id, { atMs: nowMs, address });
    else {
      last.atMs = nowMs;
      last.address = address;
    }
    return credential;
  }

  #remember(name: string, credential: Credential): void {
    this.#remembered.set(name, credential);
    if (this.#remembered.size <= maxRemembered) return;
    const [oldest] = this.#remembered.keys();
    if (oldest !== undefined) this.#remembered.delete(oldest);
  }
}
