import { isAlive, type Probe } from "../probe.ts";
import type { ProbeKey } from "../probe-key-store.ts";

/** A location that belongs to one account. Checks refer to it by its slug. */
export interface PrivateLocation {
  readonly id: string;
  readonly name: string;
  readonly slugName: string;
  readonly icon: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
  /** When a trusted probe was last alive there; `null` if never. */
  readonly servedAt: Date | null;
}

/** A location with its keys and probes. */
export interface ServedLocation extends PrivateLocation {
  readonly keys: readonly ProbeKey[];
  /** Including silent ones. */
  readonly probes: readonly Probe[];
}

export interface LocationInput {
  readonly name: string;
  readonly slugName: string;
  readonly icon?: string | undefined;
}

export type LocationChange = Omit<LocationInput, "slugName"> & {
  readonly slugName?: string | undefined;
};

export const maxLocationsPerAccount = 100;
export const maxKeysPerLocation = 20;
export const defaultIcon = "location";
/** A slug must not look like a cloud region, since public locations are named after these. */
export const slugPattern =
  "^(?!(?:us(?:-gov)?|ap|ca|cn|eu|sa|af|me)-(?:central|(?:north|south)?(?:east|west)?)-\\d+)" +
  "[a-zA-Z0-9-]{1,30}$";

export type LocationStatus = "no-probe-yet" | "served" | "silent";

/** A location that never had a probe is not silent: it is not in use yet. */
export function decideLocationStatus(
  { probes, servedAt }: Pick<ServedLocation, "probes" | "servedAt">,
  now: Date,
): LocationStatus {
  if (probes.some((probe) => isAlive(probe, now))) return "served";
  return probes.length === 0 && servedAt === null ? "no-probe-yet" : "silent";
}

export interface RunningVersion {
  readonly version: string;
  readonly isOutdated: boolean;
  readonly probes: readonly Probe[];
}

/** Groups the live probes by version. */
export function groupByVersion(
  probes: readonly Probe[],
  now: Date,
  serverVersion: string,
): RunningVersion[] {
  const alive = probes.filter((probe) => isAlive(probe, now));
  return [...Map.groupBy(alive, ({ version }) => version)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([version, some]) => ({ version, isOutdated: version !== serverVersion, probes: some }));
}
