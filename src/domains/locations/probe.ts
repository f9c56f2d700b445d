import { isUuid } from "../../platform/text/patterns.ts";

/** The public locations of the API. Any other slug is a private location. */
export const publicLocations = {
  "us-east-1": "N. Virginia",
  "us-east-2": "Ohio",
  "us-west-1": "N. California",
  "us-west-2": "Oregon",
  "ca-central-1": "Montreal",
  "sa-east-1": "São Paulo",
  "eu-west-1": "Ireland",
  "eu-central-1": "Frankfurt",
  "eu-west-2": "London",
  "eu-west-3": "Paris",
  "eu-north-1": "Stockholm",
  "eu-south-1": "Milan",
  "me-south-1": "Bahrain",
  "ap-southeast-1": "Singapore",
  "ap-northeast-1": "Tokyo",
  "ap-east-1": "Hong Kong",
  "ap-southeast-2": "Sydney",
  "ap-southeast-3": "Jakarta",
  "ap-northeast-2": "Seoul",
  "ap-northeast-3": "Osaka",
  "ap-south-1": "Mumbai",
  "af-south-1": "Cape Town",
} as const;

/** A process that runs checks at a location, as reported in its last heartbeat. */
export interface Probe {
  readonly id: string;
  readonly location: string;
  readonly isBuiltIn: boolean;
  readonly version: string;
  readonly ipv4Sources: readonly string[];
  readonly ipv6Sources: readonly string[];
  /** True if it cannot reach its anchors. */
  readonly isSuspect: boolean;
  /** What it cannot do and how an operator can fix it; empty if nothing is missing. */
  readonly limitations: readonly string[];
  /** The orders it receives: `built-in`, a public region, or the id of a private location. */
  readonly route: string;
  /** The key that it uses; `null` for a built-in probe. */
  readonly keyId: string | null;
  readonly transport: Transport;
  /** The server that it is connected to or part of; `null` over a bus. */
  readonly serverId: string | null;
  /** How far its clock is ahead of the server's; `null` if not measured. */
  readonly clockSkewMs: number | null;
  /** Results on its disk that wait to be sent; `null` without a spool. */
  readonly spoolDepth: number | null;
  readonly startedAt: Date;
  readonly lastSeenAt: Date;
  /** Since then its results count as unknown; `null` if it is not quarantined. */
  readonly quarantinedAt: Date | null;
  readonly quarantineReason: string | null;
  /** Checks on which it was recently compared with other probes; `null` if not compared. */
  readonly comparedCount: number | null;
  /** The compared checks on which it disagreed. */
  readonly disagreeingCount: number | null;
}

type Transport = "built-in" | "websocket" | "nats";

export function isPrivate({ route }: Pick<Probe, "route">): boolean {
  return isUuid(route);
}

export const helloEveryMs = 10_000;
/** A probe counts as silent after three missed heartbeats. */
export const aliveForMs = 35_000;

export type AddressFamily = "IPv4" | "IPv6";

function sourcesOf(probe: Probe, family: AddressFamily): readonly string[] {
  return family === "IPv4" ? probe.ipv4Sources : probe.ipv6Sources;
}

function uniqueSorted(addresses: readonly string[]): string[] {
  return [...new Set(addresses)].sort();
}

export function listSources(probes: readonly Probe[], family: AddressFamily): string[] {
  return uniqueSorted(probes.flatMap((probe) => sourcesOf(probe, family)));
}

export function listSourcesByLocation(
  probes: readonly Probe[],
  family: AddressFamily,
): Record<string, string[]> {
  const groups = Object.groupBy(probes, (probe) => probe.location);
  const sorted = Object.entries(groups).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted.map(([place, some = []]) => [place, listSources(some, family)]));
}

export function isAlive(probe: Probe, now: Date): boolean {
  return probe.lastSeenAt.getTime() >= now.getTime() - aliveForMs;
}

export interface Place {
  readonly region: string;
  readonly name: string;
  /** The probes of this location, including silent ones. */
  readonly probes: readonly Probe[];
  /** Which probe runs checks there. */
  readonly servedBy: "own-probe" | "built-in-probe" | "nobody";
}

/** Lists the public locations and every location that a probe has named. */
export function describePlaces(
  names: Readonly<Record<string, string>>,
  probes: readonly Probe[],
  now: Date,
): Place[] {
  const regions = [...new Set([...Object.keys(names), ...probes.map(({ location }) => location)])];
  const hasBuiltIn = probes.some((probe) => probe.isBuiltIn && isAlive(probe, now));
  return regions.map((region) => {
    const own = probes.filter((probe) => probe.location === region);
    const isServed = own.some((probe) => isAlive(probe, now));
    const servedBy = isServed ? "own-probe" : hasBuiltIn ? "built-in-probe" : "nobody";
    return { region, name: names[region] ?? region, probes: own, servedBy };
  });
}
