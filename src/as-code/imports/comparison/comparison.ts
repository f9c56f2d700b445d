import { Type } from "typebox";
import type { Caller } from "../../../access/accounts/index.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  answers,
  DateTime,
  Described,
  Guid,
  OneOf,
  OrNull,
} from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { backTestChecks } from "../../../response/alerting/index.ts";
import { listTroubles } from "../../../response/incidents/index.ts";
import { getImport, openReading } from "../actions.ts";
import type { ImportsContext } from "../context.ts";
import type { ImportScope } from "../import.ts";
import type { CheckHistory } from "../reading.ts";
import { ImportParams } from "../schema.ts";
import type { ImportSource } from "../sources.ts";
import { findLatestReading, mapImportedChecks } from "../store.ts";
import { type Episode, listProblems, matchEpisodes, within } from "./episodes.ts";

/** Maximum number of runs that one comparison evaluates. */
const maxTotalRuns = 300_000;
const maxShownEpisodes = 20;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** History that the old monitor recorded, from the latest uploaded file. */
interface OldHistory {
  readonly untilMs: number;
  readonly byOrigin: ReadonlyMap<string, CheckHistory>;
}

interface CheckComparison {
  readonly origin: string;
  readonly checkId: string;
  readonly name: string;
  readonly muted: boolean;
  /**
   * Number of problems for which alerts would have been sent. `null` if the check had problems but
   * its runs were not evaluated, because other checks had used up the maximum number of runs.
   */
  readonly alerts: number | null;
  /** Outages that the two monitors recorded; `null` if they cannot be compared. */
  readonly episodes: readonly Episode[] | null;
}

interface Comparison {
  readonly source: ImportSource;
  readonly from: Date | null;
  readonly comparedUntil: Date | null;
  readonly checks: readonly CheckComparison[];
}

/** Returns the end of the history in a file. The result is never later than the upload. */
function findEndMs(history: readonly CheckHistory[], uploadedMs: number): number {
  let lastMs = 0;
  for (const { hours, outages } of history) {
    const outage = outages.at(-1);
    const slotMs = hours.at(-1)?.startMs;
    lastMs = Math.max(lastMs, slotMs === undefined ? 0 : slotMs + hourMs);
    lastMs = Math.max(lastMs, outage?.toMs ?? outage?.fromMs ?? 0);
  }
  return Math.min(lastMs, uploadedMs);
}

async function loadOldHistory(
  { db, encryption }: ImportsContext,
  { accountId }: Caller,
  scope: ImportScope,
): Promise<OldHistory | null> {
  const latest = await findLatestReading(db, accountId, scope);
  if (latest === null) return null;
  const { history } = await openReading(encryption, latest.sealed);
  const untilMs = findEndMs(history, latest.createdAt.getTime());
  return { untilMs, byOrigin: new Map(history.map((one) => [one.check, one])) };
}

interface ImportedCheck {
  readonly origin: string;
  readonly checkId: string;
  readonly fromMs: number;
}

async function listImported(
  context: ImportsContext,
  caller: Caller,
  id: string,
): Promise<{ readonly scope: ImportScope; readonly checks: ImportedCheck[] }> {
  const { source, name, report } = await getImport(context, caller, id);
  const scope = { source, name };
  const known = await mapImportedChecks(context.db, caller.accountId, scope);
  const checks = report.imported.flatMap(({ origin, type }): ImportedCheck[] => {
    const found = known.get(origin);
    if (type !== "check" || found === undefined) return [];
    return [{ origin, checkId: found.checkId, fromMs: found.createdAt.getTime() }];
  });
  return { scope, checks };
}

/**
 * Sorts checks with problems first. If there are too many runs to evaluate, only checks at the end
 * of the list are skipped.
 */
async function orderByTrouble(
  { db, clock }: ImportsContext,
  { accountId }: Caller,
  checks: readonly ImportedCheck[],
): Promise<{ readonly ordered: ImportedCheck[]; readonly troubled: ReadonlySet<string> }> {
  const fromMs = Math.min(...checks.map((one) => one.fromMs));
  const checkIds = checks.map(({ checkId }) => checkId);
  const range = { checkIds, from: new Date(fromMs), to: clock.now() };
  const found = await listTroubles(db, accountId, range);
  const troubled = new Set(found.map(({ checkId }) => checkId));
  const hasTrouble = ({ checkId }: ImportedCheck) => troubled.has(checkId);
  const ordered = [...checks.filter(hasTrouble), ...checks.filter((one) => !hasTrouble(one))];
  return { ordered, troubled };
}

/**
 * Compares the alerts that imported checks would have sent with the outages that the old monitor
 * recorded, for the time since the import. Stores nothing.
 */
