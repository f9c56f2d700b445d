import type { StatusPage } from "./status-page.ts";

/**
 * Where the page's own links begin: `/status/{url}/` on our own host, `/` on a host of its own. It
 * always ends with a slash.
 */
export function findBasePath(originalUrl: string, pageUrl: string): string {
  const folder = `/status/${pageUrl}`;
  const [path = ""] = originalUrl.toLowerCase().split("?");
  return path === folder || path.startsWith(`${folder}/`) ? `${folder}/` : "/";
}

/** The full address, for mails and feeds; it ends with a slash. */
export function formatPageUrl(
  publicUrl: string,
  { url, servedDomain }: Pick<StatusPage, "url" | "servedDomain">,
): string {
  if (servedDomain === null) return `${publicUrl}/status/${url}/`;
  return `${publicUrl.startsWith("https:") ? "https" : "http"}://${servedDomain}/`;
}
