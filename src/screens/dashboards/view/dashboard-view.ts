import type {
  CheckView,
  DashboardView,
  IncidentView,
  LineView,
  PlaceView,
  StatsView,
} from "../../../pages/dashboard/view.ts";
import { formatRunUrl } from "../../../pages/screens.ts";
import { notEnoughData } from "../../../pages/states.ts";
import { clipText } from "../../../platform/text/clip.ts";
import { compareNames } from "../../../platform/text/compare.ts";
import type { Incident } from "../../../response/incidents/index.ts";
import type { CheckOverview } from "../../../runs/states/index.ts";
import {
  type CheckFigures,
  type CheckSummary,
  firstStepMs,
  formatAvailability,
  type HourPoint,
  type PlaceFigures,
} from "../../../runs/statistics/index.ts";
import type { Dashboard } from "../dashboard.ts";

/** Rank for sorting, most urgent first. A check without data precedes a passing check. */
const urgency: Readonly<Record<ShownStatus, number>> = {
  failing: 0,
  degraded: 1,
  unknown: 2,
  passing: 3,
};

const maxAttention = 12;
const maxLatestLength = 200;
const maxNamedServices = 10;

interface ViewParts {
  readonly dashboard: Dashboard;
  readonly asOf: Date;
  readonly shell: string;
  /** Checks of all pages of the dashboard, in display order. */
  readonly checks: readonly CheckOverview[];
  readonly left: number;
  readonly incidents: readonly IncidentView[] | null;
  readonly slice: PageSlice;
  readonly isExpanded: boolean;
  readonly figures: ReadonlyMap<string, CheckFigures>;
  readonly places: ReadonlyMap<string, readonly PlaceFigures[]>;
  /** Data points at short intervals, for checks whose runs are all in this or the previous hour. */
  readonly firstSteps: ReadonlyMap<string, readonly HourPoint[]>;
  readonly publicUrl: string;
}

const noStats: StatsView = {
  availability: formatAvailability(null),
  avgMs: null,
  p95Ms: null,
  p99Ms: null,
};

function toStats(summary: CheckSummary | undefined): StatsView {
  if (summary === undefined) return noStats;
  const { avg: avgMs, p95: p95Ms, p99: p99Ms } = summary.latencyMs;
  return { availability: formatAvailability(summary.availability), avgMs, p95Ms, p99Ms };
}

const countRuns = ({ runs }: CheckSummary) => runs.passing + runs.degraded + runs.failing;
const withoutShare = (stats: StatsView): StatsView => ({ ...stats, availability: notEnoughData });

/**
 * Converts the figures of the last day and the last week. For a new check, "7 d 100 %" after four
 * minutes of data would be misleading, so an availability without enough data is hidden. The
 * availability of the day is shown if at least one run of the last day is older than the previous
 * hour. The availability of the week is shown if at least one run of the last week is older than
 * the last day. If the last week has no runs, nothing is hidden.
 */
export function toShares({ day, week, hours }: CheckFigures): { day: StatsView; week: StatsView } {
  const runs = countRuns(week);
  const isDayKnown = runs === 0 || hours.slice(0, -2).some((hour) => hour.runs > 0);
  const isWeekKnown = runs === 0 || runs > countRuns(day);
  return {
    day: isDayKnown ? toStats(day) : withoutShare(toStats(day)),
    week: isWeekKnown ? toStats(week) : withoutShare(toStats(week)),
  };
}

/**
 * Returns whether a check has runs only in this and the previous hour, which are too few hours for
 * a line with one point per hour.
 */
export function isYoung({ hours }: Pick<CheckFigures, "hours">): boolean {
  const ran = hours.filter(({ runs }) => runs > 0);
  return ran.length > 0 && hours.slice(0, -2).every(({ runs }) => runs === 0);
}

function toLine(check: CheckOverview, parts: ViewParts): LineView {
  const hasRun = check.since !== null;
  const first = parts.firstSteps.get(check.id);
  if (first !== undefined) return { steps: first, stepMinutes: firstStepMs / 60_000, hasRun };
  return { steps: parts.figures.get(check.id)?.hours ?? [], stepMinutes: 60, hasRun };
}

/** Lists the locations that have a current state or had runs in the last day. */
function listPlaces(check: CheckOverview, figures: readonly PlaceFigures[]): PlaceView[] {
  const names = new Set([...Object.keys(check.locations), ...figures.map((one) => one.location)]);
  return [...names].sort(compareNames).map((location) => {
    const state = check.locations[location];
    const day = figures.find((one) => one.location === location);
    return {
      location,
      status: state?.verdict ?? "unknown",
      lastRunAt: state === undefined ? null : new Date(state.atMs),
      day:
        day === undefined
          ? noStats
          : {
              availability: formatAvailability(day.availability),
              avgMs: day.avgMs,
              p95Ms: day.p95Ms,
              p99Ms: day.p99Ms,
            },
    };
  });
}

