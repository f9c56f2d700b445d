import type { StatusPage } from "./status-page.ts";

/**
 * Returns the base path of the page's links: `/status/{url}/` on this server's host, `/` on a
 * custom domain. Always ends with a slash.
 */
export function findBasePath(originalUrl: string, pageUrl: string): string {
  const folder = `/status/${pageUrl}`;
  const [path = ""] = originalUrl.toLowerCase().split("?");
  return path === folder || path.startsWith(`${folder}/`) ? `${folder}/` : "/";
}

/** Returns the full URL, for mails and feeds; it ends with a slash. */
export function formatPageUrl(
  publicUrl: string,
  { url, servedDomain }: Pick<StatusPage, "url" | "servedDomain">,
): string {
  if (servedDomain === null) return `${publicUrl}/status/${url}/`;
  return `${publicUrl.startsWith("https:") ? "https" : "http"}://${servedDomain}/`;
}
