import type { NoData } from "../../../contract/result.ts";
import type { IpFamily } from "../../../platform/net/host.ts";
import type { SocketTools } from "./socket-work.ts";

/** Reason why no connection was established. The kinds that open connections share this type. */
export interface ReachTrouble {
  readonly kind:
    | "unresolved"
    | "denied"
    | "refused"
    | "unreachable"
    | "timed-out"
    | "reset"
    | "failed";
  readonly code: string;
  readonly message: string;
  readonly resolvedIp: string | null;
  readonly dnsMs: number | null;
}

export interface FoundHost {
  readonly resolvedIp: string;
  readonly dnsMs: number;
}

type Failure = { readonly kind: "unreachable"; readonly trouble: ReachTrouble } | NoData;

function unreachable(trouble: ReachTrouble): Failure {
  return { kind: "unreachable", trouble };
}

interface HostRequest {
  readonly hostname: string;
  readonly ipFamily: IpFamily;
  readonly port: number;
}

/** Resolves the host name and checks whether the probe may connect to the address. */
export async function findHost(
  { hostname, ipFamily, port }: HostRequest,
  { resolver, reach, onStep }: SocketTools,
): Promise<({ readonly kind: "found" } & FoundHost) | Failure> {
  const { address, error, durationMs: dnsMs } = await resolver.resolve(hostname, ipFamily);
  if (error !== undefined) {
    // An overloaded probe did not query the name, so nothing is known about the target.
    if (error.code === "EBUSY") return { kind: "overloaded", message: error.message };
    return unreachable({ kind: "unresolved", ...error, resolvedIp: null, dnsMs });
  }
  onStep?.({ step: "resolved", host: hostname, address, durationMs: dnsMs });
  const message = reach.findDenial(address, port);
  if (message === null) return { kind: "found", resolvedIp: address, dnsMs };
  return unreachable({ kind: "denied", code: "EDENIED", message, resolvedIp: address, dnsMs });
}

/**
 * Error codes that mean exhausted resources of this machine rather than a failure of the target.
 */
const exhausted = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EAGAIN"]);
const unable: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: "This probe has no address of that IP family, or no free port.",
  EAFNOSUPPORT: "This probe has no network of that IP family.",
  EACCES: "This machine does not permit the connection.",
  EPERM: "This machine does not permit the connection.",
};

const troubles: Readonly<Record<string, readonly [ReachTrouble["kind"], message: string]>> = {
  ECONNREFUSED: ["refused", "The host refused the connection: nothing is listening on the port."],
  ECONNRESET: ["reset", "The connection was reset while connecting."],
  EHOSTUNREACH: ["unreachable", "No route to the host."],
  ENETUNREACH: ["unreachable", "No route to the network of the host."],
  EHOSTDOWN: ["unreachable", "The host does not respond on its own network."],
  // Linux reports the ICMP error "protocol unreachable", which some firewalls send, as ENOPROTOOPT.
  ENOPROTOOPT: ["unreachable", "A router refused to forward the connection."],
};

/** Explains why a connection failed, based on its error code. */
export function explainFailure(code: string, timeoutMs: number, found: FoundHost): Failure {
  const inability = unable[code];
  if (inability !== undefined) return { kind: "cannot-check", message: `${inability} (${code})` };
  if (exhausted.has(code)) {
    return { kind: "overloaded", message: `This probe cannot open more connections (${code}).` };
  }
  if (code === "ETIMEDOUT") {
    const message = `No response within ${timeoutMs} ms.`;
    return unreachable({ kind: "timed-out", code, message, ...found });
  }
  const [kind, message] = troubles[code] ?? ["failed", "The connection could not be established."];
  return unreachable({ kind, code, message, ...found });
}
