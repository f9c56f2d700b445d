import { hostname, type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";
import { builtInRoute } from "../../contract/protocol.ts";
import type { Log } from "../../platform/log.ts";
import { type Loop, startLoop } from "../../platform/loop.ts";
import { dismissProbe, type LocationsContext, registerProbe } from "./actions.ts";
import { type AddressFamily, helloEveryMs } from "./probe.ts";

export interface BuiltInProbeOptions {
  readonly context: LocationsContext;
  readonly log: Log;
  readonly location: string;
  readonly version: string;
  /** The server that it is part of. */
  readonly serverId: string;
  /** Configured addresses take precedence over those of the machine's interfaces. */
  readonly ipv4Sources: readonly string[] | undefined;
  readonly ipv6Sources: readonly string[] | undefined;
  readonly isSuspect: () => boolean;
  readonly listLimitations: () => readonly string[];
}

export function builtInProbeId(location: string): string {
  return `${hostname()}-${location}`;
}

/** The server's own probe registers like any other and is removed when the server stops. */
export async function startBuiltInProbe(options: BuiltInProbeOptions): Promise<Loop> {
  const { context, log, location, version } = options;
  const id = builtInProbeId(location);
  const startedAt = context.clock.now();
  const hello = async () => {
    const interfaces = networkInterfaces();
    await registerProbe(context, {
      id,
      location,
      isBuiltIn: true,
      version,
      ipv4Sources: options.ipv4Sources ?? findSourceAddresses(interfaces, "IPv4"),
      ipv6Sources: options.ipv6Sources ?? findSourceAddresses(interfaces, "IPv6"),
      isSuspect: options.isSuspect(),
      limitations: options.listLimitations(),
      route: builtInRoute,
      keyId: null,
      transport: "built-in",
      serverId: options.serverId,
      clockSkewMs: null,
      spoolDepth: null,
      startedAt,
    });
  };
  await hello();
  const loop = startLoop({ name: "built-in probe", everyMs: helloEveryMs, log, turn: hello });
  return {
    ...loop,
    stop: async () => {
      await loop.stop();
      await dismissProbe(context, id);
    },
  };
}

export type Interfaces = Readonly<Record<string, NetworkInterfaceInfo[] | undefined>>;

/** Address ranges that targets can see: neither loopback nor link-local. */
const visibleRanges: Readonly<Record<AddressFamily, ReadonlySet<string>>> = {
  IPv4: new Set(["unicast", "private", "carrierGradeNat"]),
  IPv6: new Set(["unicast", "uniqueLocal"]),
};

export function findSourceAddresses(interfaces: Interfaces, family: AddressFamily): string[] {
  const addresses = Object.values(interfaces)
    .flatMap((list) => list ?? [])
    .filter((info) => info.family === family && !info.internal)
    .map((info) => ipaddr.parse(info.address))
    .filter((address) => visibleRanges[family].has(address.range()))
    .map((address) => address.toString());
  return [...new Set(addresses)].sort();
}
