/**
 * Where a dashboard's own links begin, for whoever asked: below `/dashboards/{name}/` on our own
 * host, at the root where the dashboard has a host of its own. It always ends with a slash.
 */
export function findDashboardBasePath(originalUrl: string, name: string): string {
  const folder = `/dashboards/${encodeURIComponent(name)}`;
  const [path = ""] = originalUrl.toLowerCase().split("?");
  const isBelow = path === folder.toLowerCase() || path.startsWith(`${folder.toLowerCase()}/`);
  return isBelow ? `${folder}/` : "/";
}
