import type { Dashboard } from "./dashboard.ts";

/** Where people see it: on its own domain, else by its own name, else by its id. */
export function formatDashboardUrl(
  publicUrl: string,
  { dashboardId, settings }: Pick<Dashboard, "dashboardId" | "settings">,
): string {
  const { customDomain, customUrl } = settings;
  if (customDomain === null) return `${publicUrl}/dashboards/${customUrl ?? dashboardId}`;
  return `${publicUrl.startsWith("https:") ? "https" : "http"}://${customDomain}/`;
}
