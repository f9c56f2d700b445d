import { randomUUIDv7 } from "node:crypto";
import { type Caller, requireAccess, writeAuditEntry } from "../../../access/accounts/index.ts";
import { builtInRoute } from "../../../contract/protocol.ts";
import { type Database, inTransaction, lockName } from "../../../platform/database.ts";
import { findTakenConstraint } from "../../../platform/database-errors.ts";
import { conflict, invalid, notFound } from "../../../platform/errors.ts";
import { type LocationsContext, listPlaces, rememberedForMs } from "../actions.ts";
import type { Place } from "../probe.ts";
import { publicLocations } from "../probe.ts";
import {
  createKeyText,
  deleteProbeKey,
  insertProbeKey,
  mapLocationKeys,
  type NewProbeKey,
} from "../probe-key-store.ts";
import { listProbesOfRoutes } from "../store.ts";
import {
  decideLocationStatus,
  defaultIcon,
  deletePrivateLocation,
  findPrivateLocation,
  findPrivateLocationForUpdate,
  insertPrivateLocation,
  type LocationChange,
  type LocationInput,
  listPrivateLocations,
  maxKeysPerLocation,
  maxLocationsPerAccount,
  type PrivateLocation,
  type ServedLocation,
  updatePrivateLocation,
} from "./private-location-store.ts";

/** Number of checks and groups that use a private location. */
export interface PlaceUses {
  readonly checks: number;
  readonly groups: number;
}

/** Queries about checks. Injected, because the module `checks` depends on this module. */
interface ChecksOfPlaces {
  readonly countUses: (db: Database, accountId: string, slugName: string) => Promise<PlaceUses>;
  /** Renames the private location in every check and group that uses it. */
  readonly rename: (
    db: Database,
    accountId: string,
    slugs: { readonly from: string; readonly to: string; readonly at: Date },
  ) => Promise<void>;
}

export interface PrivateLocationsContext extends LocationsContext {
  readonly checksOfPlaces: ChecksOfPlaces;
  /** Location of checks without configured locations. No private location may have this name. */
  readonly defaultLocation: string;
  readonly serverVersion: string;
}

/**
 * Whether a slug already means another location: the default location, the built-in probe or a
 * public location. A private location with such a slug would receive the runs of that location.
 */
export function isReservedSlug(
  { defaultLocation }: Pick<PrivateLocationsContext, "defaultLocation">,
  slugName: string,
): boolean {
  return [defaultLocation, builtInRoute, ...Object.keys(publicLocations)].includes(slugName);
}

function rejectReserved(context: PrivateLocationsContext, slugName: string): void {
  if (isReservedSlug(context, slugName))
    throw invalid("slugName", "is already the name of another location");
}

async function rejectTaken<Outcome>(slugName: string, work: Promise<Outcome>): Promise<Outcome> {
  try {
    return await work;
  } catch (error) {
    if (findTakenConstraint(error) === null) throw error;
    throw conflict(`the account has another private location with the slug ${slugName}`);
  }
}

async function withProbes(
  context: LocationsContext,
  { accountId }: Pick<Caller, "accountId">,
  locations: readonly PrivateLocation[],
): Promise<ServedLocation[]> {
  if (locations.length === 0) return [];
  const ids = locations.map(({ id }) => id);
  const since = new Date(context.clock.now().getTime() - rememberedForMs);
  const keys = await mapLocationKeys(context.db, accountId);
  const probes = Map.groupBy(
    await listProbesOfRoutes(context.db, ids, since),
    ({ route }) => route,
  );
  return locations.map((location) => ({
    ...location,
    keys: keys.get(location.id) ?? [],
    probes: probes.get(location.id) ?? [],
  }));
}

export async function listOwnLocations(
  context: LocationsContext,
  caller: Pick<Caller, "accountId">,
): Promise<ServedLocation[]> {
  return withProbes(context, caller, await listPrivateLocations(context.db, caller.accountId));
}

