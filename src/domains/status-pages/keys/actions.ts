import type { Database } from "../../../platform/database.ts";
import type { Caller } from "../../accounts/index.ts";
import { createPageKey, listPageKeys, type PageKey, type ShownPageKey } from "../../sites/index.ts";
import { getStatusPage } from "../actions.ts";
import type { StatusPagesContext } from "../context.ts";
import { referToPage } from "../status-page.ts";
import { holdStatusPage } from "../store.ts";

export function createStatusPageKey(
  context: StatusPagesContext,
  caller: Caller,
  statusPageId: string,
): Promise<ShownPageKey> {
  const hold = (db: Database) => holdStatusPage(db, caller.accountId, statusPageId);
  return createPageKey(context, caller, { ...referToPage(statusPageId), hold });
}

export async function listStatusPageKeys(
  context: StatusPagesContext,
  caller: Caller,
  statusPageId: string,
): Promise<PageKey[]> {
  const { id } = await getStatusPage(context, caller, statusPageId);
  return listPageKeys(context.db, caller.accountId, { pageKind: "status-page", pageIds: [id] });
}
