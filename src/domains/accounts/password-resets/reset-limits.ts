/** Bounds the mails that strangers can cause, without taking them from who forgot a password. */
import { type AddressKey, addressKey } from "../../../platform/address-key.ts";
import { type Allowance, type LimitTools, RateLimit } from "../../../platform/rate-limit.ts";

const hourMs = 3_600_000;

export interface ResetRequest {
  readonly email: string;
  readonly address: string;
  /** They have signed in from there before. */
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

  /** Counts the request against its network, whomever it is for. */
  takeForNetwork(address: string): Allowance {
    return this.#perNetwork.take(addressKey(address));
  }

  /**
   * Whether the mailbox may get one more mail. Strangers share one count; a network that the
   * person has signed in from has its own, which strangers cannot use up.
   */
  maySend({ email, address, isFamiliar }: ResetRequest): boolean {
    const mailbox = email.toLowerCase();
    const own = this.#perNetworkAndMailbox.take(`${addressKey(address)} ${mailbox}`);
    if (!own.allowed) return false;
    return isFamiliar || this.#perMailbox.take(mailbox).allowed;
  }
}
