import { type Database, inTransaction } from "../../platform/database.ts";
import { isTransient, quarantine } from "../../platform/quarantine.ts";
import type { DeciderContext } from "./context.ts";
import { type Batch, tryDeciderLock } from "./decider-store.ts";

/** Number of checks per transaction, so memory stays bounded however many checks fail at once. */
export const decisionBatch = 500;

/** Uses only the connection of its transaction, so a batch never waits for a second one. */
function decideInTransaction(
  context: DeciderContext,
  decide: (within: DeciderContext) => Promise<number>,
): Promise<number> {
  return inTransaction(context.db, async (db) =>
    (await tryDeciderLock(db)) ? decide({ ...context, db }) : 0,
  );
}

function planBatch(context: DeciderContext, checkId: string | null): Batch {
  return { limit: decisionBatch, now: context.clock.now(), checkId };
}

/** One kind of work on checks, and how a check that fails on its own is postponed. */
export interface Work {
  readonly name: string;
  readonly decide: (context: DeciderContext, batch: Batch) => Promise<number>;
  readonly listDue: (db: Database, batch: Batch) => Promise<string[]>;
  /** `retryAt` is `null` after the last attempt. */
  readonly postpone: (db: Database, checkId: string, retryAt: Date | null) => Promise<void>;
}

/**
 * Decides on a batch. If the batch fails permanently, each check is retried alone, and a check that
 * fails alone is quarantined with the reason. One broken row never stops the alerts of other
 * checks.
 */
export async function decideWithQuarantine(context: DeciderContext, work: Work): Promise<number> {
  const { db, clock } = context;
  const decide = (batch: Batch) =>
    decideInTransaction(context, (within) => work.decide(within, batch));
  const all = planBatch(context, null);
  try {
    return await decide(all);
  } catch (error) {
    if (isTransient(error)) throw error;
  }
  let count = 0;
  for (const checkId of await work.listDue(db, all)) {
    try {
      count += await decide(planBatch(context, checkId));
    } catch (error) {
      if (isTransient(error)) throw error;
      const aside = { work: work.name, key: checkId, error, now: clock.now() };
      await work.postpone(db, checkId, await quarantine(context, aside));
    }
  }
  return count;
}
