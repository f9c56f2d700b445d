import type { AddressKey } from "../../platform/address-key.ts";
import type { Clock } from "../../platform/clock.ts";
import { RateLimit } from "../../platform/rate-limit.ts";

/** A job that pings every second is at fault, and must not fill the disk. */
const perTokenAMinute = 120;
/** Addresses that are not there, asked for by one network. */
const guessesAMinute = 60;

export interface PingLimits {
  readonly byToken: RateLimit;
  readonly guesses: RateLimit<AddressKey>;
}

export function createPingLimits(clock: Clock): PingLimits {
  const windowMs = 60_000;
  return {
    byToken: new RateLimit({ limit: perTokenAMinute, windowMs, clock, maxKeys: 100_000 }),
    guesses: new RateLimit({ limit: guessesAMinute, windowMs, clock }),
  };
}