export async function getOwnLocation(
  context: PrivateLocationsContext,
  caller: Caller,
  id: string,
): Promise<ServedLocation> {
  const found = await findPrivateLocation(context.db, caller.accountId, id);
  const [location] = await withProbes(context, caller, found === null ? [] : [found]);
  if (location === undefined) throw notFound();
  return location;
}

/** Creates a private location with its first key. Only this response contains the key's text. */
export async function createLocation(
  context: PrivateLocationsContext,
  caller: Caller,
  input: LocationInput,
): Promise<PrivateLocation & { readonly firstKey: NewProbeKey }> {
  requireAccess(caller, "admin");
  const { accountId } = caller;
  const { name, slugName, icon = defaultIcon } = input;
  rejectReserved(context, slugName);
  const at = context.clock.now();
  const never = { updatedAt: null, servedAt: null };
  const location = { id: randomUUIDv7(), name, slugName, icon, createdAt: at, ...never };
  const place = { privateLocationId: location.id };
  const firstKey = { id: randomUUIDv7(), text: createKeyText(place), createdAt: at };
  await inTransaction(context.db, async (db) => {
    await lockName(db, `private locations ${accountId}`);
    if ((await listPrivateLocations(db, accountId)).length >= maxLocationsPerAccount) {
      throw conflict(`an account has at most ${maxLocationsPerAccount} private locations`);
    }
    await rejectTaken(slugName, insertPrivateLocation(db, accountId, location));
    await insertProbeKey(db, place, firstKey);
    const note = { targetId: location.id, changes: { name, slugName }, at };
    await writeAuditEntry(db, caller, { action: "private-location.created", ...note });
  });
  return { ...location, firstKey };
}

/**
 * Changes a private location. A new slug is also stored in the checks and groups that use the
 * location.
 */
export async function changeLocation(
  context: PrivateLocationsContext,
  caller: Caller,
  { id, input }: { readonly id: string; readonly input: LocationChange },
): Promise<ServedLocation> {
  const { accountId } = caller;
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const before = await findPrivateLocationForUpdate(db, accountId, id);
    if (before === null) throw notFound();
    const { name, slugName = before.slugName, icon = before.icon } = input;
    const isRenamed = slugName !== before.slugName;
    if (isRenamed) rejectReserved(context, slugName);
    const after = { ...before, name, slugName, icon, updatedAt: at };
    await rejectTaken(slugName, updatePrivateLocation(db, accountId, after));
    if (isRenamed) {
      const slugs = { from: before.slugName, to: slugName, at };
      await context.checksOfPlaces.rename(db, accountId, slugs);
    }
    const changes = {
      ...(name !== before.name && { name: { from: before.name, to: name } }),
      ...(isRenamed && { slugName: { from: before.slugName, to: slugName } }),
      ...(icon !== before.icon && { icon: { from: before.icon, to: icon } }),
    };
    const note = { action: "private-location.updated", targetId: id, changes, at };
    await writeAuditEntry(db, caller, note);
  });
  return getOwnLocation(context, caller, id);
}

export async function removeLocation(
  context: PrivateLocationsContext,
  caller: Caller,
  id: string,
): Promise<void> {
  const { accountId } = caller;
  await inTransaction(context.db, async (db) => {
    const location = await findPrivateLocationForUpdate(db, accountId, id);
    if (location === null) throw notFound();
    const { name, slugName } = location;
    const uses = await context.checksOfPlaces.countUses(db, accountId, slugName);
    if (uses.checks + uses.groups > 0) throw conflict(describeUses(slugName, uses));
    await deletePrivateLocation(db, accountId, id);
    const note = { targetId: id, changes: { name, slugName }, at: context.clock.now() };
    await writeAuditEntry(db, caller, { action: "private-location.deleted", ...note });
  });
}

function describeUses(slugName: string, { checks, groups }: PlaceUses): string {
  const some = (count: number, noun: string) =>
    count === 0 ? [] : [`${count} ${noun}${count === 1 ? "" : "s"}`];
  const users = [...some(checks, "check"), ...some(groups, "group")].join(" and ");
  return `${users} still run at ${slugName}: move them to another location first`;
}

