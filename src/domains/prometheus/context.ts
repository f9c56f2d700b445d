import type { Log } from "../../platform/log.ts";
import { type LimitTools, RateLimit } from "../../platform/rate-limit.ts";
import type { StatesContext } from "../states/index.ts";
import { ReplyCache } from "./reply-cache.ts";

export interface PrometheusContext extends StatesContext {
  readonly log: Log;
  readonly scrapeLimit: RateLimit;
  readonly replies: ReplyCache;
}

/** Requests per minute and account. */
export const scrapesPerMinute = 50;

export function createScrapeTools(
  tools: LimitTools,
): Pick<PrometheusContext, "scrapeLimit" | "replies"> {
  return {
    scrapeLimit: new RateLimit({ ...tools, limit: scrapesPerMinute, windowMs: 60_000 }),
    replies: new ReplyCache(tools.clock),
  };
}
