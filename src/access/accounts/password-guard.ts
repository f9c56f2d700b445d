/** Limits password guessing without letting strangers lock out a user. */

import type { Database } from "../../platform/database.ts";
import { KnownError } from "../../platform/errors.ts";
import { type AddressKey, addressKey } from "../../platform/ip-address.ts";
import { type Allowance, type LimitTools, RateLimit } from "../../platform/rate-limit.ts";
import { isFamiliarNetwork } from "./credential-store.ts";

const hourMs = 3_600_000;

const minuteMs = 60_000;

interface PasswordAttempt {
  readonly email: string;
  readonly address: string;
}

interface Count {
  readonly take: () => { readonly allowed: boolean; readonly resetSeconds: number };
  readonly giveBack: () => void;
}

/**
 * Limits attempts with wrong passwords. A network from which the user has signed in before has its
 * own limit, so the user can still sign in from there while strangers exhaust the other limits.
 */
export class PasswordGuard {
  readonly #perNetwork: RateLimit<AddressKey>;
  readonly #perNetworkAndEmail: RateLimit;
  readonly #perEmail: RateLimit;
  readonly #perSignedInUser: RateLimit;

  constructor(tools: LimitTools, { perEmail = 100 }: { readonly perEmail?: number } = {}) {
    this.#perNetwork = new RateLimit({ ...tools, limit: 30, windowMs: 5 * minuteMs });
    this.#perNetworkAndEmail = new RateLimit({ ...tools, limit: 10, windowMs: 5 * minuteMs });
    this.#perEmail = new RateLimit({ ...tools, limit: perEmail, windowMs: 60 * minuteMs });
    this.#perSignedInUser = new RateLimit({ ...tools, limit: 10, windowMs: 5 * minuteMs });
  }

  /**
   * Verifies a password. The attempt is counted first, so that parallel requests are limited too.
   * Correct passwords do not count.
   */
  async check(
    db: Database,
    attempt: PasswordAttempt,
    verify: () => Promise<boolean>,
  ): Promise<boolean> {
    const email = attempt.email.toLowerCase();
    const network = addressKey(attempt.address);
    const isFamiliar = await isFamiliarNetwork(db, email, network);
    const counts = [count(this.#perNetworkAndEmail, `${network} ${email}`)];
    if (!isFamiliar) counts.push(count(this.#perNetwork, network), count(this.#perEmail, email));
    return countUnlessRight(counts, verify);
  }

  /** Verifies the password of a user who is already signed in. */
  checkOwn(userId: string, verify: () => Promise<boolean>): Promise<boolean> {
    return countUnlessRight([count(this.#perSignedInUser, userId)], verify);
  }
}

async function countUnlessRight(
  counts: readonly Count[],
  verify: () => Promise<boolean>,
): Promise<boolean> {
  takeAll(counts);
  const isRight = await verify();
  if (isRight) for (const { giveBack } of counts) giveBack();
  return isRight;
}

function count<Key extends string>(limit: RateLimit<Key>, key: Key): Count {
  return { take: () => limit.take(key), giveBack: () => limit.refund(key) };
}

/** Counts an attempt against all limits. An attempt that one limit rejects counts against none. */
function takeAll(counts: readonly Count[]): void {
  for (const [index, { take }] of counts.entries()) {
    const allowance = take();
    if (allowance.allowed) continue;
    for (const { giveBack } of counts.slice(0, index)) giveBack();
    throw new KnownError("tooManyRequests", { retryAfterSeconds: allowance.resetSeconds });
  }
}

interface ResetRequest {
  readonly email: string;
  readonly address: string;
  /** Whether the user has signed in from this network before. */
  readonly isFamiliar: boolean;
}

/**
 * Limits the reset mails that strangers can cause, without blocking users who forgot their
 * password.
 */
export class ResetLimits {
  readonly #perNetwork: RateLimit<AddressKey>;
  readonly #perNetworkAndMailbox: RateLimit;
  readonly #perMailbox: RateLimit;

  constructor(tools: LimitTools) {
    this.#perNetwork = new RateLimit({ ...tools, limit: 20, windowMs: hourMs });
    this.#perNetworkAndMailbox = new RateLimit({ ...tools, limit: 3, windowMs: hourMs });
    this.#perMailbox = new RateLimit({ ...tools, limit: 5, windowMs: hourMs });
  }

  /** Counts a reset request against its network, whatever the requested email address is. */
  takeForNetwork(address: string): Allowance {
    return this.#perNetwork.take(addressKey(address));
  }

  /**
   * Returns whether another mail may be sent to this mailbox. Each network has a separate limit.
   * All networks share a further limit, except those from which the user has signed in before, so
   * that strangers cannot block the user.
   */
  maySend({ email, address, isFamiliar }: ResetRequest): boolean {
    const mailbox = email.toLowerCase();
    const own = this.#perNetworkAndMailbox.take(`${addressKey(address)} ${mailbox}`);
    if (!own.allowed) return false;
    return isFamiliar || this.#perMailbox.take(mailbox).allowed;
  }
}
