import { Counter, type Registry } from "prom-client";
import type { SendTools } from "../../channels/alert-channels/index.ts";
import type { AddressKey } from "../../platform/ip-address.ts";
import type { Log } from "../../platform/log.ts";
import type { Outbound } from "../../platform/outbound.ts";
import { type LimitTools, RateLimit } from "../../platform/rate-limit.ts";
import type { StatusPagesContext } from "../status-pages/index.ts";

export interface SubscribersContext extends StatusPagesContext {
  readonly log: Log;
  readonly sendTools: Pick<SendTools, "outbound" | "mailer">;
  /** HTTP client for URLs that visitors entered, which never connects to a private network. */
  readonly subscriberOutbound: Outbound;
  readonly subscriberMetrics: SubscriberMetrics;
  readonly signUpLimits: SignUpLimits;
  /** Number of servers that share the concurrency limit of a receiver; one by default. */
  readonly servers?: (() => number) | undefined;
}

/** Rate limits of the sign-up form, which anyone can submit and which sends messages. */
interface SignUpLimits {
  readonly perClient: RateLimit<AddressKey>;
  /** Limits messages to one mailbox about its subscriptions to any page. */
  readonly perMailbox: RateLimit;
  readonly perPage: RateLimit;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

export function createSignUpLimits(tools: LimitTools): SignUpLimits {
  return {
    perClient: new RateLimit({ ...tools, limit: 10, windowMs: 10 * minuteMs }),
    perMailbox: new RateLimit({ ...tools, limit: 3, windowMs: hourMs }),
    perPage: new RateLimit({ ...tools, limit: 200, windowMs: hourMs }),
  };
}

interface SubscriberMetrics {
  readonly deliveries: Counter;
  readonly addressed: Counter;
}

export function createSubscriberMetrics(registry: Registry): SubscriberMetrics {
  const registers = [registry];
  return {
    deliveries: new Counter({
      name: "vedette_subscriber_deliveries_total",
      help: "Attempts to deliver a message to a subscriber of a status page, by outcome.",
      labelNames: ["outcome"],
      registers,
    }),
    addressed: new Counter({
      name: "vedette_subscriber_messages_total",
      help: "Messages created from announcements, one per subscriber.",
      registers,
    }),
  };
}
