import { listLiveProbes } from "../locations/index.ts";
import {
  appliesTo,
  isInWindow,
  listWindowsOf,
  type MaintenanceWindow,
} from "../maintenance/index.ts";
import type { Watched } from "../runs/index.ts";
import type { AlertRules } from "./alert-rules.ts";
import type { AlertingContext } from "./context.ts";
import { findFailingParent } from "./dependency.ts";
import { loadAncestors } from "./parents/ancestor-store.ts";
import { findSilenceMinutes } from "./settings/account-alert-settings.ts";
import { type AccountAlertSettings, loadAccountSettings } from "./settings/store.ts";

/** Everything that decisions on some checks depend on, read once for all of them. */
export interface DecisionWorld {
  readonly watched: ReadonlyMap<string, Watched>;
  readonly settings: ReadonlyMap<string, AccountAlertSettings>;
  readonly windows: ReadonlyMap<string, readonly MaintenanceWindow[]>;
  readonly parents: ReadonlyMap<string, readonly string[]>;
  readonly statuses: ReadonlyMap<string, string>;
  /** Not one probe that is alive can reach its own anchors. */
  readonly areProbesSuspect: boolean;
}

export async function loadDecisionWorld(
  context: AlertingContext,
  checkIds: readonly string[],
): Promise<DecisionWorld> {
  const { db, watchList } = context;
  const watched = await watchList.find(checkIds);
  const accountIds = [...new Set([...watched.values()].map((one) => one.accountId))];
  const { parents, statuses } = await loadAncestors(db, checkIds);
  const probes = await listLiveProbes(context);
  return {
    watched,
    settings: await loadAccountSettings(db, accountIds),
    windows: await listWindowsOf(db, accountIds),
    parents,
    statuses,
    areProbesSuspect: probes.length > 0 && probes.every((probe) => probe.isSuspect),
  };
}

export function rulesFor(world: DecisionWorld, watched: Watched): AlertRules {
  const { checkId, accountId, settings } = watched;
  const account = world.settings.get(accountId);
  if (account === undefined) throw new Error("settings of an account were not read");
  const windows = (world.windows.get(accountId) ?? []).filter((window) =>
    appliesTo(window, settings.tags),
  );
  return {
    settings: settings.useGlobalAlertSettings ? account : settings.alertSettings,
    muted: settings.muted,
    activated: settings.activated,
    inMaintenance: (atMs) => windows.some((window) => isInWindow(window, atMs)),
    heldByParent: findFailingParent(
      checkId,
      (id) => world.parents.get(id) ?? [],
      (id) => world.statuses.get(id) ?? null,
    ),
    probeIsSuspect: world.areProbesSuspect,
    escalationStages: account.escalationStages.map(({ afterMinutes, alertChannelIds }) => ({
      afterMinutes,
      channelIds: alertChannelIds,
    })),
    flapDamping: account.flapDamping,
    noDataMinutes: findSilenceMinutes(account, settings.frequency),
  };
}
