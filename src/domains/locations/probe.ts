import { isUuid } from "../../platform/text/uuid.ts";

/** A process that runs checks at a location, as it introduced itself when it last said hello. */
export interface Probe {
  readonly id: string;
  readonly location: string;
  readonly isBuiltIn: boolean;
  readonly version: string;
  readonly ipv4Sources: readonly string[];
  readonly ipv6Sources: readonly string[];
  /** It cannot reach its own anchors. */
  readonly isSuspect: boolean;
  /** What it cannot do, and what an operator can do about it; empty when nothing is missing. */
  readonly limitations: readonly string[];
  /** Whose orders it takes: `built-in`, a public region, or the id of a private location. */
  readonly route: string;
  /** The key it was let in with; null for a built-in probe. */
  readonly keyId: string | null;
  readonly transport: Transport;
  /** The server whose gateway it is connected to, or that it is part of; null over a bus. */
  readonly serverId: string | null;
  /** How far its clock is ahead of the server's; null: not measured. */
  readonly clockSkewMs: number | null;
  /** Results that wait on its disk; null: it has no spool. */
  readonly spoolDepth: number | null;
  readonly startedAt: Date;
  readonly lastSeenAt: Date;
  /** Since then its results count as unknown; null: they count. */
  readonly quarantinedAt: Date | null;
  readonly quarantineReason: string | null;
  /** Checks on which it could be compared with other probes lately; null: not looked at. */
  readonly comparedCount: number | null;
  /** Of these, those that it saw differently. */
  readonly disagreeingCount: number | null;
}

export type Transport = "built-in" | "websocket" | "nats";

/** The route of the probes that are part of a server. */
export const builtInRoute = "built-in";

export function isPrivate({ route }: Pick<Probe, "route">): boolean {
  return isUuid(route);
}

export const helloEveryMs = 10_000;
/** Three missed hellos and a probe counts as silent. */
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
  /** Its own probes, silent ones included. */
  readonly probes: readonly Probe[];
  /** What runs checks there: its own probe, the built-in one, or nothing. */
  readonly servedBy: "own-probe" | "built-in-probe" | "nobody";
}

/** The public places, and every place that a probe has named itself. */
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
