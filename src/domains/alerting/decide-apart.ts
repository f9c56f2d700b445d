import { type Database, inTransaction } from "../../platform/database.ts";
import { isPassing, setAside } from "../../platform/set-aside.ts";
import type { DeciderContext } from "./context.ts";
import { type Batch, tryDeciderLock } from "./decider-store.ts";

/** One transaction each, so memory stays bounded however many checks fail at once. */
export const decisionBatch = 500;

/** A batch uses only the connection of its transaction, so it never waits for a second one. */
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

/** One kind of work on checks, and what becomes of a check that fails alone. */
export interface Work {
  readonly name: string;
  readonly decide: (context: DeciderContext, batch: Batch) => Promise<number>;
  readonly listDue: (db: Database, batch: Batch) => Promise<string[]>;
  /** Null: given up. */
  readonly putOff: (db: Database, checkId: string, retryAt: Date | null) => Promise<void>;
}

/**
 * A batch that fails for good is decided one check at a time. Whichever fails alone is set aside
 * with the reason, so that one broken row never stops the alerts of all other checks.
 */
export async function decideApart(context: DeciderContext, work: Work): Promise<number> {
  const { db, clock } = context;
  const decide = (batch: Batch) =>
    decideInTransaction(context, (within) => work.decide(within, batch));
  const all = planBatch(context, null);
  try {
    return await decide(all);
  } catch (error) {
    if (isPassing(error)) throw error;
  }
  let count = 0;
  for (const checkId of await work.listDue(db, all)) {
    try {
      count += await decide(planBatch(context, checkId));
    } catch (error) {
      if (isPassing(error)) throw error;
      const aside = { work: work.name, key: checkId, error, now: clock.now() };
      await work.putOff(db, checkId, await setAside(context, aside));
    }
  }
  return count;
}
