import { type Database, inTransaction } from "../../../platform/database.ts";
import type { Caller } from "../../accounts/index.ts";
import {
  createPageKey,
  listPageKeys,
  type PageKey,
  removePageKey,
  rotatePageKey,
  type ShownPageKey,
} from "../../sites/index.ts";
import { getDashboard, referTo } from "../actions.ts";
import type { DashboardsContext } from "../context.ts";
import { raiseVersion } from "../store.ts";

/** Returns the page that the keys belong to, after checking that the caller owns it. */
async function getPage(context: DashboardsContext, caller: Caller, dashboardId: string) {
  const dashboard = await getDashboard(context, caller, { by: "dashboardId", value: dashboardId });
  return referTo(dashboard.dashboardId);
}

interface KeyPath {
  readonly dashboardId: string;
  readonly keyId: string;
}

export async function addKey(
  context: DashboardsContext,
  caller: Caller,
  dashboardId: string,
): Promise<ShownPageKey> {
  const page = await getPage(context, caller, dashboardId);
  const hold = (db: Database) => raiseVersion(db, caller.accountId, page.pageId);
  return createPageKey(context, caller, { ...page, hold });
}

export async function listKeys(
  context: DashboardsContext,
  caller: Caller,
  dashboardId: string,
): Promise<PageKey[]> {
  const { pageKind, pageId } = await getPage(context, caller, dashboardId);
  return listPageKeys(context.db, caller.accountId, { pageKind, pageIds: [pageId] });
}

export async function rotateKey(
  context: DashboardsContext,
  caller: Caller,
  { dashboardId, keyId }: KeyPath,
): Promise<ShownPageKey> {
  const page = await getPage(context, caller, dashboardId);
  return inTransaction(context.db, async (db) => {
    await raiseVersion(db, caller.accountId, page.pageId);
    return rotatePageKey({ ...context, db }, caller, { ...page, keyId });
  });
}

export async function removeKey(
  context: DashboardsContext,
  caller: Caller,
  { dashboardId, keyId }: KeyPath,
): Promise<void> {
  const page = await getPage(context, caller, dashboardId);
  await inTransaction(context.db, async (db) => {
    await raiseVersion(db, caller.accountId, page.pageId);
    await removePageKey({ ...context, db }, caller, { ...page, keyId });
  });
}
