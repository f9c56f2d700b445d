/** The keys of the caller's own status pages; another account's page is not found. */
import type { Database } from "../../../platform/database.ts";
import type { Caller } from "../../accounts/index.ts";
import {
  createPageKey,
  listPageKeys,
  type PageKey,
  type PageReference,
  removePageKey,
  rotatePageKey,
  type ShownPageKey,
} from "../../sites/index.ts";
import { getStatusPage } from "../actions.ts";
import type { StatusPagesContext } from "../context.ts";
import { referToPage } from "../status-page.ts";
import { holdStatusPage } from "../store.ts";

async function getReference(
  context: StatusPagesContext,
  caller: Caller,
  statusPageId: string,
): Promise<PageReference> {
  const { id: pageId } = await getStatusPage(context, caller, statusPageId);
  return referToPage(pageId);
}

export async function createStatusPageKey(
  context: StatusPagesContext,
  caller: Caller,
  statusPageId: string,
): Promise<ShownPageKey> {
  const page = await getReference(context, caller, statusPageId);
  const hold = (db: Database) => holdStatusPage(db, caller.accountId, page.pageId);
  return createPageKey(context, caller, { ...page, hold });
}

export async function listStatusPageKeys(
  context: StatusPagesContext,
  caller: Caller,
  statusPageId: string,
): Promise<PageKey[]> {
  const { pageKind, pageId } = await getReference(context, caller, statusPageId);
  return listPageKeys(context.db, caller.accountId, { pageKind, pageIds: [pageId] });
}

export interface NamedKey {
  readonly statusPageId: string;
  readonly keyId: string;
}

export async function rotateStatusPageKey(
  context: StatusPagesContext,
  caller: Caller,
  { statusPageId, keyId }: NamedKey,
): Promise<ShownPageKey> {
  const page = await getReference(context, caller, statusPageId);
  return rotatePageKey(context, caller, { ...page, keyId });
}

export async function removeStatusPageKey(
  context: StatusPagesContext,
  caller: Caller,
  { statusPageId, keyId }: NamedKey,
): Promise<void> {
  const page = await getReference(context, caller, statusPageId);
  await removePageKey(context, caller, { ...page, keyId });
}
