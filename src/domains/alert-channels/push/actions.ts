import { randomUUIDv7 } from "node:crypto";
import type { Clock } from "../../../platform/clock.ts";
import { type Database, inTransaction } from "../../../platform/database.ts";
import type { Encryption } from "../../../platform/encryption.ts";
import { conflict, invalid, notFound } from "../../../platform/errors.ts";
import { findUrlFault, rejectionMessages } from "../../../platform/outbound-guard.ts";
import { type Caller, writeAuditEntry } from "../../accounts/index.ts";
import type { ChannelsContext } from "../actions.ts";
import type { PushDevices, PushReach } from "../channel-kind.ts";
import {
  deleteDevice,
  deleteDevices,
  listDevices,
  listTargets,
  loadVapidKeys,
  noteSent,
  type PushDevice,
  saveDevice,
} from "./push-store.ts";
import { isSoundTarget, type PushTarget } from "./web-push.ts";

const maxDevices = 20;

/** Devices belong to a person, so a service key has none. */
function findOwner({ accountId, userId }: Caller) {
  if (userId === null) throw notFound();
  return { accountId, userId };
}

export async function readPublicKey({ db, encryption }: ChannelsContext): Promise<string> {
  const keys = await loadVapidKeys(db, encryption);
  if (keys === null) {
    throw conflict("push keys cannot be decrypted with this server's encryption key");
  }
  return keys.publicKey;
}

export async function listOwnDevices(
  { db }: ChannelsContext,
  caller: Caller,
): Promise<PushDevice[]> {
  return listDevices(db, findOwner(caller));
}

export async function addDevice(
  context: ChannelsContext,
  caller: Caller,
  input: { readonly name: string; readonly target: PushTarget },
): Promise<PushDevice> {
  const owner = findOwner(caller);
  const { name, target } = input;
  const fault = findUrlFault(target.endpoint, context.allowPrivate);
  if (fault !== null) throw invalid("endpoint", `is refused: ${rejectionMessages[fault]}`);
  if (!isSoundTarget(target)) throw invalid("keys", "must be the keys of a browser subscription");
  const at = context.clock.now();
  const sealed = context.encryption.encrypt(JSON.stringify(target));
  return inTransaction(context.db, async (db) => {
    const device = await saveDevice(db, owner, { id: randomUUIDv7(), name, target, sealed, at });
    if ((await listDevices(db, owner)).length > maxDevices) {
      throw conflict(`limit of ${maxDevices} devices reached; remove one first`);
    }
    const action = "push-subscription.created";
    await writeAuditEntry(db, caller, { action, targetId: device.id, changes: { name }, at });
    return device;
  });
}

export async function removeDevice(
  context: ChannelsContext,
  caller: Caller,
  id: string,
): Promise<void> {
  const owner = findOwner(caller);
  await inTransaction(context.db, async (db) => {
    const name = await deleteDevice(db, owner, id);
    if (name === null) throw notFound();
    const at = context.clock.now();
    const action = "push-subscription.deleted";
    await writeAuditEntry(db, caller, { action, targetId: id, changes: { name }, at });
  });
}

interface PushContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly encryption: Encryption;
  readonly publicUrl: () => string;
}

/** Push services require a contact URL for problem reports. */
function findContact(publicUrl: string): string {
  return publicUrl.startsWith("https://") ? publicUrl : "mailto:vedette@localhost.localdomain";
}

/** Provides the push devices to the channel kinds. */
export function createPushDevices(context: PushContext): PushDevices {
  const { db, clock, encryption } = context;
  return {
    find: async (accountId, email): Promise<PushReach | null> => {
      const keys = await loadVapidKeys(db, encryption);
      if (keys === null) return null;
      const found = await listTargets(db, accountId, email);
      const devices = found.flatMap(({ id, sealed }) => {
        const text = encryption.tryDecrypt(sealed);
        return text === null ? [] : [{ id, ...(JSON.parse(text) as PushTarget) }];
      });
      return { keys, devices, contact: findContact(context.publicUrl()) };
    },
    recordOutcomes: async ({ sentIds, goneIds }) => {
      await noteSent(db, sentIds, clock.now());
      await deleteDevices(db, goneIds);
    },
  };
}
