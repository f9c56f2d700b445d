/** Parses a typed or pasted target. The API validates the result. */

export interface HostText {
  readonly host: string;
  readonly port: number | null;
  /** IP version of the address; `null` if the host is a name. */
  readonly ipFamily: "IPv4" | "IPv6" | null;
}

const scheme = /^[a-z][a-z0-9+.-]*:\/\//i;

export function findFamily(host: string): HostText["ipFamily"] {
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(host)) return "IPv4";
  // An IPv6 address has at least two colons. Text with one colon is a host and a port.
  return /^[0-9a-f.]*(?::[0-9a-f.]*){2,}(?:%\S+)?$/i.test(host) ? "IPv6" : null;
}

function readPort(digits: string | undefined): number | null {
  if (digits === undefined || digits === "") return null;
  return Number(digits);
}

/** Parses `host`, `host:port`, `[IPv6]:port`, an IP address or a URL. */
export function readHost(text: string): HostText {
  const [bare = ""] = text.trim().replace(scheme, "").split(/[/?#]/);
  const endpoint = scheme.test(text.trim()) ? (bare.split("@").at(-1) ?? "") : bare;
  const bracketed = /^\[([^\]]*)\](?::(\d*))?$/.exec(endpoint);
  if (bracketed) {
    const host = bracketed[1] ?? "";
    return { host, port: readPort(bracketed[2]), ipFamily: findFamily(host) };
  }
  if (findFamily(endpoint) !== null) {
    return { host: endpoint, port: null, ipFamily: findFamily(endpoint) };
  }
  const [, host = endpoint, port] = /^(.*):(\d*)$/.exec(endpoint) ?? [];
  return { host, port: readPort(port), ipFamily: findFamily(host) };
}

export function writeEndpoint(host: string, port: number | null): string {
  if (port === null) return host;
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/**
 * Returns the IP version of an address as a setting. A host name has no IP version, so the returned
 * object is empty and the form keeps its current setting.
 */
export function familyOf({ ipFamily }: HostText): { readonly ipFamily?: "IPv4" | "IPv6" } {
  return ipFamily === null ? {} : { ipFamily };
}

export function hasScheme(text: string): boolean {
  return scheme.test(text.trim());
}

/**
 * Adds `https://` if the text has no scheme. Text that starts with a variable is not changed,
 * because the variable may contain the scheme.
 */
export function completeUrl(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "" || hasScheme(trimmed) || trimmed.startsWith("{{")) return trimmed;
  return `https://${trimmed}`;
}
