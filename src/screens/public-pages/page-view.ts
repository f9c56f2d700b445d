import { prepareMarkdown } from "../../pages/markdown.ts";
import { notEnoughData, type State } from "../../pages/states.ts";
import type {
  DayView,
  IncidentDay,
  IncidentView,
  Indicator,
  MaintenanceView,
  PageView,
  ServiceView,
  UpdateView,
} from "../../pages/status-page/page-view.ts";
import { formatDate } from "../../platform/dates.ts";
import { clipText } from "../../platform/text/clip.ts";
import {
  addServiceTimes,
  computeServiceAvailability,
  decideServiceState,
  type Followed,
  type Incident,
  type ServiceDay,
  type ServiceTime,
  type Severity,
  severities,
} from "../../response/incidents/index.ts";
import type { PublicMaintenance } from "../../response/maintenance/index.ts";
import { formatAvailability, toAvailabilityPercent } from "../../runs/statistics/index.ts";
import {
  listServicesOf,
  listShownCards,
  nameServices,
  type Service,
  type StatusPage,
} from "../../sites/status-pages/index.ts";

export const pastDays = 15;
export const maintenanceAheadDays = 14;
export const dayMs = 86_400_000;

/** Maximum total length of updates shown in full: enough for ten long incidents. */
const maxWordsLength = 400_000;
const cutLength = 301;

export interface PageFacts {
  readonly page: StatusPage;
  /**
   * Ongoing incidents, followed by recently ended incidents, with a limit for each group. Ongoing
   * incidents of equal severity are sorted newest first. A draft incident, if there is one,
   * precedes all others.
   */
  readonly incidents: readonly Incident[];
  /**
   * Worst severity of all open incidents of each service, including those that `incidents` omits.
   */
  readonly troubles: ReadonlyMap<string, Severity>;
  readonly maintenance: readonly PublicMaintenance[];
  /** State of the followed checks of each service. */
  readonly followed: ReadonlyMap<string, Followed>;
  /** Daily history of each service, oldest day first. */
  readonly days: ReadonlyMap<string, readonly ServiceDay[]>;
  readonly now: Date;
}

const rankOf = ({ severity }: Pick<Incident, "severity">) => severities.indexOf(severity);

/** Converts an incident for display, without services that the page does not show. */
export function toIncidentView(page: StatusPage, incident: Incident): IncidentView {
  const names = new Map(incident.services.map(({ id, name }) => [id, name]));
  return {
    id: incident.id,
    name: incident.name,
    severity: incident.severity,
    status: incident.status,
    services: nameServices(page)
      .filter(({ id }) => names.has(id))
      .map((service) => ({ ...service, name: names.get(service.id) ?? service.name })),
    updates: incident.updates.map(({ id, status, description, publicAt }) => ({
      id,
      status,
      description,
      at: publicAt,
    })),
    startedAt: incident.startedAt,
    resolvedAt: incident.resolvedAt,
  };
}

function isUnderMaintenance(serviceId: string, { page, maintenance }: PageFacts): boolean {
  return maintenance.some(
    (window) => isOnPage(page, window) && isOpen(window) && affects(window, serviceId),
  );
}

/** Returns a failure that checks found, unless an open incident affects the service. */
function findSeen(serviceId: string, facts: PageFacts): ServiceView["seen"] {
  const { troubles, followed, incidents } = facts;
  const state = followed.get(serviceId)?.state ?? null;
  if (state === null || state.status === "passing" || troubles.has(serviceId)) return null;
  const { status, since } = state;
  const isAfterIncident = incidents.some(
    ({ services, resolvedAt }) =>
      since !== null &&
      resolvedAt !== null &&
      resolvedAt >= since &&
      services.some(({ id }) => id === serviceId),
  );
  return { status, since, isAfterIncident };
}

function toDayView({ date, failingMs, degradedMs, knownMs }: ServiceDay): DayView {
  const kind = failingMs > 0 ? "outage" : degradedMs > 0 ? "degraded" : knownMs > 0 ? "ok" : "none";
  return { date, kind, failingMs, degradedMs };
}

/**
 * Returns the uptime percentage; `null` if less than one day of data exists. A percentage of less
 * data would be misleading: "50 %" after one hour would be read as the uptime of the whole history.
 */
function findUptimePercent(time: ServiceTime): number | null {
  const availability = computeServiceAvailability(time);
  if (availability === null || time.knownMs < dayMs) return null;
  return toAvailabilityPercent(availability);
}

