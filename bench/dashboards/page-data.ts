import type { DashboardsContext } from "../../src/domains/dashboards/index.ts";
import { Boards } from "../../src/domains/dashboards/walls/boards.ts";
import { type Figure, median, write } from "../support.ts";
import type { World } from "./world.ts";

const rounds = 15;
const warmUps = 4;

type Context = DashboardsContext & { readonly advance: (ms: number) => void };

/** What boards ask of the world, with a clock that stands still until it is told otherwise. */
function createContext({ db, pool, nowMs }: World): Context {
  let atMs = nowMs;
  const context = {
    db,
    pool,
    clock: { now: () => new Date(atMs) },
    advance: (ms: number) => {
      atMs += ms;
    },
    publicUrl: () => "http://127.0.0.1",
    isPageNewsOn: () => true,
    isStateNewsOn: () => true,
  };
  return context as unknown as Context;
}

interface Case {
  readonly name: string;
  readonly paginate: boolean;
  readonly isExpanded: boolean;
  /** A look before the one that is measured, so long ago that its figures are too old. */
  readonly isFurther: boolean;
  readonly atMost: number;
}

interface Took {
  readonly ms: number;
  /** Of this process: what a busy machine does to the clock it does not do to this. */
  readonly cpuMs: number;
}

/** From the question to the text that is sent. A first look finds nothing of ours in memory. */
async function measure(world: World, one: Case): Promise<Took> {
  const { paginate, isExpanded } = one;
  const settings = { ...world.dashboard.settings, paginate };
  const context = createContext(world);
  const boards = new Boards(context);
  const wall = { ...world.dashboard, settings };
  if (one.isFurther) {
    await boards.read(wall, { page: 1, isExpanded });
    context.advance(60_000);
  }
  const startedMs = performance.now();
  const startedCpu = process.cpuUsage();
  const board = await boards.read(wall, { page: 1, isExpanded });
  const { user, system } = process.cpuUsage(startedCpu);
  const took = { ms: performance.now() - startedMs, cpuMs: (user + system) / 1_000 };
  const shown = paginate ? settings.checksPerPage : world.checkIds.length;
  const isWhole = board.view.checks.every(
    ({ day, week, hours }) =>
      day.p99Ms !== null && week.p99Ms !== null && hours.every(({ avgMs }) => avgMs !== null),
  );
  if (board.view.checks.length !== shown || !isWhole) throw new Error("a check has no figures");
  return took;
}

/** Short and long history take turns, so that the machine's mood falls on both alike. */
export async function measurePageData(one: World, ten: World): Promise<Figure[]> {
  const count = one.checkIds.length;
  const { checksPerPage } = one.dashboard.settings;
  const page = { paginate: true, isExpanded: false, isFurther: false, atMost: 100 };
  const all = { paginate: false, isExpanded: false, atMost: 100 };
  const cases: Case[] = [
    { ...page, name: `a page of ${checksPerPage} of ${count} checks, first look` },
    { ...page, name: "the same with locations", isExpanded: true },
    { ...page, name: "the same, a further look", isFurther: true },
    // Nothing is in memory yet: every single result of an hour of every check is read for it.
    { ...all, name: `all ${count} checks on one page, first look`, isFurther: false },
    { ...all, name: `all ${count} checks on one page, a further look`, isFurther: true },
  ];
  const figures: Figure[] = [];
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
    figures.push(
      { name: wish.name, value: shortMs, unit: "ms", atMost: wish.atMost },
      {
        name: "  CPU of the server in it",
        value: median(short.map((one) => one.cpuMs)),
        unit: "ms",
      },
      { name: "  with ten times the history ÷ this", value: longMs / shortMs, atMost: 1.5 },
    );
  }
  return figures;
}
