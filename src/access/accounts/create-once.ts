import { createHash } from "node:crypto";
import { Type } from "typebox";
import type { Database } from "../../platform/database.ts";
import { conflict } from "../../platform/errors.ts";
import type { Caller } from "./caller.ts";
import {
  deleteIdempotencyKeysBefore,
  findIdempotencyKey,
  insertIdempotencyKey,
} from "./credential-store.ts";

/** How long a repeated request is recognised by its idempotency key. */
const keptMs = 24 * 3_600_000;

export const IdempotencyHeaders = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        "A request repeated with the same key within 24 hours creates nothing and returns the " +
        "existing object.",
    }),
  ),
});

interface CreateOnce {
  /** Idempotency key. If it is `undefined`, every request creates a new object. */
  readonly key: string | undefined;
  /**
   * Name of the operation, such as `incident.created`. A key cannot be reused for another
   * operation.
   */
  readonly operation: string;
  readonly body: unknown;
  /**
   * Id of the new object. It is chosen before the object is created, so that it can be stored with
   * the key.
   */
  readonly targetId: string;
  readonly at: Date;
}

/**
 * Creates an object in the given transaction, unless an earlier identical request has created it.
 * Returns the id of the new or existing object. The idempotency key is stored in the same
 * transaction, so the second of two concurrent requests waits for the first.
 */
export async function createOnce(
  db: Database,
  caller: Caller,
  once: CreateOnce,
  create: () => Promise<void>,
): Promise<{ readonly targetId: string; readonly isRepeat: boolean }> {
  const { key, operation, targetId, at } = once;
  const bodyHash = createHash("sha256").update(JSON.stringify(once.body)).digest();
  const request = { operation, bodyHash, targetId };
  if (
    key === undefined ||
    (await insertIdempotencyKey(db, caller.accountId, { ...request, key, at }))
  ) {
    await create();
    return { targetId, isRepeat: false };
  }
  const before = await findIdempotencyKey(db, caller.accountId, key);
  if (before === null)
    throw conflict("another request with this Idempotency-Key was in progress; retry");
  if (before.operation !== operation || !before.bodyHash.equals(bodyHash)) {
    throw conflict("this Idempotency-Key was used for a different request");
  }
  return { targetId: before.targetId, isRepeat: true };
}

export function forgetOldRequests(db: Database, now: Date): Promise<void> {
  return deleteIdempotencyKeysBefore(db, new Date(now.getTime() - keptMs));
}
