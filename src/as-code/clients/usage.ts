/** Usage data in the format of existing clients. Runs are counted, but not limited or billed. */
import { Type } from "typebox";
import { type AccountsContext, type Caller, getAccount } from "../../access/accounts/index.ts";
import { invalid } from "../../platform/errors.ts";
import { answers, Described, Guid, Matching, OneOf, OrNull } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { type DailyRunCounts, listDailyRunCounts } from "../../runs/statistics/index.ts";

const tags = ["Existing clients"];
const dayMs = 86_400_000;
/**
 * Maximum number of days from the start to the end of a date range. A longer range is shortened,
 * because statistics of older runs may have been deleted.
 */
const maxDays = 400;

function Day(description: string) {
  const rule = "must be a date such as 2026-11-18";
  const size = { minLength: 10, maxLength: 10 };
  return Matching("^[0-9-]+$", rule, { ...size, description, examples: ["2026-11-18"] });
}
const Text = (description: string, example: string) =>
  Type.String({ description, examples: [example] });
const None = (description: string) => Type.Null({ description });
const Count = (description: string) => Type.Integer({ minimum: 0, description });

const noEnd = "no end";
const unlimited = "unlimited";

const UsageTerms = Type.Object(
  {
    id: Described(Guid, "The account's id."),
    name: Text("The account's name, and that nothing is limited.", "Acme (no plan limits)"),
    accounts: Type.Array(
      Type.Object({
        id: Described(Guid, "The account's id."),
        name: Text("Its name.", "Acme"),
      }),
      { description: "Only this account." },
    ),
    contractStartDate: Day("Day on which the account was created. There is no contract."),
    contractEndDate: Text("Always `no end`.", noEnd),
    usageStartDate: Day("Day on which the account was created."),
    creditBudget: None("There are no credits."),
    standardCreditsPerUnit: None("There are no credits."),
    premiumCreditsPerUnit: None("There are no credits."),
  },
  { title: "UsageTerms" },
);

const UsageMetrics = Type.Object(
  {
    credits: Type.Object(
      {
        used: None("There are no credits."),
        percentOfBudget: None("There are no credits."),
      },
      { description: "Always without values." },
    ),
    meters: Type.Array(
      Type.Object({
        meterType: Text("Always CHECK_RUN.", "CHECK_RUN"),
        measures: Type.Object(
          {
            totalRuns: Count("Final runs and retries."),
            finalRuns: Count("Runs without those that were retried."),
            retryRuns: Count("Runs that were retried."),
            degradedRuns: Count("Degraded runs."),
            failedRuns: Count("Failed runs."),
            errorRuns: Count("Runs without a result."),
            cancelledRuns: None("Not counted."),
            abortedRuns: None("Not counted."),
            overMaxResponseTimeRuns: None("Not counted separately."),
            multiStepRequests: Count("Always 0."),
            playwrightBillableDurationMs: Count("Always 0."),
            standardBillableUnits: None("Nothing is billed."),
            premiumBillableUnits: None("Nothing is billed."),
          },
          { description: "Counts of runs." },
        ),
      }),
      { description: "One meter: the runs of checks." },
    ),
  },
  { title: "UsageMetrics" },
);

const noProjection = {
  projectedAnnualPercentOfBudget: None("There is no budget."),
  projectedCreditsAtContractEnd: None("There are no credits."),
  projectedPercentAtContractEnd: None("There is no budget."),
  projectedWeeksUntilExhausted: None("Nothing can be exhausted."),
};
const Window = (description: string) =>
  Type.Object(
    { usage: Described(UsageMetrics, "Runs in this range."), ...noProjection },
    { description },
  );
const period = { from: Day("First day."), to: Day("Last day.") };

const UsageSummary = Type.Object(
  {
    usageTermsId: Described(Guid, "The account's id."),
    period: Type.Object(period, { description: "Days that are counted." }),
    totals: Described(UsageMetrics, "Runs of all days."),
    projections: Type.Object(
      {
        weeksSinceStart: Count("Whole weeks since the account was created."),
        weeksRemaining: Text("Always `unlimited`.", unlimited),
        remainingCredits: None("There are no credits."),
        windows: Type.Object(
          {
            sinceStart: Window("Since the account was created, 400 days at most."),
            last30Days: Window("The last 30 days."),
            last7Days: Window("The last 7 days."),
            last1Day: Window("Today."),
          },
          { description: "Runs in recent ranges." },
        ),
      },
      { description: "Recent usage. Nothing is projected, because nothing is limited." },
    ),
  },
  { title: "UsageSummary" },
);

