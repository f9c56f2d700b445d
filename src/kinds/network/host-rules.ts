import type { Fault } from "../definition.ts";
import { fillAlike } from "../variables/variables.ts";
import type { IpFamily } from "./host.ts";
import { parseHostname } from "./host.ts";

/** Whether a host matches a pattern such as `api.example.com` or `*.example.com`. */
export function doesHostMatch(pattern: string, host: string): boolean {
  const expected = tidy(pattern);
  const given = tidy(host);
  if (!expected.startsWith("*.")) return given === expected;
  // As in certificates, the wildcard matches exactly one label.
  const dot = given.indexOf(".");
  return dot > 0 && given.slice(dot) === expected.slice(1);
}

function tidy(name: string): string {
  const bare = name.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  // Normalises the spelling of an IPv6 address.
  if (bare.includes(":")) return URL.parse(`http://[${bare}]/`)?.hostname.slice(1, -1) ?? bare;
  return bare.replace(/\.$/, "");
}

/** Returns errors that a host field has for any value of its variables. */
export function findHostFaults(request: {
  readonly hostname: string;
  readonly ipFamily: IpFamily;
}): Fault[] {
  // A variable may also be a number in an IPv4 address.
  const names = ["x", "1"].map((value) => parseHostname(fillAlike(request.hostname, value)));
  const parsed = names.find(({ kind }) => kind !== "invalid") ?? names[0];
  if (parsed === undefined) return [];
  if (parsed.kind === "invalid") {
    return [{ key: "request.hostname", rule: `is not a valid host: ${parsed.reason}` }];
  }
  if (parsed.kind === "name" || parsed.family === request.ipFamily) return [];
  const rule = `must be ${parsed.family} for the address ${parsed.address}`;
  return [{ key: "request.ipFamily", rule }];
}