function toCheckView(parts: ViewParts, check: CheckOverview): CheckView {
  const { figures, places, publicUrl, dashboard } = parts;
  const found = figures.get(check.id);
  const hasLink = dashboard.settings.showCheckRunLinks && check.lastResultId !== null;
  const runUrl = hasLink ? formatRunUrl(publicUrl, check.id, check.lastResultId) : null;
  return {
    id: check.id,
    name: check.name,
    groupName: check.groupName,
    tags: check.tags,
    status: check.status,
    since: check.since,
    runUrl,
    line: toLine(check, parts),
    ...(found === undefined ? { day: noStats, week: noStats } : toShares(found)),
    places: parts.isExpanded ? listPlaces(check, places.get(check.id) ?? []) : [],
  };
}

/** Converts an incident. The latest update becomes one line of text without Markdown. */
export function toIncidentView(incident: Incident): IncidentView {
  const { name, severity, status, startedAt, services, updates } = incident;
  const plain = (updates[0]?.description ?? "")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[*_`#>~]+/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return {
    name,
    severity,
    status,
    startedAt,
    services: services.slice(0, maxNamedServices).map((service) => service.name),
    latest: clipText(plain, maxLatestLength),
  };
}

/** Builds the content of one page of a dashboard. */
export function toDashboardView(parts: ViewParts): DashboardView {
  const { dashboard, checks, slice, incidents } = parts;
  const { settings } = dashboard;
  return {
    asOf: parts.asOf,
    shell: parts.shell,
    page: slice.page,
    pages: slice.pages,
    // Number of rows that share the height of the screen. A dashboard with few checks has taller
    // rows, which can be read from a distance.
    rows: Math.min(settings.checksPerPage, Math.max(1, checks.length)),
    isTiled: settings.layout === "TILES",
    counts: countStatuses(checks),
    isChosen: settings.tags.length > 0,
    left: parts.left,
    attention: listAttention(checks, maxAttention),
    incidents,
    checks: checks.slice(slice.from, slice.to).map((check) => toCheckView(parts, check)),
    isExpanded: parts.isExpanded,
    paginates: settings.paginate,
    showTags: !settings.hideTags,
    showGroupNames: settings.showGroupNames,
    showRunLinks: settings.showCheckRunLinks,
    showP95: settings.showP95,
    showP99: settings.showP99,
  };
}

type ShownStatus = CheckOverview["status"];

type Ordered = Pick<CheckOverview, "status">;

/**
 * Sorts failing checks first and degraded checks next. With `sortByStatus`, checks without data
 * precede passing checks. Otherwise checks without data and passing checks keep their order.
 */
export function orderChecks<Check extends Ordered>(
  checks: readonly Check[],
  sortByStatus: boolean,
): readonly Check[] {
  const lowest = sortByStatus ? urgency.passing : urgency.unknown;
  const rank = ({ status }: Check) => Math.min(urgency[status], lowest);
  return [...checks].sort((one, other) => rank(one) - rank(other));
}

export function countStatuses(checks: readonly Ordered[]): Record<ShownStatus, number> {
  const counts = { failing: 0, degraded: 0, unknown: 0, passing: 0 };
  for (const { status } of checks) counts[status] += 1;
  return counts;
}

/** Lists failing and then degraded checks; in each group, the latest state change comes first. */
export function listAttention<Check extends Pick<CheckOverview, "status" | "since">>(
  checks: readonly Check[],
  limit: number,
): readonly Check[] {
  return checks
    .filter(({ status }) => status === "failing" || status === "degraded")
    .sort(
      (one, other) =>
        urgency[one.status] - urgency[other.status] ||
        (other.since?.getTime() ?? 0) - (one.since?.getTime() ?? 0),
    )
    .slice(0, limit);
}

interface PageSlice {
  /** Number of the page, starting at 1. */
  readonly page: number;
  readonly pages: number;
  readonly from: number;
  readonly to: number;
}

/** Returns the requested page, or the nearest existing page. */
export function slicePage(
  count: number,
  { paginate, checksPerPage }: { readonly paginate: boolean; readonly checksPerPage: number },
  requested: number,
): PageSlice {
  const size = paginate ? checksPerPage : Math.max(1, count);
  const pages = Math.max(1, Math.ceil(count / size));
  const page = Math.min(Math.max(1, requested), pages);
  return { page, pages, from: (page - 1) * size, to: Math.min(page * size, count) };
}
