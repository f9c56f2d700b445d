import { hostname, type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";
import { builtInRoute } from "../../contract/protocol.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Log } from "../../platform/log.ts";
import { type Loop, startLoop } from "../../platform/loop.ts";
import {
  type AddressFamily,
  aliveForMs,
  describePlaces,
  helloEveryMs,
  isPrivate,
  listSources,
  listSourcesByLocation,
  type Place,
  type Probe,
  publicLocations,
} from "./probe.ts";
import {
  countProbesOfRoute,
  deleteProbe,
  listProbesSeenSince,
  type SeenProbe,
  saveProbe,
  trimProbesOfRoute,
} from "./store.ts";

export interface LocationsContext {
  readonly db: Database;
  readonly clock: Clock;
}

/** How long a probe is still listed after its last heartbeat. */
export const rememberedForMs = 7 * 86_400_000;

type ProbeHello = Omit<SeenProbe, "lastSeenAt">;

/**
 * Maximum number of stored probes per route. Each public region and each private location has a
 * route. Clients choose the names of their probes, so without this limit a client could store any
 * number of probes.
 */
const maxProbesOfRoute = 100;

/** Reason why a probe could not register; `null` if the probe is registered. */
type RegistrationFault = { readonly reason: string; readonly message: string } | null;

const nameTaken: RegistrationFault = {
  reason: "name-taken",
  message: "A probe at another location already has this name. Choose another one with --name.",
};
const tooMany: RegistrationFault = {
  reason: "many-probes",
  message: `This location has reached the limit of ${maxProbesOfRoute} live probes.`,
};

/**
 * Registers a probe or stores its heartbeat. If the route has too many probes, a new probe replaces
 * a silent one.
 */
export async function registerProbe(
  { db, clock }: LocationsContext,
  hello: ProbeHello,
): Promise<RegistrationFault> {
  const now = clock.now();
  const saved = await saveProbe(db, { ...hello, lastSeenAt: now });
  if (saved === "name-taken") return nameTaken;
  if (saved === "known" || hello.isBuiltIn) return null;
  const silentBefore = new Date(now.getTime() - aliveForMs);
  if ((await countProbesOfRoute(db, hello.route, silentBefore)) > maxProbesOfRoute) {
    await deleteProbe(db, hello.id);
    return tooMany;
  }
  await trimProbesOfRoute(db, hello.route, { keep: maxProbesOfRoute, silentBefore });
  return null;
}

/**
 * Deletes a probe that stops. A probe that fails is not deleted. It counts as silent after three
 * missed heartbeats.
 */
export async function dismissProbe(context: LocationsContext, id: string): Promise<void> {
  await deleteProbe(context.db, id);
}

/** Returns the live probes of all locations, including private ones. */
export function listLiveProbes(context: LocationsContext): Promise<Probe[]> {
  const since = new Date(context.clock.now().getTime() - aliveForMs);
  return listProbesSeenSince(context.db, since);
}

/** Returns the live probes of public locations. Other accounts must not see private locations. */
async function listLivePublicProbes(context: LocationsContext): Promise<Probe[]> {
  return (await listLiveProbes(context)).filter((probe) => !isPrivate(probe));
}

export async function listSourceAddresses(
  context: LocationsContext,
  family: AddressFamily,
): Promise<string[]> {
  return listSources(await listLivePublicProbes(context), family);
}

export async function listSourceAddressesByLocation(
  context: LocationsContext,
  family: AddressFamily,
): Promise<Record<string, string[]>> {
  return listSourcesByLocation(await listLivePublicProbes(context), family);
}

export async function listPlaces(context: LocationsContext): Promise<Place[]> {
  const now = context.clock.now();
  const since = new Date(now.getTime() - rememberedForMs);
  const probes = await listProbesSeenSince(context.db, since);
  return describePlaces(
    publicLocations,
    probes.filter((probe) => !isPrivate(probe)),
    now,
  );
}

interface BuiltInProbeOptions {
  readonly context: LocationsContext;
  readonly log: Log;
  readonly location: string;
  readonly version: string;
  /** Id of the server that contains the probe. */
  readonly serverId: string;
  /**
   * Configured source addresses. If undefined, the addresses of the network interfaces are used.
   */
  readonly ipv4Sources: readonly string[] | undefined;
  readonly ipv6Sources: readonly string[] | undefined;
  readonly isSuspect: () => boolean;
  readonly listLimitations: () => readonly string[];
}

export function builtInProbeId(location: string): string {
  return `${hostname()}-${location}`;
}

/** Registers the built-in probe of the server and sends its heartbeats until the server stops. */
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

/**
 * Types of addresses that a target can see as the source of a connection. Loopback and link-local
 * addresses are excluded.
 */
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