/** Formats the uptime. Adds the number of days with data if several days lack data. */
export function describeUptime(time: ServiceTime, shown: number): string {
  const availability = computeServiceAvailability(time);
  if (availability === null) return "no data";
  if (time.knownMs < dayMs) return notEnoughData;
  const uptime = `${formatAvailability(availability)} uptime`;
  const days = Math.floor(time.knownMs / dayMs);
  // Today is incomplete, so one missing day is normal.
  if (days >= shown - 1) return uptime;
  return `${uptime} in ${days} ${days === 1 ? "day" : "days"}`;
}

/**
 * Converts the days of a service for display. If the current state of the service is "No data",
 * today is shown as a day without data instead of a day without failures.
 */
function toDayViews(days: readonly ServiceDay[], state: State): readonly DayView[] {
  const views = days.map(toDayView);
  const today = views.at(-1);
  if (state !== "unknown" || today?.kind !== "ok") return views;
  return [...views.slice(0, -1), { ...today, kind: "none" }];
}

/** Properties of a service that are equal on every card that lists the service. */
type KnownService = Omit<ServiceView, "description" | "showsHistory">;

function toServiceView({ id, name }: Service, facts: PageFacts): KnownService {
  const days = facts.days.get(id) ?? [];
  const time = addServiceTimes(days);
  const state = decideServiceState(facts.troubles.get(id), facts.followed.get(id)?.state ?? null);
  return {
    id,
    name,
    state,
    isUnderMaintenance: isUnderMaintenance(id, facts),
    seen: findSeen(id, facts),
    days: toDayViews(days, state),
    uptimePercent: findUptimePercent(time),
    uptime: describeUptime(time, days.length),
  };
}

const headlines: Readonly<Record<Indicator, string>> = {
  empty: "No services yet",
  none: "All systems operational",
  maintenance: "Under maintenance",
  unknown: "No data from some services",
  minor: "Degraded performance",
  major: "Partial outage",
  critical: "Major outage",
};

/** Decides the overall status: critical if an incident is critical or all services fail. */
export function decideIndicator(
  services: readonly Pick<ServiceView, "state">[],
  troubles: readonly Severity[],
  isUnderMaintenance: boolean,
): Indicator {
  if (services.length === 0) return "empty";
  const isAllDown = services.every(({ state }) => state === "failing");
  if (isAllDown || troubles.includes("CRITICAL")) return "critical";
  const has = (expected: State) => services.some(({ state }) => state === expected);
  if (troubles.includes("MAJOR") || has("failing")) return "major";
  if (troubles.length > 0 || has("degraded")) return "minor";
  if (has("unknown")) return "unknown";
  return isUnderMaintenance ? "maintenance" : "none";
}

export function formatHeadline(
  indicator: Indicator,
  services: readonly Pick<ServiceView, "state">[],
): string {
  const isAllSilent = services.every(({ state }) => state === "unknown");
  return indicator === "unknown" && isAllSilent ? "No data yet" : headlines[indicator];
}

/** Groups resolved incidents by the day on which they ended. */
function groupByLastDay(incidents: readonly IncidentView[], now: Date): readonly IncidentDay[] {
  const todayMs = Math.floor(now.getTime() / dayMs) * dayMs;
  const sinceMs = todayMs - (pastDays - 1) * dayMs;
  const over = incidents
    .flatMap((incident) => {
      const { resolvedAt } = incident;
      const isRecent = resolvedAt !== null && resolvedAt.getTime() >= sinceMs;
      return isRecent
        ? [{ incident, date: formatDate(resolvedAt), atMs: resolvedAt.getTime() }]
        : [];
    })
    .toSorted((one, other) => other.atMs - one.atMs);
  const days = Map.groupBy(over, ({ date }) => date);
  return [...days].map(([date, group]) => ({
    date,
    incidents: group.map(({ incident }) => incident),
  }));
}

function findLastChange(
  { page, incidents, followed }: PageFacts,
  maintenance: readonly MaintenanceView[],
): Date {
  const changes = [
    page.createdAt,
    page.updatedAt,
    ...maintenance.map(({ changedAt }) => changedAt),
    ...[...followed.values()].flatMap(({ troubles }) =>
      troubles.map(({ startedAtMs, endedAtMs }) => new Date(endedAtMs ?? startedAtMs)),
    ),
    ...incidents.flatMap(({ createdAt, updatedAt, updates }) => [
      createdAt,
      updatedAt,
      ...updates.flatMap((update) => [update.createdAt, update.updatedAt]),
    ]),
  ];
  return new Date(changes.reduce((latest, at) => Math.max(latest, at?.getTime() ?? 0), 0));
}