const intervals = ["total", "day", "week", "month"] as const;
const groupings = ["account", "checkType", "account,checkType"] as const;

const UsageSeries = Type.Object(
  {
    usageTermsId: Described(Guid, "The account's id."),
    period: Type.Object(
      {
        ...period,
        interval: Described(OneOf(intervals), "Length of a row."),
        groupBy: Described(OneOf(groupings), "What a row is about."),
      },
      { description: "Days that are counted." },
    ),
    data: Type.Array(
      Type.Object({
        periodStart: Day("First day of the row."),
        periodEnd: Day("Last day of the row."),
        accountId: Type.Optional(Described(Guid, "The account, if rows are by account.")),
        checkType: Type.Optional(
          Type.String({ description: "The kind of check, if rows are by kind." }),
        ),
        ...UsageMetrics.properties,
      }),
      { description: "Rows with runs, sorted by time." },
    ),
    length: Count("Number of rows."),
    nextId: OrNull(Text("Start of the next page.", "100")),
    warnings: Type.Array(
      Type.Object({
        code: Text("Reason.", "PARTIAL_WINDOW"),
        message: Text("Explanation.", "Runs of the current hour are not counted yet."),
      }),
      { description: "What the figures do not contain." },
    ),
  },
  { title: "UsageSeries" },
);

const TermsQuery = Type.Object({
  to: Type.Optional(Day("Last day; today if absent.")),
});
const RangeQuery = Type.Object({
  ...TermsQuery.properties,
  from: Type.Optional(Day("First day; the day on which the account was created if absent.")),
  accountIds: Type.Optional(
    Type.String({ maxLength: 4_000, description: "Must be the account, if present." }),
  ),
  checkTypes: Type.Optional(
    Type.String({ maxLength: 1_000, description: "Kinds of check, joined by commas." }),
  ),
});
const SeriesQuery = Type.Object({
  ...RangeQuery.properties,
  interval: Type.Optional(Described(OneOf(intervals), "Length of a row; a day if absent.")),
  groupBy: Type.Optional(Described(OneOf(groupings), "What a row is about.")),
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 100, description: "Rows per page." }),
  nextId: Type.Optional(
    Matching("^\\d{1,6}$", "must be the nextId of a page", {
      description: "`nextId` of the previous page.",
    }),
  ),
});
type RangeQuery = Type.Static<typeof RangeQuery>;

const formatDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);

function parseDay(key: "from" | "to", text: string): number {
  const ms = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(ms) || formatDay(ms) !== text) throw invalid(key, "must be a date");
  return ms;
}

function measure(rows: readonly DailyRunCounts[]) {
  const sum = (name: "unknown" | "passing" | "degraded" | "failing" | "retries") =>
    rows.reduce((total, row) => total + row[name], 0);
  const retryRuns = sum("retries");
  const finalRuns = sum("unknown") + sum("passing") + sum("degraded") + sum("failing");
  const measures = {
    totalRuns: finalRuns + retryRuns,
    finalRuns,
    retryRuns,
    degradedRuns: sum("degraded"),
    failedRuns: sum("failing"),
    errorRuns: sum("unknown"),
    cancelledRuns: null,
    abortedRuns: null,
    overMaxResponseTimeRuns: null,
    multiStepRequests: 0,
    playwrightBillableDurationMs: 0,
    standardBillableUnits: null,
    premiumBillableUnits: null,
  };
  const credits = { used: null, percentOfBudget: null };
  return { credits, meters: [{ meterType: "CHECK_RUN", measures }] };
}

/** Returns the first day of the interval that contains the given day. Weeks start on Monday. */
function startInterval(day: string, interval: (typeof intervals)[number], from: string): string {
  if (interval === "total") return from;
  if (interval === "month") return `${day.slice(0, 7)}-01`;
  const ms = parseDay("from", day);
  return interval === "day" ? day : formatDay(ms - ((new Date(ms).getUTCDay() + 6) % 7) * dayMs);
}

async function loadUsage(context: AccountsContext, caller: Caller, query: RangeQuery) {
  const account = await getAccount(context, caller);
  if (query.accountIds !== undefined && query.accountIds !== account.id) {
    throw invalid("accountIds", "must be the account of the request");
  }
  const todayMs = parseDay("to", formatDay(context.clock.now().getTime()));
  const toMs = query.to === undefined ? todayMs : parseDay("to", query.to);
  const startMs = parseDay("from", formatDay(account.createdAt.getTime()));
  const fromMs = query.from === undefined ? startMs : parseDay("from", query.from);
  if (fromMs > toMs && query.from !== undefined) throw invalid("from", "must not be after to");
  const from = formatDay(Math.max(Math.min(fromMs, toMs), toMs - maxDays * dayMs));
  const range = { from, to: formatDay(toMs) };
  const kinds = query.checkTypes?.split(",");
  const rows = await listDailyRunCounts(context.db, caller.accountId, {
    ...range,
    today: formatDay(todayMs),
  });
  const counted = rows.filter(({ kind }) => kinds === undefined || kinds.includes(kind));
  return { account, range, rows: counted, startMs, todayMs };
}

