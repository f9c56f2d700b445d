import { builtInRoute } from "../../contract/protocol.ts";
import { listChecksAtPlace } from "../checks/index.ts";
import {
  isPrivate,
  judgeProbes,
  listLiveProbes,
  listPrivateRoutes,
  type Probe,
  quarantineByRule,
  saveAgreement,
} from "../locations/index.ts";
import { countRunsByProbe } from "../results/index.ts";
import type { ProbesContext } from "./context.ts";

type WatcherContext = Pick<ProbesContext, "db" | "clock" | "log">;

/** How far back runs are compared. */
export const windowMs = 30 * 60_000;
/**
 * Number of checks compared per location: enough to distinguish a wrong probe from a failing check.
 */
const maxChecks = 200;

/**
 * Compares the verdicts of probes at the same location and quarantines those that `judgeProbes`
 * finds wrong. Locations with a single probe cost nothing.
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
  /** Probes of all locations; those elsewhere are used as witnesses. */
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
