import type {
  DayView,
  IncidentDay,
  IncidentView,
  Indicator,
  MaintenanceView,
  PageView,
  ServiceState,
  ServiceView,
} from "../../pages/status-page/page-view.ts";
import { formatDate } from "../../platform/dates.ts";
import type { PublicMaintenance } from "../alerting/index.ts";
import {
  addServiceTimes,
  computeServiceAvailability,
  type Incident,
  isFailing,
  type ServiceDay,
  type ServiceTime,
  type Severity,
  severities,
} from "../incidents/index.ts";
import { formatAvailability, toAvailabilityPercent } from "../runs/index.ts";
import { listServicesOf, type Service, type StatusPage } from "../status-pages/index.ts";
import { shortenWords } from "./words.ts";

export const shownDays = 90;
export const pastDays = 15;
export const maintenanceAheadDays = 14;
export const dayMs = 86_400_000;

export interface PageFacts {
  readonly page: StatusPage;
  /** What is open, and what ended in the last days; newest first, and not more than is shown. */
  readonly incidents: readonly Incident[];
  /** The worst that is open, by service: complete, however many incidents there are. */
  readonly troubles: ReadonlyMap<string, Severity>;
  readonly maintenance: readonly PublicMaintenance[];
  /** By service, oldest first. */
  readonly days: ReadonlyMap<string, readonly ServiceDay[]>;
  readonly now: Date;
}

const rankOf = ({ severity }: Pick<Incident, "severity">) => severities.indexOf(severity);

