import { setImmediate } from "node:timers/promises";
import { KnownError } from "../../platform/errors.ts";
import type { Log } from "../../platform/log.ts";
import { type LimitTools, RateLimit } from "../../platform/rate-limit.ts";
import type { Caller } from "../accounts/index.ts";
import { listNewestRuns, mapCurrentStatuses, type StatesContext } from "../states/index.ts";
import { countRunsOfBlock } from "../statistics/index.ts";
import { addCheckSeries, exported, leftOut, type ScrapeOptions } from "./check-series.ts";
import { Exposition, type ExpositionFormat } from "./exposition.ts";
import { ReplyCache } from "./reply-cache.ts";

/** Requests per minute and account. */
const scrapesPerMinute = 50;

/** Beyond either limit, whole checks are left out, the newest first. */
export const maxChecks = 10_000;
export const maxSeries = 100_000;
/** Number of checks to write before yielding to the event loop. */
const checksAtOnce = 100;

export interface PrometheusContext extends StatesContext {
  readonly log: Log;
  readonly scrapeLimit: RateLimit;
  readonly replies: ReplyCache;
}

export function createScrapeTools(
  tools: LimitTools,
): Pick<PrometheusContext, "scrapeLimit" | "replies"> {
  return {
    scrapeLimit: new RateLimit({ ...tools, limit: scrapesPerMinute, windowMs: 60_000 }),
    replies: new ReplyCache(tools.clock),
  };
}

export interface Scrape extends ScrapeOptions {
  readonly format: ExpositionFormat;
}

/** All requests within half a minute get the same reply. */
export function scrape(
  context: PrometheusContext,
  caller: Pick<Caller, "accountId">,
  request: Scrape,
): Promise<string> {
  const { accountId } = caller;
  const { allowed, resetSeconds } = context.scrapeLimit.take(accountId);
  if (!allowed) throw new KnownError("tooManyRequests", { retryAfterSeconds: resetSeconds });
  const { format, hasLocations, countsRetries, parsesTags } = request;
  const key = [accountId, format, hasLocations, countsRetries, parsesTags].join(" ");
  return context.replies.get(key, () => writeReply(context, accountId, request));
}

async function writeReply(
  context: PrometheusContext,
  accountId: string,
  request: Scrape,
): Promise<string> {
  const { checks, total } = await listNewestRuns(context.db, accountId, maxChecks);
  const ids = checks.map(({ id }) => id);
  const [statuses, counts] = await Promise.all([
    mapCurrentStatuses(context, ids),
    countRunsOfBlock(context, ids),
  ]);
  const exposition = new Exposition();
  let written = 0;
  for (const [place, check] of checks.entries()) {
    if (exposition.seriesCount >= maxSeries) break;
    const status = statuses.get(check.id) ?? "unknown";
    addCheckSeries(exposition, { check, status, counts: counts[place] ?? [] }, request);
    written += 1;
    if (written % checksAtOnce === 0) await setImmediate();
  }
  exposition.add(exported, "", written);
  exposition.add(leftOut, "", total - written);
  return exposition.write(request.format);
}
