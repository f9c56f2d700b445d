import { type IpFamily, parseHostname } from "../../../platform/net/host.ts";
import type { Fault } from "../../kit/definition.ts";
import { fillAlike } from "../../kit/variables/variables.ts";

/** Returns the errors of a host field that no value of its variables could fix. */
export function findHostFaults(request: {
  readonly hostname: string;
  readonly ipFamily: IpFamily;
}): Fault[] {
  // The sample values for variables include a number, because a variable may be part of an IPv4
  // address.
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
