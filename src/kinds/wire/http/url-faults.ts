import type { IpFamily } from "../../../platform/net/host.ts";
import { parseHostname } from "../../../platform/net/host.ts";
import { fillAlike, hasVariables } from "../../kit/variables/variables.ts";

type UrlFault = { readonly key: "request.url" | "request.ipFamily"; readonly rule: string };

/** Sample values for a variable in a host: a name, part of an IPv4 address, and an IPv6 address. */
const hostExamples = ["x", "1", "::1"];

/**
 * Returns the errors of a URL. A URL with variables is accepted if it is valid for at least one
 * sample value. The probe fills in the variables and validates the URL again.
 */
export function findUrlFaults(request: {
  readonly url: string;
  readonly ipFamily: IpFamily;
}): UrlFault[] {
  const examples = hasVariables(request.url) ? hostExamples : [""];
  const findings = examples.map((host) => findFaults(fillUrl(request.url, host), request.ipFamily));
  if (findings.some(({ length }) => length === 0)) return [];
  const isFamily = ([fault]: readonly UrlFault[]) => fault?.key === "request.ipFamily";
  return findings.find(isFamily) ?? findings[0] ?? [];
}

/** Returns the URL with sample values for its variables; `null` if no sample yields a valid URL. */
export function parseWrittenUrl(text: string): URL | null {
  const parsed = hostExamples.map((host) => URL.parse(fillUrl(text, host)));
  return parsed.find((url) => url !== null) ?? null;
}

function findFaults(text: string, ipFamily: IpFamily): UrlFault[] {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    const rule = "must be a URL that starts with http:// or https://";
    return [{ key: "request.url", rule }];
  }
  const parsed = parseHostname(url.hostname.replace(/^\[(.*)\]$/, "$1"));
  if (parsed.kind === "invalid") {
    return [{ key: "request.url", rule: `has an invalid host: ${parsed.reason}` }];
  }
  if (parsed.kind === "name" || parsed.family === ipFamily) return [];
  const rule = `must be ${parsed.family} for the address ${parsed.address}`;
  return [{ key: "request.ipFamily", rule }];
}

/** Splits a URL into scheme, authority and rest. Variable names contain no separators. */
const parts = /^(\s*[^/?#{]+:\/\/)([^/?#]*)(.*)$/s;
const portPart = /:[^:\]@]*$/;

function fillUrl(url: string, host: string): string {
  // A variable at the start of the URL may contain both scheme and host.
  if (/^\s*\{\{/.test(url) && hasVariables(url)) return `http://x${fillAlike(url, "1").slice(1)}`;
  const [, scheme, authority, rest = ""] = parts.exec(url) ?? [];
  if (scheme === undefined || authority === undefined) return fillAlike(url, "1");
  const port = portPart.exec(authority)?.[0] ?? "";
  const name = authority.slice(0, authority.length - port.length);
  return `${scheme}${fillAlike(name, host)}${fillAlike(port, "1")}${fillAlike(rest, "1")}`;
}
