import type { Config } from "../config.ts";
import { createReach, resolveEveryMs, resolveOwnHosts } from "../platform/net/reach.ts";
import { createOutbound, type Outbound } from "../platform/outbound.ts";
import { listOwnHosts, listOwnPorts } from "./probe.ts";

/**
 * Creates the HTTP client for URLs that members enter. It never reaches what the service itself
 * uses, such as its database, unless OUTBOUND_ALLOW_PRIVATE allows the address.
 */
export function createMemberOutbound(config: Config, now = () => performance.now()): Outbound {
  const hosts = [...listOwnHosts(config), ...listOwnPorts(config)];
  let resolved: ReturnType<typeof resolveOwnHosts> = Promise.resolve([]);
  let resolvedAtMs = Number.NEGATIVE_INFINITY;
  const isOwnEndpoint = async (address: string, port: number) => {
    if (now() - resolvedAtMs > resolveEveryMs) {
      resolvedAtMs = now();
      resolved = resolveOwnHosts(hosts, await resolved);
    }
    const reach = createReach({ allow: [], deny: [], own: await resolved });
    return reach.findDenial(address, port) !== null;
  };
  return createOutbound({ ...config.OUTBOUND_ALLOW_PRIVATE, allowLan: false, isOwnEndpoint });
}
