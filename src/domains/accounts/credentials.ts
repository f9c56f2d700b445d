import { hash } from "node:crypto";
import type pg from "pg";
import type { Clock } from "../../platform/clock.ts";
import type { Credential } from "./caller.ts";
import { isExpired } from "./caller.ts";
import { findCredential, saveLastUses } from "./credential-store.ts";

const maxRemembered = 10_000;

/**
 * Remembers which credential a secret proves, so that a request costs no query. Any change to keys,
 * sessions or members empties the memory: at once here, by notification on other servers. While
 * notifications may have been missed, nothing is remembered.
 */
export class Credentials {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #isListening: () => boolean;
  readonly #remembered = new Map<string, Credential>();
  readonly #lastUses = new Map<string, Date>();
  #generation = 0;

  constructor(pool: pg.Pool, clock: Clock, isListening: () => boolean) {
    this.#pool = pool;
    this.#clock = clock;
    this.#isListening = isListening;
  }

  /** Without a query; null says only that the secret is not remembered. */
  recall(type: Credential["type"], secret: string): Credential | null {
    if (!this.#isListening()) return null;
    const found = this.#remembered.get(rememberedName(type, secret));
    return found === undefined ? null : this.#use(found);
  }

  async find(type: Credential["type"], secret: string): Promise<Credential | null> {
    const generation = this.#generation;
    const found = await findCredential(this.#pool, type, hash("sha256", secret, "buffer"));
    if (found === null) return null;
    // A change during the query may have made the answer old: then it serves this once only.
    if (generation === this.#generation && this.#isListening()) {
      this.#remember(rememberedName(type, secret), found);
    }
    return this.#use(found);
  }

  forgetAll(): void {
    this.#generation += 1;
    this.#remembered.clear();
  }

  /** Called by a loop: when a key was last used is worth a write now and then, not per request. */
  async flushLastUses(): Promise<void> {
    if (this.#lastUses.size === 0) return;
    const uses = [...this.#lastUses].map(([id, at]) => ({ id, at }));
    this.#lastUses.clear();
    await saveLastUses(this.#pool, uses);
  }

  #use(credential: Credential): Credential | null {
    const now = this.#clock.now();
    if (isExpired(credential, now)) return null;
    this.#lastUses.set(credential.id, now);
    return credential;
  }

  #remember(name: string, credential: Credential): void {
    this.#remembered.set(name, credential);
    if (this.#remembered.size <= maxRemembered) return;
    const [oldest] = this.#remembered.keys();
    if (oldest !== undefined) this.#remembered.delete(oldest);
  }
}

/** The hash and never the secret: a dump of our memory must not be a list of keys. */
function rememberedName(type: Credential["type"], secret: string): string {
  return type + hash("sha256", secret, "base64");
}
