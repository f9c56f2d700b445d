import type { AddressKey } from "../../platform/address-key.ts";
import { type LimitTools, RateLimit } from "../../platform/rate-limit.ts";

/** A job that pings every second is at fault, and must not fill the disk. */
const perTokenAMinute = 120;
/** Addresses that are not there, asked for by one network. */
const guessesAMinute = 60;

export interface PingLimits {
  readonly byToken: RateLimit;
  readonly guesses: RateLimit<AddressKey>;
}

export function createPingLimits(tools: LimitTools): PingLimits {
  const windowMs = 60_000;
  return {
    byToken: new RateLimit({ ...tools, limit: perTokenAMinute, windowMs, maxKeys: 100_000 }),
    guesses: new RateLimit({ ...tools, limit: guessesAMinute, windowMs }),
  };
}
