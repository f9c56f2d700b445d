import type { StatusPage, StatusPageSettings } from "./status-page.ts";

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
  page: Pick<StatusPage, "url"> & {
    readonly settings: Pick<StatusPageSettings, "customDomain">;
  },
): string {
  const { customDomain } = page.settings;
  if (customDomain === null) return `${publicUrl}/status/${page.url}/`;
  return `${publicUrl.startsWith("https:") ? "https" : "http"}://${customDomain}/`;
}
