import { randomUUID } from "node:crypto";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/database.ts";
import type { Encryption } from "../../../platform/encryption.ts";
import { KnownError } from "../../../platform/errors.ts";
import {
  type ChallengeContents,
  type ChallengePurpose,
  challengeLifetimesMs,
  type IssuedChallenge,
  type OpenedChallenge,
} from "./challenge.ts";
import { insertSpentChallenge } from "./store.ts";

interface Sealed {
  readonly id: string;
  readonly purpose: string;
  readonly expiresAtMs: number;
  readonly content: unknown;
}

/**
 * Issues and opens encrypted tokens that a client returns in the next sign-in step. Nothing is
 * stored when a token is issued, so a flood of anonymous requests uses no storage; only the ids of
 * spent tokens are stored.
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

  /** Returns `null` for a token that is foreign, expired, or issued for another purpose. */
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
 * Marks a challenge as spent; throws if it was spent before. Call it in the transaction of the
 * action it authorises.
 */
export async function spendChallenge(
  db: Database,
  challenge: { readonly id: string; readonly expiresAt: Date },
): Promise<void> {
  if (!(await insertSpentChallenge(db, challenge))) throw new KnownError("badChallenge");
}
