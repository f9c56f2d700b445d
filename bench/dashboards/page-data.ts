import { ChangeChannel } from "../../src/platform/notifications.ts";
import { WatchList } from "../../src/runs/scheduling/watch-list.ts";
import { dayMs } from "../../src/runs/statistics/window.ts";
import type { DashboardsContext } from "../../src/screens/dashboards/index.ts";
import { DashboardViews } from "../../src/screens/dashboards/view/dashboard-views.ts";
import { scanSameRows } from "../analytics/scan.ts";
import { type Figure, median, write } from "../support.ts";
import type { Fixture } from "./dashboard-database.ts";

const rounds = 15;
const warmUps = 4;

type Context = DashboardsContext & { readonly advance: (ms: number) => void };

const watchLists = new Map<Fixture["db"], WatchList>();

/** One watch list per database, as in a server, already loaded before the first view. */
function watchListOf(db: Fixture["db"]): WatchList {
  const known = watchLists.get(db) ?? new WatchList(db, "eu-west-1", () => true);
  watchLists.set(db, known);
  return known;
}

/** A context with a manual clock. */
function createContext({ db, nowMs }: Fixture): Context {
  let atMs = nowMs;
  const context = {
    db,
    clock: { now: () => new Date(atMs), nowMs: () => atMs },
    advance: (ms: number) => {
      atMs += ms;
    },
    publicUrl: () => "http://127.0.0.1",
    pageChanges: new ChangeChannel(() => true),
    stateChanges: new ChangeChannel(() => true),
    watchList: watchListOf(db),
  };
  return context as unknown as Context;
}

interface Case {
  readonly name: string;
  readonly paginate: boolean;
  readonly isExpanded: boolean;
  /** Whether an earlier view precedes the measured one, long enough ago that its data is stale. */
  readonly isFurther: boolean;
}

interface Took {
  readonly ms: number;
  /** Duration of plain scans of the same rows, directly afterwards. */
  readonly scanMs: number;
  /** CPU time of this process, which is less affected by a busy machine than wall time. */
  readonly cpuMs: number;
}

const hoursText = `select * from hourly_running_totals
  where check_id = any($1::uuid[]) and starts_at >= to_timestamp($2::float8 / 1000)`;

/**
 * Scans the rows of a page: a week of statistics, a day within it, and the hours of the sparklines.
 */
async function scanPage({ pool, checkIds, nowMs }: Fixture): Promise<number> {
  const scan = (days: number) =>
    scanSameRows({ pool, checkIds, nowMs }, { fromMs: nowMs - days * dayMs, toMs: nowMs });
  const figuresMs = (await scan(7)) + (await scan(1));
  const startedMs = performance.now();
  await pool.query(hoursText, [checkIds, nowMs - dayMs]);
  return figuresMs + performance.now() - startedMs;
}

/** Measures from the request to the response text. A first view finds nothing in memory. */
async function measure(fixture: Fixture, one: Case): Promise<Took> {
  const { paginate, isExpanded } = one;
  const settings = { ...fixture.dashboard.settings, paginate };
  const context = createContext(fixture);
  const views = new DashboardViews(context);
  const dashboard = { ...fixture.dashboard, settings };
  if (one.isFurther) {
    await views.read(dashboard, { page: 1, isExpanded });
    context.advance(60_000);
  }
  const startedMs = performance.now();
  const startedCpu = process.cpuUsage();
  const page = await views.read(dashboard, { page: 1, isExpanded });
  const { user, system } = process.cpuUsage(startedCpu);
  const ms = performance.now() - startedMs;
  const shown = paginate ? settings.checksPerPage : fixture.checkIds.length;
  const scanMs = await scanPage({ ...fixture, checkIds: fixture.checkIds.slice(0, shown) });
  const isWhole = page.view.checks.every(
    ({ day, week, line }) =>
      day.p99Ms !== null && week.p99Ms !== null && line.steps.every(({ avgMs }) => avgMs !== null),
  );
  if (page.view.checks.length !== shown || !isWhole) throw new Error("a check has no figures");
  return { ms, scanMs, cpuMs: (user + system) / 1_000 };
}

/** Alternates between short and long history, so that noise affects both equally. */
export async function measurePageData(one: Fixture, ten: Fixture): Promise<Figure[]> {
  const count = one.checkIds.length;
  const { checksPerPage } = one.dashboard.settings;
  const page = { paginate: true, isExpanded: false, isFurther: false };
  const all = { paginate: false, isExpanded: false };
  const cases: Case[] = [
    { ...page, name: `a page of ${checksPerPage} of ${count} checks, first view` },
    { ...page, name: "the same with locations", isExpanded: true },
    { ...page, name: "the same, second view", isFurther: true },
    // Nothing is in memory yet, so every single result of an hour of every check is read.
    { ...all, name: `all ${count} checks on one page, first view`, isFurther: false },
    { ...all, name: `all ${count} checks on one page, a further look`, isFurther: true },
  ];
  const figures: Figure[] = [];
  const allMs: number[] = [];
  for (const wish of cases) {
    write(`Measuring ${wish.name} …`);
    const short: Took[] = [];
    const long: Took[] = [];
    for (let round = -warmUps; round < rounds; round += 1) {
      const took = [await measure(one, wish), await measure(ten, wish)] as const;
      if (round < 0) continue;
      short.push(took[0]);
      long.push(took[1]);
    }
    const shortMs = median(short.map(({ ms }) => ms));
    const longMs = median(long.map(({ ms }) => ms));
    if (!wish.paginate) allMs.push(shortMs);
    const ratios = short.map(({ ms, scanMs }) => ms / scanMs);
    figures.push(
      { name: `${wish.name}: ÷ plain scans`, value: median(ratios), atMost: 3 },
      { name: "  time in all", value: shortMs, unit: "ms" },
      {
        name: "  CPU of the server in it",
        value: median(short.map((took) => took.cpuMs)),
        unit: "ms",
      },
      { name: "  with ten times the history ÷ this", value: longMs / shortMs, atMost: 1.5 },
    );
  }
  const [firstMs = 0, furtherMs = 1] = allMs;
  const name = `all ${count} checks on one page: the first view ÷ a further look`;
  return [...figures, { name, value: firstMs / furtherMs, atMost: 1.5 }];
}
