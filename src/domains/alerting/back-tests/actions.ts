import { notFound } from "../../../platform/errors.ts";
import type { Caller } from "../../accounts/index.ts";
import { type AlertSettings, getCheck } from "../../checks/index.ts";
import { appliesTo, isInSpans, listMaintenanceSpans } from "../../maintenance/index.ts";
import { listFinalResults } from "../../results/index.ts";
import type { Watched } from "../../schedule/index.ts";
import type { AlertRules } from "../alert-rules.ts";
import type { AlertingContext } from "../context.ts";
import { type DecisionSnapshot, loadDecisionSnapshot, rulesFor } from "../decision-snapshot.ts";
import {
  defaultAccountAlertSettings,
  findSilenceMinutes,
} from "../settings/account-alert-settings.ts";
import { type BackTestAlert, runBackTest } from "./back-test.ts";

export interface BackTestRequest {
  readonly checkId: string;
  readonly alertSettings: AlertSettings;
  readonly days: number;
}

export interface BackTestReport {
  readonly fromMs: number;
  /** Where the evaluated history ends. */
  readonly toMs: number;
  readonly runs: number;
  readonly isTruncated: boolean;
  readonly alerts: readonly BackTestAlert[];
}

const dayMs = 86_400_000;
const maxRuns = 50_000;

/**
 * Rules of the check as it is now, but unmuted and without parents: a back-test shows which alerts
 * the settings would have sent, and past states of parents and probes are unknown. A deactivated
 * check gets no alerts for missing data.
 */
function buildRules(
  snapshot: DecisionSnapshot,
  watched: Watched,
  proposed: { readonly settings: AlertSettings; readonly fromMs: number; readonly toMs: number },
): AlertRules {
  const account = snapshot.settings.get(watched.accountId) ?? defaultAccountAlertSettings;
  const { activated, tags, groupId } = watched.settings;
  const windows = (snapshot.windows.get(watched.accountId) ?? []).filter((window) =>
    appliesTo(window, { checkId: watched.checkId, groupId, tags }),
  );
  const spans = listMaintenanceSpans(windows, proposed.fromMs, proposed.toMs);
  return {
    ...rulesFor(snapshot, watched),
    settings: proposed.settings,
    muted: false,
    activated: true,
    inMaintenance: (atMs) => isInSpans(spans, atMs),
    heldByParent: null,
    probeIsSuspect: false,
    noDataMinutes: activated ? findSilenceMinutes(account, watched) : null,
  };
}

/** Returns the alerts that proposed settings would have sent in the last days. Stores nothing. */
export async function backTestAlerts(
  context: AlertingContext,
  caller: Caller,
  request: BackTestRequest,
): Promise<BackTestReport> {
  const check = await getCheck(context, caller, request.checkId);
  const snapshot = await loadDecisionSnapshot(context, [check.id]);
  const watched = snapshot.watched.get(check.id);
  // The check may have been deleted in the meantime.
  if (watched === undefined) throw notFound();
  const nowMs = context.clock.now().getTime();
  // Missing data before the check was created does not count.
  const fromMs = Math.min(Math.max(nowMs - request.days * dayMs, check.createdAt.getTime()), nowMs);
  const span = { fromMs, toMs: nowMs + 1, limit: maxRuns + 1 };
  const history = await listFinalResults(context.db, check.id, span);
  const isCut = history.length > maxRuns;
  const runs = history.slice(0, maxRuns).map((run) => ({
    ...run,
    runParallel: watched.settings.runParallel,
    locations: watched.places,
  }));
  // Stop where the history was truncated: the rest would look like missing data.
  const toMs = isCut ? (runs.at(-1)?.dueAtMs ?? nowMs) : nowMs;
  const rules = buildRules(snapshot, watched, { settings: request.alertSettings, fromMs, toMs });
  const { alerts, isTruncated } = runBackTest(runs, rules, { startsAtMs: fromMs, endsAtMs: toMs });
  return { fromMs, toMs, runs: runs.length, isTruncated: isCut || isTruncated, alerts };
}
