const internalDomain = /\.(?:local|lan|internal|intranet|localdomain|home\.arpa)\.?$/i;

/**
 * Returns whether a check's name is an address that visitors of a status page should not see: an IP
 * address, a host with a port, or a host of a private network.
 */
export function isAddress(name: string): boolean {
  const text = name.trim().replace(/^[a-z][a-z0-9+.-]*:\/\//i, "");
  const [authority = ""] = text.split(/[/?#]/);
  if (/\s/.test(authority) || authority === "") return false;
  if (/^\[?[0-9a-f]*:[0-9a-f:.]*:[0-9a-f.]*\]?(?::\d+)?$/i.test(authority)) return true;
  if (/^\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?$/.test(authority)) return true;
  if (/^[\w.-]+:\d{1,5}$/.test(authority)) return true;
  return /^localhost$/i.test(authority) || internalDomain.test(authority);
}
