import { Type } from "typebox";
import type { Caller } from "../../../access/accounts/index.ts";
import { AlertSettingsSchema, getCheck } from "../../../checks/checks/index.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import { notFound } from "../../../platform/errors.ts";
import { answers, DateTime, Described, Guid, OrNull } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { listFinalResults } from "../../../runs/results/index.ts";
import type { Watched } from "../../../runs/scheduling/index.ts";
import { appliesTo, isInSpans, listMaintenanceSpans } from "../../maintenance/index.ts";
import type { AlertRules } from "../alert-rules.ts";
import type { AlertingContext } from "../context.ts";
import { type DecisionSnapshot, loadDecisionSnapshot, rulesFor } from "../decision-snapshot.ts";
import {
  type AlertSettings,
  defaultAccountAlertSettings,
  findSilenceMinutes,
} from "../settings/settings-store.ts";
import { type BackTestAlert, runBackTest } from "./back-test.ts";

export interface BackTestRequest {
  readonly checkId: string;
  readonly alertSettings: AlertSettings;
  readonly days: number;
}

export interface BackTestReport {
  readonly fromMs: number;
  /** End of the replayed history. */
  readonly toMs: number;
  readonly runs: number;
  readonly isTruncated: boolean;
  readonly alerts: readonly BackTestAlert[];
}

const dayMs = 86_400_000;
const maxRuns = 50_000;

/**
 * Builds the rules of a back-test from the current rules of the check. Mutes are omitted, because a
 * back-test shows the alerts that the settings would have caused. Parents, probes and private
 * locations are omitted, because their past states are unknown. A deactivated check gets no alerts
 * for missing data.
 */
function buildRules(
  snapshot: DecisionSnapshot,
  watched: Watched,
  proposed: {
    readonly settings: AlertSettings | null;
    readonly fromMs: number;
    readonly toMs: number;
  },
): AlertRules {
  const account = snapshot.settings.get(watched.accountId) ?? defaultAccountAlertSettings;
  const { activated, tags, groupId } = watched.settings;
  const windows = (snapshot.windows.get(watched.accountId) ?? []).filter((window) =>
    appliesTo(window, { checkId: watched.checkId, groupId, tags }),
  );
  const spans = listMaintenanceSpans(windows, proposed.fromMs, proposed.toMs);
  const own = rulesFor(snapshot, watched);
  return {
    ...own,
    settings: proposed.settings ?? own.settings,
    muted: false,
    timedMute: null,
    activated: true,
    inMaintenance: (atMs) => isInSpans(spans, atMs),
    heldByParent: null,
    probeIsSuspect: false,
    isLocationSilent: false,
    noDataMinutes: activated ? findSilenceMinutes(account, watched) : null,
  };
}

interface ReplayRequest {
  readonly snapshot: DecisionSnapshot;
  readonly watched: Watched;
  /** Alert settings to test; `null` for the settings of the check. */
  readonly settings: AlertSettings | null;
  readonly fromMs: number;
}

async function replay(
  { db, clock }: Pick<AlertingContext, "db" | "clock">,
  { snapshot, watched, settings, fromMs }: ReplayRequest,
): Promise<BackTestReport> {
  const nowMs = clock.now().getTime();
  const span = { fromMs, toMs: nowMs + 1, limit: maxRuns + 1 };
  const history = await listFinalResults(db, watched.checkId, span);
  const isCut = history.length > maxRuns;
  const runs = history.slice(0, maxRuns).map((run) => ({
    ...run,
    runParallel: watched.settings.runParallel,
    locations: watched.places,
  }));
  // Stop where the history was truncated: the time after that would look like missing data.
  const toMs = isCut ? (runs.at(-1)?.dueAtMs ?? nowMs) : nowMs;
  const rules = buildRules(snapshot, watched, { settings, fromMs, toMs });
  const { alerts, isTruncated } = runBackTest(runs, rules, { startsAtMs: fromMs, endsAtMs: toMs });
  return { fromMs, toMs, runs: runs.length, isTruncated: isCut || isTruncated, alerts };
}

/** Returns the alerts that proposed settings would have sent in recent days. Stores nothing. */
export async function backTestAlerts(
  context: AlertingContext,
  caller: Caller,
  request: BackTestRequest,
): Promise<BackTestReport> {
  const check = await getCheck(context, caller, request.checkId);
  const snapshot = await loadDecisionSnapshot(context, [check.id]);
  const watched = snapshot.watched.get(check.id);
  // The check may have been deleted between the two queries.
  if (watched === undefined) throw notFound();
  const nowMs = context.clock.now().getTime();
  // Start no earlier than the creation of the check: the time before would count as missing data.
  const fromMs = Math.min(Math.max(nowMs - request.days * dayMs, check.createdAt.getTime()), nowMs);
  return replay(context, { snapshot, watched, settings: request.alertSettings, fromMs });
}

