import { notFound } from "../../../platform/errors.ts";
import type { Caller } from "../../accounts/index.ts";
import { type AlertSettings, getCheck } from "../../checks/index.ts";
import { appliesTo, isInSpans, listMaintenanceSpans } from "../../maintenance/index.ts";
import type { Watched } from "../../runs/index.ts";
import type { AlertRules } from "../alert-rules.ts";
import { type BackTestAlert, runBackTest } from "../back-test.ts";
import type { AlertingContext } from "../context.ts";
import { type DecisionWorld, loadDecisionWorld, rulesFor } from "../decision-world.ts";
import {
  defaultAccountAlertSettings,
  findSilenceMinutes,
} from "../settings/account-alert-settings.ts";
import { listPastRuns } from "./history-store.ts";

export interface BackTestWish {
  readonly checkId: string;
  readonly alertSettings: AlertSettings;
  readonly days: number;
}

export interface BackTestReport {
  readonly fromMs: number;
  /** Where the history that was looked at ends. */
  readonly toMs: number;
  readonly runs: number;
  readonly isTruncated: boolean;
  readonly alerts: readonly BackTestAlert[];
}

const dayMs = 86_400_000;
const maxRuns = 50_000;

/**
 * The check as it is, but never muted nor held by a parent: the question is what the settings
 * would have told, and what was failing then besides is not known any more. Nor do probes that
 * doubt themselves now say anything of then. Of a check that is off, silence is no news.
 */
function buildRules(
  world: DecisionWorld,
  watched: Watched,
  wish: { readonly settings: AlertSettings; readonly fromMs: number; readonly toMs: number },
): AlertRules {
  const account = world.settings.get(watched.accountId) ?? defaultAccountAlertSettings;
  const { activated, frequency, tags } = watched.settings;
  const windows = (world.windows.get(watched.accountId) ?? []).filter((window) =>
    appliesTo(window, tags),
  );
  const spans = listMaintenanceSpans(windows, wish.fromMs, wish.toMs);
  return {
    ...rulesFor(world, watched),
    settings: wish.settings,
    muted: false,
    activated: true,
    inMaintenance: (atMs) => isInSpans(spans, atMs),
    heldByParent: null,
    probeIsSuspect: false,
    noDataMinutes: activated ? findSilenceMinutes(account, frequency) : null,
  };
}

/** What proposed settings would have told of the check's last days. Stores nothing. */
export async function backTestAlerts(
  context: AlertingContext,
  caller: Caller,
  wish: BackTestWish,
): Promise<BackTestReport> {
  const check = await getCheck(context, caller, wish.checkId);
  const world = await loadDecisionWorld(context, [check.id]);
  const watched = world.watched.get(check.id);
  // It may have been deleted in between.
  if (watched === undefined) throw notFound();
  const nowMs = context.clock.now().getTime();
  // Before a check was there, nothing was missed.
  const fromMs = Math.min(Math.max(nowMs - wish.days * dayMs, check.createdAt.getTime()), nowMs);
  const span = { fromMs, toMs: nowMs + 1, limit: maxRuns + 1 };
  const history = await listPastRuns(context.pool, check.id, span);
  const isCut = history.length > maxRuns;
  const runs = history.slice(0, maxRuns).map((run) => ({
    ...run,
    runParallel: watched.settings.runParallel,
    locations: watched.places,
  }));
  // Where the history is cut off, time must not go on: it would be silence that never was.
  const toMs = isCut ? (runs.at(-1)?.dueAtMs ?? nowMs) : nowMs;
  const rules = buildRules(world, watched, { settings: wish.alertSettings, fromMs, toMs });
  const { alerts, isTruncated } = runBackTest(runs, rules, { startsAtMs: fromMs, endsAtMs: toMs });
  return { fromMs, toMs, runs: runs.length, isTruncated: isCut || isTruncated, alerts };
}
