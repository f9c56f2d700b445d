import { createHash } from "node:crypto";
import { Type } from "typebox";
import type { Database } from "../../../platform/database.ts";
import { conflict } from "../../../platform/errors.ts";
import type { Caller } from "../caller.ts";
import { deleteIdempotencyKeysBefore, findIdempotencyKey, insertIdempotencyKey } from "./store.ts";

/** How long a repeated request is recognised. */
const keptMs = 24 * 3_600_000;

export const IdempotencyHeaders = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: "The same key again, within a day, creates nothing again.",
    }),
  ),
});

export interface CreateOnce {
  /** Absent when the caller sent none: then every request creates. */
  readonly key: string | undefined;
  /** What the key is for, such as `incident.created`. */
  readonly operation: string;
  readonly body: unknown;
  /** Chosen before it is stored, so that the key can point at it. */
  readonly targetId: string;
  readonly at: Date;
}

/**
 * Creates in the transaction it is given, unless the same request did so before; answers with the
 * id of what there is now. The key is stored with the thing: neither is there without the other,
 * whatever dies, and of two requests at once the second waits for the first.
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
  if (before === null) throw conflict("the Idempotency-Key was in use just now: try again");
  if (before.operation !== operation || !before.bodyHash.equals(bodyHash)) {
    throw conflict("the Idempotency-Key was used for another request");
  }
  return { targetId: before.targetId, isRepeat: true };
}

export function forgetOldRequests(db: Database, now: Date): Promise<void> {
  return deleteIdempotencyKeysBefore(db, new Date(now.getTime() - keptMs));
}