async function describeTerms(context: AccountsContext, caller: Caller) {
  const { id, name, createdAt } = await getAccount(context, caller);
  const start = formatDay(createdAt.getTime());
  return {
    id,
    name: `${name} (self-hosted, no plan limits)`,
    accounts: [{ id, name }],
    contractStartDate: start,
    contractEndDate: noEnd,
    usageStartDate: start,
    creditBudget: null,
    standardCreditsPerUnit: null,
    premiumCreditsPerUnit: null,
  };
}

async function summariseUsage(context: AccountsContext, caller: Caller, query: RangeQuery) {
  const { account, range, rows, startMs, todayMs } = await loadUsage(context, caller, query);
  const { from: _from, to: _to, ...filter } = query;
  const recent = await loadUsage(context, caller, filter);
  const createWindow = (days: number) => {
    const first = formatDay(todayMs - (days - 1) * dayMs);
    return {
      usage: measure(recent.rows.filter(({ day }) => day >= first)),
      projectedAnnualPercentOfBudget: null,
      projectedCreditsAtContractEnd: null,
      projectedPercentAtContractEnd: null,
      projectedWeeksUntilExhausted: null,
    };
  };
  return {
    usageTermsId: account.id,
    period: range,
    totals: measure(rows),
    projections: {
      weeksSinceStart: Math.floor((todayMs - startMs) / (7 * dayMs)),
      weeksRemaining: unlimited,
      remainingCredits: null,
      windows: {
        sinceStart: createWindow(maxDays),
        last30Days: createWindow(30),
        last7Days: createWindow(7),
        last1Day: createWindow(1),
      },
    },
  };
}

async function listUsage(
  context: AccountsContext,
  caller: Caller,
  query: Type.Static<typeof SeriesQuery>,
) {
  const { interval = "day", groupBy = "account,checkType", limit, nextId = "0" } = query;
  const { account, range, rows } = await loadUsage(context, caller, query);
  const groups = Map.groupBy(rows, ({ day, kind }) => {
    const start = startInterval(day, interval, range.from);
    return groupBy === "account" ? start : `${start} ${kind}`;
  });
  const data = [...groups].map(([key, some]) => {
    const [periodStart = "", checkType] = key.split(" ");
    return {
      periodStart,
      periodEnd: interval === "total" ? range.to : (some.at(-1)?.day ?? periodStart),
      ...(groupBy !== "checkType" && { accountId: account.id }),
      ...(checkType !== undefined && { checkType }),
      ...measure(some),
    };
  });
  const first = Number(nextId);
  const page = data.slice(first, first + limit);
  const message = "Runs of the current hour are not counted yet.";
  return {
    usageTermsId: account.id,
    period: { ...range, interval, groupBy },
    data: page,
    length: page.length,
    nextId: first + limit < data.length ? String(first + limit) : null,
    warnings: [{ code: "PARTIAL_WINDOW", message }],
  };
}

export function addUsageRoutes(server: HttpServer, context: AccountsContext): void {
  server.get(
    "/v1/usage/terms",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getUsageTerms",
        summary: "Get the terms of usage",
        description: "This server has no plans: nothing is limited, and there is no contract.",
        querystring: TermsQuery,
        response: answers({ 200: UsageTerms }),
      },
    },
    ({ caller }) => describeTerms(context, caller),
  );
  server.get(
    "/v1/usage/summary",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getUsageSummary",
        summary: "Count the runs of the account",
        description: "Runs of existing checks by their statistics, 400 days at most.",
        querystring: RangeQuery,
        response: answers({ 200: UsageSummary }),
      },
    },
    ({ caller, query }) => summariseUsage(context, caller, query),
  );
  server.get(
    "/v1/usage/series",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listUsage",
        summary: "Count the runs of the account by time and kind",
        description: "Runs of existing checks by their statistics, 400 days at most.",
        querystring: SeriesQuery,
        response: answers({ 200: UsageSeries }),
      },
    },
    ({ caller, query }) => listUsage(context, caller, query),
  );
}