export interface CheckBackTest {
  readonly checkId: string;
  readonly name: string;
  readonly muted: boolean;
  readonly frequencyMinutes: number;
  /**
   * Result of the back-test. `null` if the check was skipped, because the earlier checks of the
   * same request had already used up the maximum total number of runs.
   */
  readonly report: BackTestReport | null;
}

/**
 * Returns the alerts that checks of the account would have sent with their own settings. The
 * results are in the order of the request; deleted checks are missing.
 */
export async function backTestChecks(
  context: AlertingContext,
  { accountId }: Caller,
  {
    checks,
    maxTotalRuns,
  }: {
    readonly checks: readonly { readonly checkId: string; readonly fromMs: number }[];
    readonly maxTotalRuns: number;
  },
): Promise<CheckBackTest[]> {
  const snapshot = await loadDecisionSnapshot(
    context,
    checks.map(({ checkId }) => checkId),
  );
  const tested: CheckBackTest[] = [];
  let runs = 0;
  for (const { checkId, fromMs } of checks) {
    const watched = snapshot.watched.get(checkId);
    if (watched?.accountId !== accountId) continue;
    const request = { snapshot, watched, settings: null, fromMs };
    const report = runs < maxTotalRuns ? await replay(context, request) : null;
    runs += report?.runs ?? 0;
    const { name, muted, frequency } = watched.settings;
    tested.push({ checkId, name, muted, frequencyMinutes: frequency, report });
  }
  return tested;
}

const BackTestParams = Type.Object({ id: Described(Guid, "The check's id.") });

const BackTestBody = Type.Object(
  {
    alertSettings: Described(AlertSettingsSchema, "The settings to try."),
    days: Type.Integer({
      description: "Number of days of history to evaluate.",
      minimum: 1,
      maximum: 30,
      default: 7,
    }),
  },
  { title: "BackTestInput" },
);

const BackTestSchema = Type.Object(
  {
    from: Described(DateTime, "Where the history begins."),
    to: Described(DateTime, "Where the history ends."),
    runs: Type.Integer({ description: "Number of runs evaluated.", examples: [1440] }),
    isTruncated: Type.Boolean({
      description: "True if the history was too long and only its oldest part was evaluated.",
    }),
    alerts: Type.Array(
      Type.Object({
        kind: Type.String({
          description: "The kind of alert.",
          examples: ["ALERT_FAILURE"],
        }),
        at: Described(DateTime, "When it would have been sent."),
        reason: Type.String({
          description: "Why it would have been sent.",
          examples: ["run-threshold-reached"],
        }),
        resultId: Described(OrNull(Guid), "The result that caused it; `null` if no result did."),
        minutesToDetect: Described(
          OrNull(Type.Number()),
          "Minutes from the first failing run to the alert; `null` if it reports no new problem.",
          2.5,
        ),
        isReminder: Type.Boolean({ description: "True if it repeats an earlier alert." }),
      }),
      { description: "The alerts that the settings would have raised, oldest first." },
    ),
  },
  { title: "BackTest" },
);

const toWireMoment = (atMs: number) => formatDateTime(new Date(atMs));

function toWireBackTest(report: BackTestReport) {
  return {
    from: toWireMoment(report.fromMs),
    to: toWireMoment(report.toMs),
    runs: report.runs,
    isTruncated: report.isTruncated,
    alerts: report.alerts.map((alert) => ({
      kind: alert.kind,
      at: toWireMoment(alert.atMs),
      reason: alert.reason,
      resultId: alert.resultId,
      minutesToDetect: alert.minutesToDetect,
      isReminder: alert.isReminder,
    })),
  };
}

const tags = ["Alert settings"];

export function addBackTestRoutes(server: HttpServer, context: AlertingContext): void {
  server.post(
    "/v1/checks/:id/alert-back-test",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "backTestAlertSettings",
        summary: "Show which alerts proposed settings would have raised in the check's history",
        description: "Nothing is stored and nothing is sent.",
        params: BackTestParams,
        body: BackTestBody,
        response: answers({ 200: BackTestSchema }, "notFound"),
      },
    },
    async ({ caller, params, body }) => {
      const { alertSettings, days } = body;
      const request = { checkId: params.id, alertSettings, days };
      return toWireBackTest(await backTestAlerts(context, caller, request));
    },
  );
}
