import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/database.ts";
import type { Encryption } from "../../../platform/encryption.ts";
import type { PushDevices, PushReach } from "../channel-kind.ts";
import { forgetDevices, listTargets, loadVapidKeys, noteSent } from "./push-store.ts";
import type { PushTarget } from "./web-push.ts";

interface PushContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly encryption: Encryption;
  readonly publicUrl: () => string;
}

/** Push services want an address of whom to write to when something is wrong. */
function findContact(publicUrl: string): string {
  return publicUrl.startsWith("https://") ? publicUrl : "mailto:vedette@localhost.localdomain";
}

/** The devices as a kind of channel sees them. */
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
    settle: async ({ sentIds, goneIds }) => {
      await noteSent(db, sentIds, clock.now());
      await forgetDevices(db, goneIds);
    },
  };
}
