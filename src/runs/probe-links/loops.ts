import { listChecksAtPlace } from "../../checks/checks/index.ts";
import {
  deleteOldQueueSamples,
  insertQueueSamples,
  isPrivate,
  judgeProbes,
  listLiveProbes,
  listPrivateRoutes,
  type PrivateRoute,
  type Probe,
  quarantineByRule,
  saveAgreement,
} from "../../checks/locations/index.ts";
import { builtInRoute } from "../../contract/protocol.ts";
import { type Loop, startLoop } from "../../platform/loop.ts";
import { countRunsByProbe } from "../results/index.ts";
import {
  chooseLocations,
  type LastRun,
  nextDueAtMs,
  runNumberOf,
  type Watched,
} from "../scheduling/index.ts";
import { listLastRunsOf } from "../states/index.ts";
import type { ProbesContext } from "./context.ts";

type SamplerContext = Pick<ProbesContext, "db" | "clock" | "watchList">;

const maxQueuedChecks = 10_000;
const minuteMs = 60_000;

/**
 * Counts outstanding runs at each private location. If several servers count in the same minute,
 * only the first sample is stored.
 */
async function sampleQueues(context: SamplerContext): Promise<void> {
  const { db, clock } = context;
  const nowMs = clock.now().getTime();
  const samples = [];
  for (const route of await listPrivateRoutes(db)) {
    const sample = await sampleQueue(context, route, nowMs);
    if (sample !== null) samples.push(sample);
  }
  await insertQueueSamples(db, samples, new Date(Math.floor(nowMs / minuteMs) * minuteMs));
}

async function sampleQueue(
  { db, watchList }: SamplerContext,
  { id, accountId, slugName: place }: PrivateRoute,
  nowMs: number,
): Promise<{ locationId: string; size: number; oldestSeconds: number } | null> {
  const found = await listChecksAtPlace(db, { accountId, place, limit: maxQueuedChecks });
  if (found.length === 0) return null;
  const ids = found.map(({ checkId }) => checkId);
  const watched = await watchList.find(ids);
  const lastRuns = new Map((await listLastRunsOf(db, ids)).map((run) => [run.checkId, run]));
  const waiting = [...watched.values()]
    .filter(({ kind }) => kind.isOrdered)
    .flatMap((one) => findOutstanding(one, lastRuns.get(one.checkId), { place, nowMs }) ?? []);
  if (waiting.length === 0) return null;
  const oldestSeconds = Math.round((nowMs - Math.min(...waiting)) / 1_000);
  return { locationId: id, size: waiting.length, oldestSeconds };
}

type Planned = Pick<Watched, "checkId" | "plan" | "places" | "sinceMs"> & {
  readonly settings: Pick<Watched["settings"], "runParallel">;
};

/**
 * Returns the due time of the newest due run of a check; `null` if this run is not at the location
 * or has a result.
 */
export function findOutstanding(
  { checkId, plan, places, settings, sinceMs }: Planned,
  last: Pick<LastRun, "lastDueAtMs" | "locations"> | undefined,
  { place, nowMs }: { readonly place: string; readonly nowMs: number },
): number | null {
  const dueAtMs = nextDueAtMs(plan, nowMs) - plan.periodMs;
  if (dueAtMs <= sinceMs) return null;
  const { runParallel } = settings;
  const runNumber = runNumberOf(plan, dueAtMs);
  const choice = { checkId, runNumber, locations: places, runParallel };
  if (!chooseLocations(choice).includes(place)) return null;
  const lastDueMs = runParallel ? last?.locations[place]?.atMs : last?.lastDueAtMs;
  return lastDueMs !== undefined && lastDueMs >= dueAtMs ? null : dueAtMs;
}

type WatcherContext = Pick<ProbesContext, "db" | "clock" | "log">;

/** Maximum age of the runs that are compared. */
const windowMs = 30 * 60_000;
/**
 * Maximum number of checks to compare per location: enough to distinguish errors of a probe from
 * failures of targets.
 */
const maxChecks = 200;

/**
 * Compares the verdicts of probes at the same location and quarantines the probes that
 * `judgeProbes` considers wrong. Locations with a single probe need no query.
 */
export async function compareProbes(context: WatcherContext): Promise<void> {
  const probes = await listLiveProbes(context);
  const remote = probes.filter(({ route }) => route !== builtInRoute);
  const shared = [...Map.groupBy(remote, ({ route }) => route)].filter(
    ([, some]) => some.length > 1,
  );
  if (shared.length === 0) return;
  const accounts = await mapAccounts(context);
  for (const [route, some] of shared) {
    const [first] = some;
    if (first === undefined || (isPrivate(first) && !accounts.has(route))) continue;
    const place = accounts.get(route)?.slugName ?? first.location;
    const accountId = accounts.get(route)?.accountId ?? null;
    await comparePlace(context, { accountId, place, beside: some, probes });
  }
}

async function mapAccounts({ db }: WatcherContext) {
  return new Map((await listPrivateRoutes(db)).map((route) => [route.id, route]));
}

interface ComparedPlace {
  readonly accountId: string | null;
  readonly place: string;
  readonly beside: readonly Probe[];
  /** Live probes of all locations. Probes at other locations serve as witnesses. */
  readonly probes: readonly Probe[];
}

async function comparePlace(
  context: WatcherContext,
  { accountId, place, beside, probes }: ComparedPlace,
): Promise<void> {
  const { db, clock, log } = context;
  const now = clock.now();
  const checks = await listChecksAtPlace(db, { accountId, place, limit: maxChecks });
  if (checks.length === 0) return;
  const ids = checks.map(({ checkId }) => checkId);
  const runs = await countRunsByProbe(db, ids, now.getTime() - windowMs);
  const routes = new Map(probes.map(({ id, route }) => [id, route]));
  const votes = runs.flatMap((run) => {
    const route = routes.get(run.probeId);
    return route === undefined ? [] : [{ ...run, route }];
  });
  const compared = probes.map(({ id, route, quarantinedAt }) => ({
    id,
    route,
    isTrusted: quarantinedAt === null,
  }));
  const own = new Set(beside.map(({ id }) => id));
  const accountIds = [...new Set(checks.map((check) => check.accountId))];
  for (const agreement of judgeProbes(votes, compared)) {
    if (!own.has(agreement.probeId)) continue;
    await saveAgreement(db, { ...agreement, at: now });
    if (!agreement.isToBeQuarantined) continue;
    const isDone = await quarantineByRule(context, agreement, accountIds);
    if (isDone) log.warn({ ...agreement, place }, "probe quarantined");
  }
}

/** Starts the loops for remote probes. Several servers may run them: the work is idempotent. */
export function startProbeLoops(context: ProbesContext): readonly Loop[] {
  const { log } = context;
  const common = { isEssential: false, log };
  return [
    startLoop({
      ...common,
      name: "count outstanding runs at private locations",
      everyMs: 60_000,
      turn: () => sampleQueues(context),
    }),
    startLoop({
      ...common,
      name: "compare probes",
      everyMs: 60_000,
      turn: () => compareProbes(context),
    }),
    startLoop({
      ...common,
      name: "delete old queue samples of private locations",
      everyMs: 3_600_000,
      turn: () => deleteOldQueueSamples(context.db, context.clock.now()),
    }),
  ];
}
