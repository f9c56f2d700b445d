import { randomUUIDv7 } from "node:crypto";
import { inTransaction } from "../../../platform/database.ts";
import { conflict, notFound } from "../../../platform/errors.ts";
import { type Caller, writeAuditEntry } from "../../accounts/index.ts";
import { createKeyText, type NewProbeKey } from "../probe-key.ts";
import { deleteProbeKey, insertProbeKey, mapLocationKeys } from "../probe-key-store.ts";
import type { PrivateLocationsContext } from "./context.ts";
import { maxKeysPerLocation } from "./private-location.ts";
import { findPrivateLocationForUpdate } from "./store.ts";

/** The key is returned only in this response. */
export async function createLocationKey(
  context: PrivateLocationsContext,
  caller: Caller,
  locationId: string,
): Promise<NewProbeKey> {
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

/** Probes that use the key are disconnected within a second. */
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
