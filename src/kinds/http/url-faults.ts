import { parseHostname } from "../network/hostname.ts";
import type { IpFamily } from "../network/ip-address.ts";
import { fillAlike } from "../variables/template.ts";

/** What is wrong with the address of a request, whatever its variables stand for. */
export function findUrlFaults(request: {
  readonly url: string;
  readonly ipFamily: IpFamily;
}): { readonly key: string; readonly rule: string }[] {
  const url = URL.parse(fillUrl(request.url));
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    const rule = "must be a URL that begins with http:// or https://";
    return [{ key: "request.url", rule }];
  }
  const parsed = parseHostname(url.hostname.replace(/^\[(.*)\]$/, "$1"));
  if (parsed.kind === "invalid") {
    return [{ key: "request.url", rule: `has no host that exists: ${parsed.reason}` }];
  }
  if (parsed.kind === "name" || parsed.family === request.ipFamily) return [];
  const rule = `must be ${parsed.family} for the address ${parsed.address}`;
  return [{ key: "request.ipFamily", rule }];
}

/** A variable at the beginning may hold the scheme and the host. */
function fillUrl(url: string): string {
  const filled = fillAlike(url, "1");
  return /^\s*\{\{/.test(url) && filled !== url ? `http://x${filled.slice(1)}` : filled;
}
