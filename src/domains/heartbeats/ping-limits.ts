import type { AddressKey } from "../../platform/address-key.ts";
import { type LimitTools, RateLimit } from "../../platform/rate-limit.ts";

/** Pings per minute and token; a job that pings more often is broken and must not fill the disk. */
const perTokenAMinute = 120;
/** Requests for unknown tokens per minute and client network. */
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
