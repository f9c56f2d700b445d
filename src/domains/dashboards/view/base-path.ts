/**
 * Returns the base path of a dashboard's links: `/dashboards/{name}/` on this server's host, `/` on
 * a custom domain. Always ends with a slash.
 */
export function findDashboardBasePath(originalUrl: string, name: string): string {
  const folder = `/dashboards/${encodeURIComponent(name)}`;
  const [path = ""] = originalUrl.toLowerCase().split("?");
  const isBelow = path === folder.toLowerCase() || path.startsWith(`${folder.toLowerCase()}/`);
  return isBelow ? `${folder}/` : "/";
}
