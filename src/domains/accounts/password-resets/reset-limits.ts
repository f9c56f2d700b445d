/**
 * Limits the reset mails that strangers can cause, without blocking users who forgot their
 * password.
 */
import { type AddressKey, addressKey } from "../../../platform/address-key.ts";
import { type Allowance, type LimitTools, RateLimit } from "../../../platform/rate-limit.ts";

const hourMs = 3_600_000;

export interface ResetRequest {
  readonly email: string;
  readonly address: string;
  /** True if the user has signed in from this network before. */
  readonly isFamiliar: boolean;
}

export class ResetLimits {
  readonly #perNetwork: RateLimit<AddressKey>;
  readonly #perNetworkAndMailbox: RateLimit;
  readonly #perMailbox: RateLimit;

  constructor(tools: LimitTools) {
    this.#perNetwork = new RateLimit({ ...tools, limit: 20, windowMs: hourMs });
    this.#perNetworkAndMailbox = new RateLimit({ ...tools, limit: 3, windowMs: hourMs });
    this.#perMailbox = new RateLimit({ ...tools, limit: 5, windowMs: hourMs });
  }

  /** Counts a request against its network, whatever address it is for. */
  takeForNetwork(address: string): Allowance {
    return this.#perNetwork.take(addressKey(address));
  }

  /**
   * Returns whether another mail may be sent to this mailbox. Unknown networks share one limit; a
   * network the user has signed in from has its own, which strangers cannot exhaust.
   */
  maySend({ email, address, isFamiliar }: ResetRequest): boolean {
    const mailbox = email.toLowerCase();
    const own = this.#perNetworkAndMailbox.take(`${addressKey(address)} ${mailbox}`);
    if (!own.allowed) return false;
    return isFamiliar || this.#perMailbox.take(mailbox).allowed;
  }
}
