import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import {
  type AddressFamily,
  aliveForMs,
  describePlaces,
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

/** A probe that has been silent for longer is deleted. */
export const rememberedForMs = 7 * 86_400_000;

export type ProbeHello = Omit<SeenProbe, "lastSeenAt">;

/** Maximum number of stored probes per route, because any key holder can choose probe names. */
export const maxProbesOfRoute = 100;

/** Why a probe could not register; `null` if it did. */
export type RegistrationFault = { readonly reason: string; readonly message: string } | null;

const nameTaken: RegistrationFault = {
  reason: "name-taken",
  message: "A probe at another location already has this name. Choose another one with --name.",
};
const tooMany: RegistrationFault = {
  reason: "many-probes",
  message: `This location has reached the limit of ${maxProbesOfRoute} live probes.`,
};

/** A new name may evict silent probes beyond the limit. */
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
 * A probe that stops is removed at once; a probe that dies counts as silent after three missed
 * heartbeats.
 */
export async function dismissProbe(context: LocationsContext, id: string): Promise<void> {
  await deleteProbe(context.db, id);
}

/** Returns the live probes of all locations, including private ones. */
export function listLiveProbes(context: LocationsContext): Promise<Probe[]> {
  const since = new Date(context.clock.now().getTime() - aliveForMs);
  return listProbesSeenSince(context.db, since);
}

/** Private locations must not be visible to other accounts. */
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
