import type { MaintenanceView } from "../../pages/status-page/page-view.ts";
import type { PublicMaintenance } from "../maintenance/index.ts";
import { listServicesOf, nameServices, type StatusPage } from "../status-pages/index.ts";

/**
 * A window is shown on the pages it names, or else on every page that shows a service it affects.
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

export function toMaintenanceViews(
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