/** Creates another key of a private location. Only this response contains the text of the key. */
export async function createLocationKey(
  context: PrivateLocationsContext,
  caller: Caller,
  locationId: string,
): Promise<NewProbeKey> {
  requireAccess(caller, "admin");
  const at = context.clock.now();
  const place = { privateLocationId: locationId };
  const key = { id: randomUUIDv7(), text: createKeyText(place), createdAt: at };
  await inTransaction(context.db, async (db) => {
    const location = await findPrivateLocationForUpdate(db, caller.accountId, locationId);
    if (location === null) throw notFound();
    const keys = (await mapLocationKeys(db, caller.accountId)).get(locationId) ?? [];
    if (keys.length >= maxKeysPerLocation) {
      throw conflict(`a private location has at most ${maxKeysPerLocation} keys; revoke one first`);
    }
    await insertProbeKey(db, place, key);
    const changes = { location: location.slugName, lastFour: key.text.slice(-4) };
    await writeAuditEntry(db, caller, {
      action: "probe-key.created",
      targetId: key.id,
      changes,
      at,
    });
  });
  return key;
}

/** Revokes a key. Probes that use the key are disconnected within a second. */
export async function revokeLocationKey(
  context: PrivateLocationsContext,
  caller: Caller,
  { id, keyId }: { readonly id: string; readonly keyId: string },
): Promise<void> {
  await inTransaction(context.db, async (db) => {
    const location = await findPrivateLocationForUpdate(db, caller.accountId, id);
    const key =
      location === null ? null : await deleteProbeKey(db, { privateLocationId: id }, keyId);
    if (location === null || key === null) throw notFound();
    const changes = { location: location.slugName, lastFour: key.lastFour };
    const at = context.clock.now();
    await writeAuditEntry(db, caller, {
      action: "probe-key.revoked",
      targetId: keyId,
      changes,
      at,
    });
  });
}

/** Name of the only location of an installation. */
const onlyPlaceName = "This server";

/**
 * Returns the public places with the names that people of an account read. While the server itself
 * is the only location with a probe, its place is called "This server", not by the city of its
 * region.
 */
export function nameOnlyPlace(places: readonly Place[], privateCount: number): readonly Place[] {
  const [only, ...others] = places.filter(({ servedBy }) => servedBy === "own-probe");
  if (only === undefined || others.length + privateCount > 0) return places;
  if (!only.probes.every(({ isBuiltIn }) => isBuiltIn)) return places;
  return places.map((place) => (place === only ? { ...place, name: onlyPlaceName } : place));
}

export async function listNamedPlaces(
  context: LocationsContext,
  accountId: string,
): Promise<readonly Place[]> {
  const own = await listOwnLocations(context, { accountId });
  return nameOnlyPlace(await listPlaces(context), own.length);
}

/** Maps the locations that the checks of an account can use to the names that people read. */
export async function mapPlaceNames(
  context: LocationsContext,
  accountId: string,
): Promise<ReadonlyMap<string, string>> {
  const own = await listOwnLocations(context, { accountId });
  const places = nameOnlyPlace(await listPlaces(context), own.length);
  return new Map([
    ...places.map(({ region, name }) => [region, name] as const),
    ...own.map(({ slugName, name }) => [slugName, name] as const),
  ]);
}

/** Returns all locations that the checks of an account can use, public locations first. */
export async function listAccountPlaces(
  context: LocationsContext,
  accountId: string,
): Promise<Place[]> {
  const now = context.clock.now();
  const own = await listOwnLocations(context, { accountId });
  return [
    ...(await listPlaces(context)),
    ...own.map((location): Place => {
      const { slugName, name, probes } = location;
      const isServed = decideLocationStatus(location, now) === "served";
      return { region: slugName, name, probes, servedBy: isServed ? "own-probe" : "nobody" };
    }),
  ];
}
