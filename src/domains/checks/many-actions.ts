import { randomUUIDv7 } from "node:crypto";
import { inTransaction } from "../../platform/database.ts";
import { KnownError } from "../../platform/errors.ts";
import { type Caller, createOnce } from "../accounts/index.ts";
import { type ChecksContext, createCheck } from "./actions.ts";
import { parseUnknownCheck } from "./check-bodies.ts";
import type { SubscribedCheck } from "./subscribed-channels.ts";

export type ManyItem =
  | { readonly kind: "created"; readonly check: SubscribedCheck }
  | { readonly kind: "refused"; readonly error: KnownError };

interface ManyRequest {
  readonly checks: readonly unknown[];
  readonly autoAssignAlerts: boolean;
  readonly idempotencyKey: string | undefined;
}

/**
 * Derives an idempotency key for each check of the request. Each check is created in its own
 * transaction, so a crash may leave some of them created.
 */
async function findKeys(
  context: ChecksContext,
  caller: Caller,
  { idempotencyKey: key, ...body }: ManyRequest,
): Promise<readonly (string | undefined)[]> {
  if (key === undefined) return body.checks.map(() => undefined);
  const at = context.clock.now();
  const once = { key, operation: "checks.created", body, targetId: randomUUIDv7(), at };
  const { targetId } = await inTransaction(context.db, (db) =>
    createOnce(db, caller, once, async () => {}),
  );
  return body.checks.map((_, index) => `${targetId}/${index}`);
}

/** Creates each check independently: an invalid check does not affect the others. */
export async function createManyChecks(
  context: ChecksContext,
  caller: Caller,
  request: ManyRequest,
): Promise<ManyItem[]> {
  const items: ManyItem[] = [];
  const keys = await findKeys(context, caller, request);
  for (const [index, body] of request.checks.entries()) {
    try {
      const parsed = parseUnknownCheck(body);
      const { autoAssignAlerts } = request;
      const check = await createCheck(context, caller, {
        ...parsed,
        autoAssignAlerts,
        once: { key: keys[index], body },
      });
      items.push({ kind: "created", check });
    } catch (error) {
      if (!(error instanceof KnownError)) throw error;
      items.push({ kind: "refused", error });
    }
  }
  return items;
}