/** Only what this page shows is named on it: another service may be nobody's business here. */
export function toIncidentView(page: StatusPage, incident: Incident): IncidentView {
  const shown = new Map(listServicesOf(page).map((service) => [service.id, service]));
  return {
    id: incident.id,
    name: incident.name,
    severity: incident.severity,
    status: incident.status,
    services: incident.services
      .filter(({ id }) => shown.has(id))
      .map(({ id, name }) => ({ id, name })),
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

/** A window that names pages is shown on those; else on every page that shows what it affects. */
function isOnPage(page: StatusPage, window: PublicMaintenance): boolean {
  if (window.statusPageIds.length > 0) return window.statusPageIds.includes(page.id);
  if (window.affectsAllServices || window.serviceIds.length === 0) return true;
  return listServicesOf(page).some(({ id }) => window.serviceIds.includes(id));
}

function affects(window: PublicMaintenance, serviceId: string): boolean {
  return window.affectsAllServices || window.serviceIds.includes(serviceId);
}

function isOpen({ startsAt, endsAt }: PublicMaintenance, now: Date): boolean {
  return startsAt <= now && now < endsAt;
}

export function toMaintenanceViews(
  page: StatusPage,
  maintenance: readonly PublicMaintenance[],
  now: Date,
): MaintenanceView[] {
  const services = listServicesOf(page);
  return maintenance
    .filter((window) => isOnPage(page, window) && window.endsAt > now)
    .map((window) => ({
      id: `${window.windowId}-${window.startsAt.getTime()}`,
      name: window.name,
      description: window.description,
      startsAt: window.startsAt,
      endsAt: window.endsAt,
      services: window.showAffectedServices
        ? services.filter(({ id }) => affects(window, id)).map(({ id, name }) => ({ id, name }))
        : [],
      isNow: isOpen(window, now),
      changedAt: window.changedAt,
    }));
}

function decideServiceState(serviceId: string, facts: PageFacts): ServiceState {
  const trouble = facts.troubles.get(serviceId);
  if (trouble !== undefined) return isFailing(trouble) ? "outage" : "degraded";
  const { page, maintenance, now } = facts;
  const isUnder = maintenance.some(
    (window) => isOnPage(page, window) && isOpen(window, now) && affects(window, serviceId),
  );
  return isUnder ? "maintenance" : "operational";
}

function toDayView({ date, failingMs, degradedMs, knownMs }: ServiceDay): DayView {
  const kind = failingMs > 0 ? "outage" : degradedMs > 0 ? "degraded" : knownMs > 0 ? "ok" : "none";
  return { date, kind, failingMs, degradedMs };
}

/**
 * A service of an hour ago that was down for half of it is not "50 %": readers take that for ninety
 * days. Before a whole day is known there is no percentage, and then it says of how many days.
 */
export function describeUptime(time: ServiceTime, shown: number): string {
  const availability = computeServiceAvailability(time);
  if (availability === null) return "no data";
  if (time.knownMs < dayMs) return "too new for a percentage";
  const words = `${formatAvailability(availability)} uptime`;
  const days = Math.floor(time.knownMs / dayMs);
  // Today is not over, so that of all the days the last is never whole.
  if (days >= shown - 1) return words;
  return `${words} in ${days} ${days === 1 ? "day" : "days"}`;
}

function toServiceView({ id, name }: Service, facts: PageFacts): ServiceView {
  const days = facts.days.get(id) ?? [];
  const time = addServiceTimes(days);
  const availability = computeServiceAvailability(time);
  return {
    id,
    name,
    state: decideServiceState(id, facts),
    days: days.map(toDayView),
    uptimePercent: availability === null ? null : toAvailabilityPercent(availability),
    uptime: describeUptime(time, days.length),
  };
}

const sentences: Readonly<Record<Indicator, string>> = {
  empty: "Nothing is shown here yet",
  none: "All systems operational",
  maintenance: "Under maintenance",
  minor: "Degraded performance",
  major: "Partial outage",
  critical: "Major outage",
};

/** A critical incident is a major outage, and so is a page on which everything is down. */
export function decideIndicator(
  services: readonly Pick<ServiceView, "state">[],
  troubles: readonly Severity[],
  isUnderMaintenance: boolean,
): Indicator {
  if (services.length === 0) return "empty";
  const isAllDown = services.every(({ state }) => state === "outage");
  if (isAllDown || troubles.includes("CRITICAL")) return "critical";
  if (troubles.includes("MAJOR")) return "major";
  if (troubles.length > 0) return "minor";
  return isUnderMaintenance ? "maintenance" : "none";
}

/** What is over, by the day on which it ended. */
export function groupByLastDay(
  incidents: readonly IncidentView[],
  now: Date,
): readonly IncidentDay[] {
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
  { page, incidents }: PageFacts,
  maintenance: readonly MaintenanceView[],
): Date {
  const changes = [
    page.createdAt,
    page.updatedAt,
    ...maintenance.map(({ changedAt }) => changedAt),
    ...incidents.flatMap(({ createdAt, updatedAt, updates }) => [
      createdAt,
      updatedAt,
      ...updates.flatMap((update) => [update.createdAt, update.updatedAt]),
    ]),
  ];
  return new Date(Math.max(...changes.map((at) => at?.getTime() ?? 0)));
}

/** Everything that the page says, from everything that is known. */
export function buildPageView(facts: PageFacts): PageView {
  const { page, now } = facts;
  const incidents = shortenWords(facts.incidents.map((incident) => toIncidentView(page, incident)));
  const services = new Map(
    listServicesOf(page).map((service) => [service.id, toServiceView(service, facts)]),
  );
  // The worst comes first; of equals, the newest.
  const ongoing = incidents
    .filter(({ resolvedAt }) => resolvedAt === null)
    .toSorted((one, other) => rankOf(one) - rankOf(other));
  const maintenance = toMaintenanceViews(page, facts.maintenance, now);
  const isUnderMaintenance = maintenance.some(({ isNow }) => isNow);
  const troubles = [...facts.troubles.values()];
  const indicator = decideIndicator([...services.values()], troubles, isUnderMaintenance);
  return {
    name: page.name,
    description: page.settings.description,
    isPrivate: page.isPrivate,
    indicator,
    sentence: sentences[indicator],
    cards: page.cards.map((card) => ({
      id: card.id,
      name: card.name,
      services: card.services.flatMap(({ id }) => services.get(id) ?? []),
    })),
    ongoing,
    maintenance,
    pastDays: groupByLastDay(incidents, now),
    pastDayCount: pastDays,
    updatedAt: findLastChange(facts, maintenance),
  };
}
