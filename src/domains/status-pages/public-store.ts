/** For visitors, who name no account: a page is found by its address. */
import type { Database } from "../../platform/database.ts";
import type { StatusPage } from "./status-page.ts";
import { type PageTables, pageColumns, toStatusPages } from "./store.ts";

const tables = (db: Database) => db.withTables<PageTables>();

export async function findStatusPageByUrl(db: Database, url: string): Promise<StatusPage | null> {
  const rows = await tables(db)
    .selectFrom("status_pages")
    .select(pageColumns)
    .where("url", "=", url.toLowerCase())
    .execute();
  const [page] = await toStatusPages(db, rows);
  return page ?? null;
}

/** For links that we sealed for the page. */
export async function findStatusPageOfLink(db: Database, id: string): Promise<StatusPage | null> {
  const rows = await tables(db)
    .selectFrom("status_pages")
    .select(pageColumns)
    .where("id", "=", id)
    .execute();
  const [page] = await toStatusPages(db, rows);
  return page ?? null;
}

/** Bounds what a snapshot of all pages reads. */
const maxPublicPages = 100_000;

/** Of all accounts, the pages that need no key. */
export async function listPublicStatusPages(
  db: Database,
): Promise<Pick<StatusPage, "id" | "accountId">[]> {
  return tables(db)
    .selectFrom("status_pages")
    .select(["id", "account_id as accountId"])
    .where("is_private", "=", false)
    .orderBy("id")
    .limit(maxPublicPages)
    .execute();
}
