import { serviceNames } from "../../pages/states.ts";
import type {
  IncidentView,
  MaintenanceView,
  NamedService,
  PageView,
  ServiceView,
} from "../../pages/status-page/page-view.ts";
import { hashText, pageScript, pageStyle } from "../../pages/status-page/static-files.ts";
import { formatDateTime } from "../../platform/dates.ts";

/** Returns a hash of the page content, which the page's script compares to detect changes. */
export function hashView(view: PageView, settingsVersion: number): string {
  return hashText(JSON.stringify([view, settingsVersion, pageStyle.hash, pageScript.hash]));
}

const toWireReference = ({ id, name }: NamedService) => ({ id, name });

function toWireIncident(incident: IncidentView) {
  const { id, name, severity, status, services, updates, startedAt, resolvedAt } = incident;
  return {
    id,
    name,
    severity,
    status,
    startedAt: formatDateTime(startedAt),
    resolvedAt: resolvedAt && formatDateTime(resolvedAt),
    services: services.map(toWireReference),
    updates: updates.map((update) => ({
      id: update.id,
      status: update.status,
      description: update.description,
      at: formatDateTime(update.at),
    })),
  };
}

function toWireMaintenance({ startsAt, endsAt, ...about }: MaintenanceView) {
  const { id, name, description, services, isNow } = about;
  return {
    id,
    name,
    description,
    status: isNow ? "IN_PROGRESS" : "SCHEDULED",
    startsAt: formatDateTime(startsAt),
    endsAt: formatDateTime(endsAt),
    services: services.map(toWireReference),
  };
}

const toWireService = (service: ServiceView, card: string) => ({
  id: service.id,
  name: service.name,
  card,
  status: serviceNames[service.state],
  underMaintenance: service.isUnderMaintenance,
  uptimePercent: service.uptimePercent,
});

/** Converts a view to the page summary for programs. `asOf` is present only in snapshots. */
export function toSummary(
  view: PageView,
  about: { readonly url: string; readonly version: string; readonly asOf: Date | null },
) {
  const services = view.cards.flatMap((card) =>
    card.services.map((service) => toWireService(service, card.name)),
  );
  return {
    page: { name: view.name, url: about.url },
    status: { indicator: view.indicator, description: view.sentence },
    services: [...new Map(services.map((service) => [service.id, service])).values()],
    incidents: view.ongoing.map(toWireIncident),
    maintenance: view.maintenance.map(toWireMaintenance),
    updatedAt: formatDateTime(view.updatedAt),
    version: about.version,
    ...(about.asOf !== null && { asOf: formatDateTime(about.asOf) }),
  };
}

/** Identifies a document of a page. */
export type DocumentName =
  | { readonly kind: "home" }
  | { readonly kind: "history"; readonly month: string | null }
  | { readonly kind: "incident"; readonly id: string | null }
  | { readonly kind: "summary" }
  | { readonly kind: "feed"; readonly format: "rss" | "atom" | "json" }
  | { readonly kind: "calendar" }
  | { readonly kind: "badge" }
  | { readonly kind: "theme" }
  | { readonly kind: "custom-style" }
  | { readonly kind: "banner" };

export interface RenderedText {
  readonly text: string;
  readonly contentType: string;
  /** Whether other sites may embed the document in a frame. */
  readonly isEmbeddable?: true;
}

export const contentTypes = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  script: "text/javascript; charset=utf-8",
  json: "application/json; charset=utf-8",
  svg: "image/svg+xml; charset=utf-8",
  calendar: "text/calendar; charset=utf-8",
  rss: "application/rss+xml; charset=utf-8",
  atom: "application/atom+xml; charset=utf-8",
  jsonFeed: "application/feed+json; charset=utf-8",
} as const;

/** Returns whether a document is a page for people, and not data for programs. */
export function isForReaders({ kind }: DocumentName): boolean {
  return kind === "home" || kind === "history" || kind === "incident";
}

/**
 * Returns whether visitors can read a document of a private page without a key. Only the theme is
 * public, because the page with the key form uses it.
 */
export function isOpenToAll({ kind }: DocumentName): boolean {
  return kind === "theme";
}

const monthPattern = /^(\d{4})-(0[1-9]|1[0-2])$/;
/** Earliest year to which incident updates can be backdated. */
const firstYear = 1970;

/** Parses a month such as `2026-03`; `null` if it is not a month, before 1970 or in the future. */
export function parseMonth(text: string, now: Date): string | null {
  const year = monthPattern.exec(text)?.[1];
  const isPossible = year !== undefined && Number(year) >= firstYear;
  return isPossible && text <= now.toISOString().slice(0, 7) ? text : null;
}

export function startOfMonth(month: string): Date {
  return new Date(`${month}-01T00:00:00.000Z`);
}

export function nextMonth(month: string): string {
  const start = startOfMonth(month);
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1))
    .toISOString()
    .slice(0, 7);
}

export function previousMonth(month: string): string {
  const start = startOfMonth(month);
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() - 1, 1))
    .toISOString()
    .slice(0, 7);
}