async function compareImport(
  context: ImportsContext,
  caller: Caller,
  id: string,
): Promise<Comparison> {
  const { scope, checks } = await listImported(context, caller, id);
  const { source } = scope;
  if (checks.length === 0) return { source, from: null, comparedUntil: null, checks: [] };
  const { ordered, troubled } = await orderByTrouble(context, caller, checks);
  const alerting = { ...context, ...context.states };
  const tested = await backTestChecks(alerting, caller, { checks: ordered, maxTotalRuns });
  const old = await loadOldHistory(context, caller, scope);
  const byId = new Map(checks.map((one) => [one.checkId, one]));
  const isCompared = old !== null && checks.some(({ fromMs }) => old.untilMs > fromMs);
  const compared = tested.map(({ checkId, name, muted, frequencyMinutes, report }) => {
    const { origin, fromMs } = byId.get(checkId) as ImportedCheck;
    const isUnknown = report === null && troubled.has(checkId);
    const problems = within(listProblems(report?.alerts ?? []), {
      fromMs,
      toMs: Number.POSITIVE_INFINITY,
    });
    const range = { fromMs, toMs: old?.untilMs ?? fromMs };
    const theirs = old?.byOrigin.get(origin);
    const toleranceMs = Math.max(1, frequencyMinutes) * minuteMs;
    const episodes =
      !isCompared || isUnknown || theirs === undefined
        ? null
        : matchEpisodes(within(problems, range), within(theirs.outages, range), toleranceMs);
    return { origin, checkId, name, muted, alerts: isUnknown ? null : problems.length, episodes };
  });
  return {
    source,
    from: new Date(Math.min(...checks.map(({ fromMs }) => fromMs))),
    comparedUntil: isCompared ? new Date(old.untilMs) : null,
    checks: compared,
  };
}

const Count = (description: string) => Type.Integer({ description, examples: [2], minimum: 0 });

const countFields = {
  both: Count("Outages that both monitors saw."),
  onlyHere: Count("Problems that only Vedette saw."),
  onlyThere: Count("Outages that only the old monitor saw."),
};

const EpisodeSchema = Type.Object({
  seen: Described(OneOf(["both", "here", "there"] as const), "Which monitor saw it.", "both"),
  from: Described(DateTime, "When it began."),
  to: Described(OrNull(DateTime), "When it ended; `null` if it has not."),
});

const ComparisonSchema = Type.Object(
  {
    from: Described(OrNull(DateTime), "When the first check was imported; `null` if none was."),
    comparedUntil: Described(
      OrNull(DateTime),
      "End of the old monitor's history in its latest file; `null` if that has no history since " +
        "the import. Upload a newer file to compare.",
    ),
    totals: Type.Object(
      {
        checks: Count("Number of checks."),
        muted: Count("Number of checks that are muted."),
        alerts: Count("Problems for which Vedette would have sent alerts."),
        ...countFields,
      },
      { description: "Sums of all checks." },
    ),
    checks: Type.Array(
      Type.Object({
        checkId: Described(Guid, "The check."),
        origin: Type.String({ description: "Its origin.", examples: ["kuma/12"] }),
        name: Type.String({ description: "Its name.", examples: ["Shop"] }),
        muted: Type.Boolean({ description: "Whether it is muted." }),
        alerts: Described(
          OrNull(Count("")),
          "Problems for which Vedette would have sent alerts; `null` if there are too many runs.",
          2,
        ),
        compared: Described(
          OrNull(
            Type.Object({
              ...countFields,
              episodes: Type.Array(EpisodeSchema, { description: "The latest 20." }),
            }),
          ),
          "Comparison with the old monitor; `null` if its history cannot be read.",
        ),
      }),
      { description: "The checks of the import; those with most differences first." },
    ),
  },
  { title: "ImportComparison" },
);

const count = (episodes: readonly Episode[], seen: Episode["seen"]) =>
  episodes.filter((one) => one.seen === seen).length;

const countAll = (episodes: readonly Episode[]) => ({
  both: count(episodes, "both"),
  onlyHere: count(episodes, "here"),
  onlyThere: count(episodes, "there"),
});

const formatMs = (ms: number) => formatDateTime(new Date(ms));

function toWireCheck({ episodes, ...check }: CheckComparison) {
  return {
    ...check,
    compared: episodes && {
      ...countAll(episodes),
      episodes: episodes.slice(-maxShownEpisodes).map(({ seen, fromMs, toMs }) => ({
        seen,
        from: formatMs(fromMs),
        to: toMs === null ? null : formatMs(toMs),
      })),
    },
  };
}

const countDifferences = ({ episodes }: CheckComparison) =>
  (episodes ?? []).filter(({ seen }) => seen !== "both").length;

function toWireComparison({ from, comparedUntil, checks }: Comparison) {
  const ordered = [...checks].sort(
    (a, b) =>
      countDifferences(b) - countDifferences(a) ||
      (b.alerts ?? 0) - (a.alerts ?? 0) ||
      a.name.localeCompare(b.name, "en"),
  );
  return {
    from: from && formatDateTime(from),
    comparedUntil: comparedUntil && formatDateTime(comparedUntil),
    totals: {
      checks: checks.length,
      muted: checks.filter(({ muted }) => muted).length,
      alerts: checks.reduce((sum, { alerts }) => sum + (alerts ?? 0), 0),
      ...countAll(checks.flatMap(({ episodes }) => episodes ?? [])),
    },
    checks: ordered.map(toWireCheck),
  };
}

export function addComparisonRoute(server: HttpServer, context: ImportsContext): void {
  server.get(
    "/v1/imports/:id/comparison",
    {
      config: { access: "read" },
      schema: {
        tags: ["Imports"],
        operationId: "compareImport",
        summary: "Compare imported checks with the old monitor",
        description:
          "Shows the alerts that the checks of an import would have sent since they were " +
          "imported, beside the outages in the latest file of the same source. Outages that " +
          "overlap, or are at most one interval of the check apart, are the same. To start " +
          "alerting, unmute checks with `POST /v1/checks/bulk`.",
        params: ImportParams,
        response: answers({ 200: ComparisonSchema }, "notFound"),
      },
    },
    async ({ caller, params }) => toWireComparison(await compareImport(context, caller, params.id)),
  );
}
