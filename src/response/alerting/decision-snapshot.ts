import {
  isPrivate,
  listLiveProbes,
  listPrivateRoutes,
  type Probe,
} from "../../checks/locations/index.ts";
import { builtInRoute } from "../../contract/protocol.ts";
import type { Watched } from "../../runs/scheduling/index.ts";
import { mapCurrentStatuses, type StatesContext } from "../../runs/states/index.ts";
import {
  appliesTo,
  isInWindow,
  listWindowsOf,
  type MaintenanceWindow,
} from "../maintenance/index.ts";
import type { AlertRules } from "./alert-rules.ts";
import { listReportedCheckIds } from "./first-recipients.ts";
import { findTimedMute, type MuteIndex } from "./mutes/mute.ts";
import { loadMutes } from "./mutes/mute-store.ts";
import { findFailingParent, loadAncestors } from "./parents/parent-store.ts";
import { type Escalations, loadEscalations } from "./settings/escalations.ts";
import {
  type AccountAlertSettings,
  findSilenceMinutes,
  findUrgency,
  loadAccountSettings,
} from "./settings/settings-store.ts";

/** Data that the decisions on a batch of checks depend on. */
export interface DecisionSnapshot {
  readonly watched: ReadonlyMap<string, Watched>;
  readonly settings: ReadonlyMap<string, AccountAlertSettings>;
  readonly escalations: Escalations;
  readonly windows: ReadonlyMap<string, readonly MaintenanceWindow[]>;
  readonly mutes: MuteIndex;
  readonly parents: ReadonlyMap<string, readonly string[]>;
  /** Current status of each parent check, by check id. */
  readonly statuses: ReadonlyMap<string, string>;
  /** Whether all probes that serve the check are suspect. */
  readonly isSuspect: (watched: Watched) => boolean;
  /** Ids of the checks whose private locations were already reported as offline. */
  readonly reportedCheckIds: ReadonlySet<string>;
}

export async function loadDecisionSnapshot(
  context: StatesContext,
  checkIds: readonly string[],
): Promise<DecisionSnapshot> {
  const { db, watchList } = context;
  const watched = await watchList.find(checkIds, db);
  const accountIds = [...new Set([...watched.values()].map((one) => one.accountId))];
  const parents = await loadAncestors(db, checkIds);
  const parentIds = [...new Set([...parents.values()].flat())];
  const probes = await listLiveProbes(context);
  const routes = probes.some(isPrivate) ? await listPrivateRoutes(db) : [];
  const accountOfRoute = new Map(routes.map(({ id, accountId }) => [id, accountId]));
  const settings = await loadAccountSettings(db, accountIds);
  const own = [...watched.values()].map((one) => one.settings.alertSettings);
  const escalations = await loadEscalations(db, settings, own);
  const findStages = (one: Watched) =>
    escalations.find(one.accountId, one.settings.alertSettings).stages;
  return {
    watched,
    settings,
    escalations,
    windows: await listWindowsOf(db, accountIds),
    mutes: await loadMutes(db, { accountIds, checkIds, now: context.clock.now() }),
    parents,
    statuses: await mapCurrentStatuses(context, parentIds),
    reportedCheckIds: await listReportedCheckIds(db, [...watched.values()], findStages),
    isSuspect: (one) => isEveryPlaceSuspect(one, probes, accountOfRoute),
  };
}

const atOnce = {
  escalationType: "RUN_BASED",
  runBasedEscalation: { failedRunThreshold: 1 },
} as const;

export function rulesFor(snapshot: DecisionSnapshot, watched: Watched): AlertRules {
  const { checkId, accountId, kind, settings } = watched;
  const account = snapshot.settings.get(accountId);
  if (account === undefined) throw new Error("account settings not loaded");
  const escalation = snapshot.escalations.find(accountId, settings.alertSettings);
  const own = settings.useGlobalAlertSettings ? account : settings.alertSettings;
  const labels = { checkId, groupId: settings.groupId, tags: settings.tags };
  const windows = (snapshot.windows.get(accountId) ?? []).filter((window) =>
    appliesTo(window, labels),
  );
  return {
    // Some checks receive signals from an external monitor. They alert on the first signal, because
    // the external monitor has already applied its own threshold.
    settings: kind.signals === undefined ? own : { ...own, ...atOnce },
    muted: settings.muted,
    timedMute: findTimedMute(snapshot.mutes, { ...labels, accountId }),
    activated: settings.activated,
    inMaintenance: (atMs) => windows.some((window) => isInWindow(window, atMs)),
    heldByParent: findFailingParent(
      checkId,
      (id) => snapshot.parents.get(id) ?? [],
      (id) => snapshot.statuses.get(id) ?? null,
    ),
    probeIsSuspect: snapshot.isSuspect(watched),
    isLocationSilent: snapshot.reportedCheckIds.has(checkId),
    escalationStages: escalation.stages,
    supportHours: escalation.policy?.supportHours,
    urgency: findUrgency(account, settings),
    flapDamping: account.flapDamping,
    noDataMinutes: findSilenceMinutes(account, watched),
  };
}

type ServingProbe = Pick<Probe, "route" | "location" | "isSuspect">;

/**
 * Whether all probes that serve a check are suspect. A probe is suspect if none of its anchor hosts
 * responds: the network of the probe itself may then be down. A location is served by the probes at
 * the location, or by the built-in probes if no probe is there. All other probes are ignored.
 */
export function isEveryPlaceSuspect(
  { accountId, places }: Pick<Watched, "accountId" | "places">,
  probes: readonly ServingProbe[],
  accountOfRoute: ReadonlyMap<string, string>,
): boolean {
  const builtIn = probes.filter(({ route }) => route === builtInRoute);
  return places.every((place) => {
    const own = probes.filter(
      (probe) =>
        probe.location === place &&
        (!isPrivate(probe) || accountOfRoute.get(probe.route) === accountId),
    );
    const serving = own.length > 0 ? own : builtIn;
    return serving.length > 0 && serving.every(({ isSuspect }) => isSuspect);
  });
}
