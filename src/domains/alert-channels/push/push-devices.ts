import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/database.ts";
import type { Encryption } from "../../../platform/encryption.ts";
import type { PushDevices, PushReach } from "../channel-kind.ts";
import { deleteDevices, listTargets, loadVapidKeys, noteSent } from "./push-store.ts";
import type { PushTarget } from "./web-push.ts";

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
