import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import { publicLocations } from "./location.ts";
import {
  type AddressFamily,
  aliveForMs,
  describePlaces,
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
const rememberedForMs = 7 * 86_400_000;

export type ProbeHello = Omit<SeenProbe, "lastSeenAt">;

/** False when its id belongs to a probe of another route. */
export function greetProbe(context: LocationsContext, hello: ProbeHello): Promise<boolean> {
  return saveProbe(context.db, { ...hello, lastSeenAt: context.clock.now() });
}

/** A probe that stops is removed at once; one that dies, after three missed hellos. */
export async function dismissProbe(context: LocationsContext, id: string): Promise<void> {
  await deleteProbe(context.db, id);
}

export function listLiveProbes(context: LocationsContext): Promise<Probe[]> {
  const since = new Date(context.clock.now().getTime() - aliveForMs);
  return listProbesSeenSince(context.db, since);
}

export async function listSourceAddresses(
  context: LocationsContext,
  family: AddressFamily,
): Promise<string[]> {
  return listSources(await listLiveProbes(context), family);
}

export async function listSourceAddressesByLocation(
  context: LocationsContext,
  family: AddressFamily,
): Promise<Record<string, string[]>> {
  return listSourcesByLocation(await listLiveProbes(context), family);
}

export async function listPlaces(context: LocationsContext): Promise<Place[]> {
  const now = context.clock.now();
  const since = new Date(now.getTime() - rememberedForMs);
  return describePlaces(publicLocations, await listProbesSeenSince(context.db, since), now);
}
