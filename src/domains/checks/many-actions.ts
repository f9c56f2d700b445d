import { randomUUIDv7 } from "node:crypto";
import { type Database, inTransaction } from "../../platform/database.ts";
import { conflict, type KnownError } from "../../platform/errors.ts";
import {
  type Caller,
  createOnce,
  listRememberedTargets,
  rememberTargets,
} from "../accounts/index.ts";
import type { ChecksContext } from "./actions.ts";
import { parseUnknownCheck } from "./check-bodies.ts";
import { createRequestedChecks } from "./create-checks.ts";
import { listAccountCheckIds } from "./store.ts";

export type ManyItem =
  | { readonly kind: "created"; readonly id: string }
  | { readonly kind: "refused"; readonly error: KnownError };

interface ManyRequest {
  readonly checks: readonly unknown[];
  readonly autoAssignAlerts: boolean;
  readonly idempotencyKey: string | undefined;
}

const operation = "checks.created";

/**
 * Returns the idempotency key of each check of the request, which a retry maps to the created
 * check. Waits for a concurrent request with the same key.
 */
async function findKeys(
  db: Database,
  caller: Caller,
  { idempotencyKey: key, at, checks, autoAssignAlerts }: ManyRequest & { readonly at: Date },
): Promise<readonly string[]> {
  if (key === undefined) return [];
  const body = { checks, autoAssignAlerts };
  const once = { key, operation, body, targetId: randomUUIDv7(), at };
  const { targetId } = await createOnce(db, caller, once, async () => {});
  return checks.map((_, index) => `${targetId}/${index}`);
}

/** Returns the outcome of an earlier request for each check that it created. */
async function loadEarlier(
  db: Database,
  { accountId }: Caller,
  keys: readonly string[],
): Promise<Map<number, ManyItem>> {
  const targets = await listRememberedTargets(db, accountId, keys);
  if (targets.size === 0) return new Map();
  const existing = new Set(await listAccountCheckIds(db, accountId, [...targets.values()]));
  return new Map(
    keys.flatMap((key, index) => {
      const id = targets.get(key);
      if (id === undefined) return [];
      const error = conflict("the check created with this Idempotency-Key was deleted");
      return [[index, existing.has(id) ? { kind: "created", id } : { kind: "refused", error }]];
    }),
  );
}

/** Creates the valid checks in one transaction: an invalid check does not affect the others. */
export async function createManyChecks(
  context: ChecksContext,
  caller: Caller,
  request: ManyRequest,
): Promise<ManyItem[]> {
  const { autoAssignAlerts } = request;
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const keys = await findKeys(db, caller, { ...request, at });
    const earlier = await loadEarlier(db, caller, keys);
    const indexes = [...request.checks.keys()].filter((index) => !earlier.has(index));
    const drafts = indexes.map((index) => () => {
      const parsed = parseUnknownCheck(request.checks[index]);
      return { ...parsed, autoAssignAlerts, id: randomUUIDv7() };
    });
    const creations = await createRequestedChecks({ ...context, db }, caller, drafts);
    const items = new Map(earlier);
    const created: { readonly key: string; readonly targetId: string }[] = [];
    for (const [place, creation] of creations.entries()) {
      const index = indexes[place] ?? 0;
      if (creation.kind === "refused") items.set(index, creation);
      else {
        const { id } = creation.check;
        items.set(index, { kind: "created", id });
        created.push({ key: keys[index] ?? "", targetId: id });
      }
    }
    if (keys.length > 0) await rememberTargets(db, caller.accountId, { operation, created, at });
    return [...items.entries()].sort(([one], [other]) => one - other).map(([, item]) => item);
  });
}
