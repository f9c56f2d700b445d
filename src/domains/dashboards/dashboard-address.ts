import type { Dashboard } from "./dashboard.ts";

/** Returns the public URL: on the custom domain, else by custom name, else by id. */
export function formatDashboardUrl(
  publicUrl: string,
  { dashboardId, settings }: Pick<Dashboard, "dashboardId" | "settings">,
): string {
  const { customDomain, customUrl } = settings;
  if (customDomain === null) return `${publicUrl}/dashboards/${customUrl ?? dashboardId}`;
  return `${publicUrl.startsWith("https:") ? "https" : "http"}://${customDomain}/`;
}
