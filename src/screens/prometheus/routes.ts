import { setImmediate } from "node:timers/promises";
import { Type } from "typebox";
import type { Caller } from "../../access/accounts/index.ts";
import type { Clock } from "../../platform/clock.ts";
import { KnownError } from "../../platform/errors.ts";
import { answers } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import type { Log } from "../../platform/log.ts";
import { type LimitTools, RateLimit } from "../../platform/rate-limit.ts";
import { listNewestRuns, mapCurrentStatuses, type StatesContext } from "../../runs/states/index.ts";
import { countRunsOfBlock } from "../../runs/statistics/index.ts";
import {
  addCheckSeries,
  chooseFormat,
  contentTypes,
  Exposition,
  type ExpositionFormat,
  exported,
  leftOut,
  type ScrapeOptions,
} from "./check-series.ts";

const tags = ["Prometheus"];
const summary = "Export the checks of an account to Prometheus";

const flag = (description: string) =>
  Type.Optional(Type.Boolean({ description, default: false, examples: [true] }));

const ScrapeQuery = Type.Object({
  locationLabelEnabled: flag(
    "Whether to export one series per location, with the label `location`.",
  ),
  includeRetryAttempts: flag(
    "Whether to count retried attempts as failing results in `vedette_check_result_total`.",
  ),
  disableTagParsing: flag(
    "Whether to put all tags into the label `tags`; otherwise a tag `team:edge` becomes the label `team`.",
  ),
});

const ScrapePathParams = Type.Object({
  accountId: Type.String({
    description: "The account.",
    format: "uuid",
    examples: ["5b0f9f3c-5a3e-4f0b-9d0e-3d1c6a1f2b3c"],
  }),
});

function toScrapeOptions(query: Type.Static<typeof ScrapeQuery>): ScrapeOptions {
  return {
    hasLocations: query.locationLabelEnabled ?? false,
    countsRetries: query.includeRetryAttempts ?? false,
    parsesTags: !(query.disableTagParsing ?? false),
  };
}

interface Kept {
  readonly text: Promise<string>;
  readonly untilMs: number;
  length: number;
}

/** Number of seconds for which a response is reused. */
export const keptSeconds = 30;
const maxKeptLength = 64_000_000;

/**
 * Cache of responses, complete or in progress. Above the size limit, the oldest responses are
 * evicted.
 */
class ReplyCache {
  readonly #clock: Clock;
  readonly #replies = new Map<string, Kept>();
  #length = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string, write: () => Promise<string>): Promise<string> {
    const nowMs = this.#clock.nowMs();
    const known = this.#replies.get(key);
    if (known !== undefined && known.untilMs > nowMs) return known.text;
    this.#forget(key);
    for (const [old, { untilMs }] of this.#replies) if (untilMs <= nowMs) this.#forget(old);
    const text = write();
    const kept: Kept = { text, untilMs: nowMs + keptSeconds * 1_000, length: 0 };
    this.#replies.set(key, kept);
    text.then(
      ({ length }) => this.#measure(key, kept, length),
      () => {
        if (this.#replies.get(key) === kept) this.#forget(key);
      },
    );
    return text;
  }

  #measure(key: string, kept: Kept, length: number): void {
    if (this.#replies.get(key) !== kept) return;
    kept.length = length;
    this.#length += length;
    // A Map keeps insertion order, so the first key is the oldest.
    for (const oldest of this.#replies.keys()) {
      if (this.#length <= maxKeptLength) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#length -= this.#replies.get(key)?.length ?? 0;
    this.#replies.delete(key);
  }
}

/** Maximum number of requests per minute and account. */
const scrapesPerMinute = 50;

/** Limits of a response. Beyond a limit, the newest checks are omitted with all their series. */
const maxChecks = 10_000;
const maxSeries = 100_000;
/** Number of checks that are written before yielding to the event loop. */
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

interface Scrape extends ScrapeOptions {
  readonly format: ExpositionFormat;
}

/** Returns the metrics of an account. Equal requests within 30 s get the same response. */
function scrape(
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

const description =
  "Status, results, response times and the figures of each kind, in the Prometheus text " +
  "format or as OpenMetrics, whichever `Accept` names first. Replies are cached for " +
  `${keptSeconds} seconds. With more than about ${maxSeries} series, checks are left out, and ` +
  "`vedette_checks_left_out` is their number.";

export function addPrometheusRoutes(server: HttpServer, context: PrometheusContext): void {
  const shared = {
    tags,
    summary,
    produces: ["text/plain", "application/openmetrics-text"],
    querystring: ScrapeQuery,
  };
  const answer = async (
    caller: Caller,
    query: Type.Static<typeof ScrapeQuery>,
    accept: string | undefined,
  ) => {
    const format = chooseFormat(accept);
    const text = await scrape(context, caller, { ...toScrapeOptions(query), format });
    return { text, type: contentTypes[format] };
  };
  server.get(
    "/v1/prometheus",
    {
      config: { access: "read" },
      schema: {
        ...shared,
        operationId: "scrapeChecks",
        description,
        response: answers({ 200: Type.String() }),
      },
    },
    async ({ caller, query, headers }, reply) => {
      const { text, type } = await answer(caller, query, headers.accept);
      return reply.type(type).header("vary", "accept").send(text);
    },
  );
  server.get(
    "/accounts/:accountId/v2/prometheus/metrics",
    {
      config: { access: "read" },
      schema: {
        ...shared,
        operationId: "scrapeChecksOfAccount",
        description: `${description} The path names the account, where a key serves several.`,
        params: ScrapePathParams,
        response: answers({ 200: Type.String() }),
      },
    },
    async ({ caller, query, headers }, reply) => {
      const { text, type } = await answer(caller, query, headers.accept);
      return reply.type(type).header("vary", "accept").send(text);
    },
  );
}
