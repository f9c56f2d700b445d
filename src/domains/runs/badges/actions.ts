import { notFound } from "../../../platform/errors.ts";
import type { CheckStatus } from "../../checks/index.ts";
import type { RunsContext } from "../context.ts";
import { expireOldState } from "../overdue.ts";
import { findPublicState } from "../state-store.ts";

export interface BadgeFacts {
  readonly name: string;
  readonly status: CheckStatus;
  readonly responseMs: number | null;
}

/** Loads the data of a badge. The check id is enough: an image in a README cannot send a key. */
export async function getBadgeFacts(context: RunsContext, checkId: string): Promise<BadgeFacts> {
  const facts = await findPublicState(context.db, checkId);
  if (facts === null) throw notFound();
  const watched = (await context.watchList.find([checkId])).get(checkId);
  const { lastDueAt } = facts;
  return expireOldState({ ...facts, since: null }, watched, {
    lastDueAt,
    now: context.clock.now(),
  });
}
