import { listChecksAtPlace } from "../checks/index.ts";
import {
  deleteQueueSamplesBefore,
  insertQueueSamples,
  listPrivateRoutes,
  type PrivateRoute,
  type QueueSample,
  queueKeptDays,
} from "../locations/index.ts";
import {
  chooseLocations,
  type LastRun,
  nextDueAtMs,
  runNumberOf,
  type Watched,
} from "../schedule/index.ts";
import { listLastRunsOf } from "../states/index.ts";
import type { ProbesContext } from "./context.ts";

type SamplerContext = Pick<ProbesContext, "db" | "clock" | "watchList">;

const maxChecks = 10_000;
const minuteMs = 60_000;

/** Counts outstanding runs at each private location, once a minute over all servers. */
export async function sampleQueues(context: SamplerContext): Promise<void> {
  const { db, clock } = context;
  const nowMs = clock.now().getTime();
  const samples: QueueSample[] = [];
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
): Promise<QueueSample | null> {
  const found = await listChecksAtPlace(db, { accountId, place, limit: maxChecks });
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

export async function deleteOldQueueSamples({ db, clock }: SamplerContext): Promise<void> {
  const keptMs = queueKeptDays * 86_400_000;
  await deleteQueueSamplesBefore(db, new Date(clock.now().getTime() - keptMs));
}

type Planned = Pick<Watched, "checkId" | "plan" | "places" | "sinceMs"> & {
  readonly settings: Pick<Watched["settings"], "runParallel">;
};

/**
 * Returns the due time of the newest run of a check at a location if it has no result yet;
 * otherwise `null`.
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