/** Returns whether search engines may list the page. */
export function isIndexed({ isPrivate, settings }: StatusPage): boolean {
  return !isPrivate && settings.allowIndexing;
}

export function buildPageView(facts: PageFacts): PageView {
  const { page, now } = facts;
  const incidents = shortenWords(facts.incidents.map((incident) => toIncidentView(page, incident)));
  const services = new Map(
    listServicesOf(page).map((service) => [service.id, toServiceView(service, facts)]),
  );
  // The sort is stable, so incidents of equal severity stay in order, newest first.
  const ongoing = incidents
    .filter(({ resolvedAt }) => resolvedAt === null)
    .toSorted((one, other) => rankOf(one) - rankOf(other));
  const maintenance = toMaintenanceViews(page, facts.maintenance, now);
  const isMaintained = maintenance.some(({ isNow }) => isNow);
  const troubles = [...facts.troubles.values()];
  const shown = [...services.values()];
  const indicator = decideIndicator(shown, troubles, isMaintained);
  return {
    name: page.name,
    description: page.settings.description,
    isIndexed: isIndexed(page),
    indicator,
    sentence: formatHeadline(indicator, shown),
    cards: listShownCards(page).map((card) => ({
      id: card.id,
      name: card.name,
      description: card.look.description,
      services: card.services.flatMap(({ id, look }) => {
        const service = services.get(id);
        const showsHistory = card.look.showsHistory && look.showsHistory;
        return service === undefined
          ? []
          : [{ ...service, description: look.description, showsHistory }];
      }),
    })),
    ongoing,
    maintenance,
    pastDays: groupByLastDay(incidents, now),
    pastDayCount: pastDays,
    updatedAt: findLastChange(facts, maintenance),
  };
}

/**
 * Returns whether a page shows a maintenance window. A window that lists pages is shown on these
 * pages. Any other window is shown on the pages with a service that it affects, or on all pages if
 * it lists no services.
 */
export function isOnPage(page: StatusPage, window: PublicMaintenance): boolean {
  if (window.statusPageIds.length > 0) return window.statusPageIds.includes(page.id);
  if (window.affectsAllServices || window.serviceIds.length === 0) return true;
  return listServicesOf(page).some(({ id }) => window.serviceIds.includes(id));
}

export function affects(window: PublicMaintenance, serviceId: string): boolean {
  return window.affectsAllServices || window.serviceIds.includes(serviceId);
}

export function isOpen({ status }: PublicMaintenance): boolean {
  return status === "IN_PROGRESS" || status === "VERIFYING";
}

function toMaintenanceViews(
  page: StatusPage,
  maintenance: readonly PublicMaintenance[],
  now: Date,
): MaintenanceView[] {
  const services = nameServices(page);
  return maintenance
    .filter((window) => isOnPage(page, window) && (isOpen(window) || window.endsAt > now))
    .map((window) => ({
      id: window.uid,
      sequence: window.sequence,
      name: window.name,
      description: window.description,
      startsAt: window.startsAt,
      endsAt: window.endsAt,
      services: window.showAffectedServices ? services.filter(({ id }) => affects(window, id)) : [],
      isNow: isOpen(window),
      changedAt: window.changedAt,
    }));
}

/** Keeps updates complete up to a total length, and truncates long updates beyond it. */
export function shortenWords(incidents: readonly IncidentView[]): readonly IncidentView[] {
  let left = maxWordsLength;
  const shorten = (update: UpdateView): UpdateView => {
    left -= update.description.length;
    if (left >= 0 || update.description.length <= cutLength) return update;
    return { ...update, description: clipText(update.description, cutLength), isCut: true };
  };
  return incidents.map((incident) => ({ ...incident, updates: incident.updates.map(shorten) }));
}

export function prepareWords(incidents: readonly IncidentView[]): Promise<void> {
  const updates = incidents.flatMap((incident) => incident.updates);
  return prepareMarkdown(
    updates.filter(({ isCut }) => !isCut).map(({ description }) => description),
  );
}
