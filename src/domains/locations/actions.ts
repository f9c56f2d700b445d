import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import { publicLocations } from "./location.ts";
import {
  type AddressFamily,
  aliveForMs,
  describePlaces,
  isPrivate,
  listSources,
  listSourcesByLocation,
  type Place,
  type Probe,
} from "./probe.ts";
import { deleteProbe, listProbesSeenSince, type SeenProbe, saveProbe } from "./store.ts";

export interface LocationsContext {
  readonly db: Database;
  readonly clock: Clock;
}

/** Silent for longer than this, a probe is forgotten. */
export const rememberedForMs = 7 * 86_400_000;

export type ProbeHello = Omit<SeenProbe, "lastSeenAt">;

/** False when its id belongs to a probe of another route. */
export function greetProbe(context: LocationsContext, hello: ProbeHello): Promise<boolean> {
  return saveProbe(context.db, { ...hello, lastSeenAt: context.clock.now() });
}

/** A probe that stops is removed at once; one that dies, after three missed hellos. */
export async function dismissProbe(context: LocationsContext, id: string): Promise<void> {
  await deleteProbe(context.db, id);
}

/** Of every place, those of private locations included. */
export function listLiveProbes(context: LocationsContext): Promise<Probe[]> {
  const since = new Date(context.clock.now().getTime() - aliveForMs);
  return listProbesSeenSince(context.db, since);
}

/** A private location is its account's alone: others must not learn of its probes. */
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
