import { serviceNames } from "../../pages/states.ts";
import { hashText, pageScript, pageStyle } from "../../pages/status-page/assets.ts";
import type {
  IncidentView,
  MaintenanceView,
  NamedService,
  PageView,
  ServiceView,
} from "../../pages/status-page/page-view.ts";
import { formatDateTime } from "../../platform/dates.ts";

/** Identifies the content of a page; the page's script compares it to detect changes. */
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

/** Summary of the page for programs. Only snapshots have `asOf`. */
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
