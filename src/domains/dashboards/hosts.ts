import type { HostLoader } from "../public-pages/index.ts";
import type { DashboardsContext } from "./context.ts";
import { type DashboardHost, listDashboardHosts } from "./public-store.ts";

/** A name below our own host, and the one that the owner brought. */
export function listHostsOf({ dashboardId, url, domain }: DashboardHost, publicUrl: string) {
  const prefix = `/dashboards/${dashboardId}`;
  const { hostname } = new URL(publicUrl);
  // An address has no names below it.
  const isName = !/^[\d.]+$|:/.test(hostname);
  return [
    ...(isName && url !== null ? [{ host: `${url}.${hostname}`, prefix }] : []),
    ...(domain === null ? [] : [{ host: domain, prefix }]),
  ];
}

/** For whoever finds pages by the host that is asked for. */
export function createDashboardHostLoader(
  context: Pick<DashboardsContext, "db" | "publicUrl">,
): HostLoader {
  return async () => {
    const hosts = await listDashboardHosts(context.db);
    return hosts.flatMap((host) => listHostsOf(host, context.publicUrl()));
  };
}
