import { isAlive, type Probe } from "../probe.ts";
import type { ProbeKey } from "../probe-key.ts";

/** A place of an account's own. Checks name it by its slug. */
export interface PrivateLocation {
  readonly id: string;
  readonly name: string;
  readonly slugName: string;
  readonly icon: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
  /** When a trusted probe was last alive there; null: never. */
  readonly servedAt: Date | null;
}

/** With what lets probes in, and those that came. */
export interface ServedLocation extends PrivateLocation {
  readonly keys: readonly ProbeKey[];
  /** Silent ones included. */
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
/** What no slug may look like: a region of a cloud, as public locations are called. */
export const slugPattern =
  "^(?!(?:us(?:-gov)?|ap|ca|cn|eu|sa|af|me)-(?:central|(?:north|south)?(?:east|west)?)-\\d+)" +
  "[a-zA-Z0-9-]{1,30}$";

export type LocationStatus = "no-probe-yet" | "served" | "silent";

/** A location that never had a probe is not silent: nobody has begun to use it. */
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

/** The probes that are alive, by the version of their program. */
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
