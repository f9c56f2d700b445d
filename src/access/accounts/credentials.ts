import { hash, randomUUID } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import { KnownError } from "../../platform/errors.ts";
import { type Credential, isExpired } from "./caller.ts";
import { findCredential, insertSpentChallenge, saveLastUses } from "./credential-store.ts";
import type { SignInWay } from "./sessions/session.ts";

/** Contents of a challenge token, by purpose. The client returns the token in its next step. */
interface ChallengeContents {
  /** Issued when the first factor is verified and the second factor is still missing. */
  readonly "second-factor": {
    readonly userId: string;
    readonly way: SignInWay;
    readonly credentialVersion: number;
  };
  readonly "totp-set-up": { readonly userId: string; readonly secret: string };
  readonly "passkey-registration": { readonly userId: string; readonly challenge: string };
  /**
   * `userId` is `null` if the passkey is the only factor. Any passkey of this host is then
   * accepted.
   */
  readonly "passkey-sign-in": { readonly userId: string | null; readonly challenge: string };
  readonly oidc: {
    readonly state: string;
    readonly nonce: string;
    readonly codeVerifier: string;
    readonly returnTo: string;
    /** Session of the browser that started the sign-in; `null` if it had none. */
    readonly session: { readonly id: string; readonly userId: string } | null;
  };
}
type ChallengePurpose = keyof ChallengeContents;

const minuteMs = 60_000;

const challengeLifetimesMs: Readonly<Record<ChallengePurpose, number>> = {
  "second-factor": 5 * minuteMs,
  "totp-set-up": 15 * minuteMs,
  "passkey-registration": 5 * minuteMs,
  "passkey-sign-in": 5 * minuteMs,
  oidc: 10 * minuteMs,
};

interface OpenedChallenge<Purpose extends ChallengePurpose> {
  readonly id: string;
  readonly expiresAt: Date;
  readonly content: ChallengeContents[Purpose];
}

export interface IssuedChallenge {
  readonly token: string;
  readonly expiresAt: Date;
}

interface Sealed {
  readonly id: string;
  readonly purpose: string;
  readonly expiresAtMs: number;
  readonly content: unknown;
}

/**
 * Issues and opens encrypted challenge tokens, which a client returns in the next step of a sign-in
 * or setup. Issued tokens are not stored, so a flood of anonymous requests uses no storage. Only
 * the ids of spent tokens are stored.
 */
export class Challenges {
  readonly #encryption: Encryption;
  readonly #clock: Clock;

  constructor(encryption: Encryption, clock: Clock) {
    this.#encryption = encryption.forPurpose("sign-in challenges");
    this.#clock = clock;
  }

  issue<Purpose extends ChallengePurpose>(
    purpose: Purpose,
    content: ChallengeContents[Purpose],
  ): IssuedChallenge {
    const expiresAtMs = this.#clock.nowMs() + challengeLifetimesMs[purpose];
    const sealed: Sealed = { id: randomUUID(), purpose, expiresAtMs, content };
    const token = this.#encryption.encrypt(JSON.stringify(sealed));
    return { token, expiresAt: new Date(expiresAtMs) };
  }

  /**
   * Decrypts a token. Returns `null` if this server did not issue it, if it has expired, or if it
   * is for another purpose.
   */
  open<Purpose extends ChallengePurpose>(
    purpose: Purpose,
    token: string,
  ): OpenedChallenge<Purpose> | null {
    const text = this.#encryption.tryDecrypt(token);
    if (text === null) return null;
    const { id, expiresAtMs, content, ...sealed }: Sealed = JSON.parse(text);
    if (sealed.purpose !== purpose || expiresAtMs <= this.#clock.nowMs()) return null;
    return { id, expiresAt: new Date(expiresAtMs), content: content as ChallengeContents[Purpose] };
  }

  get<Purpose extends ChallengePurpose>(purpose: Purpose, token: string): OpenedChallenge<Purpose> {
    const found = this.open(purpose, token);
    if (found === null) throw new KnownError("badChallenge");
    return found;
  }
}

/**
 * Marks a challenge as spent. Throws if it has already been spent. Must be called in the
 * transaction of the action that the challenge authorises.
 */
export async function spendChallenge(
  db: Database,
  challenge: { readonly id: string; readonly expiresAt: Date },
): Promise<void> {
  if (!(await insertSpentChallenge(db, challenge))) throw new KnownError("badChallenge");
}

const maxRemembered = 10_000;

/**
 * A key or session token that a request contains. It is hashed, so that memory contains no list of
 * secrets.
 */
export interface Presented {
  readonly type: Credential["type"];
  readonly digest: Buffer;
  /** Key of the entry in the credential cache. */
  readonly name: string;
}

export function presentSecret(type: Credential["type"], secret: string): Presented {
  const digest = hash("sha256", secret, "buffer");
  return { type, digest, name: type + digest.toString("base64") };
}

/**
 * Caches credentials by the hash of their secret, so that most requests need no query. A change to
 * keys, sessions or members clears the cache: immediately in this process, and through a
 * notification on other servers. The cache is not used while notifications may be missed.
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

  /** Returns a cached credential without a query, or `null` if the cache contains no valid one. */
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
    // If a change occurred during the query, the credential may be outdated, so it is not cached.
    if (generation === this.#generation && this.#isListening()) this.#remember(name, found);
    return this.#use(found, address, this.#clock.nowMs());
  }

  forgetAll(): void {
    this.#generation += 1;
    this.#remembered.clear();
  }

  /** Stores the collected times of last use in one write, instead of one write per request. */
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
