import { isUuid } from "../../platform/text/patterns.ts";

/** Names of the public locations by slug. */
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

/** A process that runs checks at a location, with the data of its last heartbeat. */
export interface Probe {
  readonly id: string;
  readonly location: string;
  readonly isBuiltIn: boolean;
  readonly version: string;
  readonly ipv4Sources: readonly string[];
  readonly ipv6Sources: readonly string[];
  /**
   * Whether none of the probe's anchor hosts responds. Anchor hosts should always respond, so the
   * probe's own network may be down.
   */
  readonly isSuspect: boolean;
  /** Descriptions of what the probe cannot do and how an operator can fix it. */
  readonly limitations: readonly string[];
  /** Route of the probe's orders: `built-in`, a public region, or the id of a private location. */
  readonly route: string;
  /** Id of the probe's key; `null` for a built-in probe. */
  readonly keyId: string | null;
  readonly transport: Transport;
  /** Id of the server that the probe is connected to or part of; `null` for a probe on NATS. */
  readonly serverId: string | null;
  /** Milliseconds by which the probe's clock is ahead of the server's; `null` if not measured. */
  readonly clockSkewMs: number | null;
  /** Number of results on the probe's disk that wait to be sent; `null` without a disk spool. */
  readonly spoolDepth: number | null;
  readonly startedAt: Date;
  readonly lastSeenAt: Date;
  /** Start of the quarantine, in which results count as unknown; `null` without a quarantine. */
  readonly quarantinedAt: Date | null;
  readonly quarantineReason: string | null;
  /**
   * Number of checks on which the probe was recently compared with others; `null` if it was not
   * compared.
   */
  readonly comparedCount: number | null;
  /** Number of the compared checks on which the probe disagreed with the other probes. */
  readonly disagreeingCount: number | null;
}

type Transport = "built-in" | "websocket" | "nats";

export function isPrivate({ route }: Pick<Probe, "route">): boolean {
  return isUuid(route);
}

export const helloEveryMs = 10_000;
/**
 * How long a probe counts as alive after its last heartbeat. By the end of this time, the probe has
 * missed three heartbeats.
 */
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
  /** Probes of this location, including silent ones. */
  readonly probes: readonly Probe[];
  /** Type of the probe that runs the checks of this location. */
  readonly servedBy: "own-probe" | "built-in-probe" | "nobody";
}

/** Returns the public locations and any other location that the probes report. */
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
