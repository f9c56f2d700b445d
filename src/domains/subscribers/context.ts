import type pg from "pg";
import type { AddressKey } from "../../platform/address-key.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import type { Outbound } from "../../platform/outbound.ts";
import { RateLimit } from "../../platform/rate-limit.ts";
import type { SendTools } from "../alert-channels/index.ts";
import type { StatusPagesContext } from "../status-pages/index.ts";
import type { SubscriberMetrics } from "./subscriber-metrics.ts";

/** What subscribers need of the world, beside what their page needs. */
export interface SubscribersContext extends StatusPagesContext {
  readonly pool: pg.Pool;
  readonly log: Log;
  readonly sendTools: Pick<SendTools, "outbound" | "mailer">;
  /** The way out for addresses that strangers typed: never into a private network. */
  readonly subscriberOutbound: Outbound;
  readonly subscriberMetrics: SubscriberMetrics;
  readonly signUpLimits: SignUpLimits;
}

/** A form that anybody may send makes this server write to strangers: not often. */
export interface SignUpLimits {
  readonly perClient: RateLimit<AddressKey>;
  /** Messages to one mailbox about its subscriptions, whichever page they are for. */
  readonly perMailbox: RateLimit;
  readonly perPage: RateLimit;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

export function createSignUpLimits(clock: Clock): SignUpLimits {
  return {
    perClient: new RateLimit({ limit: 10, windowMs: 10 * minuteMs, clock }),
    perMailbox: new RateLimit({ limit: 3, windowMs: hourMs, clock }),
    perPage: new RateLimit({ limit: 200, windowMs: hourMs, clock }),
  };
}
