/** Queries for visitors. A page is found by its URL, because visitors belong to no account. */
import { type Database, runSql } from "../../platform/database.ts";
import type { StatusPage } from "./status-page.ts";
import { type PageRow, selectPages, toStatusPages } from "./store.ts";

export async function findStatusPageByUrl(db: Database, url: string): Promise<StatusPage | null> {
  const text = `${selectPages} where url = $1`;
  const rows = await runSql<PageRow>(db, text, [url.toLowerCase()]);
  const [page] = await toStatusPages(db, rows);
  return page ?? null;
}

/** Finds the page whose id is in a signed link. */
export async function findStatusPageOfLink(db: Database, id: string): Promise<StatusPage | null> {
  const rows = await runSql<PageRow>(db, `${selectPages} where id = $1`, [id]);
  const [page] = await toStatusPages(db, rows);
  return page ?? null;
}

/** Maximum number of public pages that are listed for snapshots. */
const maxPublicPages = 100_000;

/** Lists the public pages of all accounts. */
export function listPublicStatusPages(
  db: Database,
): Promise<Pick<StatusPage, "id" | "accountId">[]> {
  return runSql(
    db,
    `select id, account_id as "accountId" from status_pages where not is_private
      order by id limit $1`,
    [maxPublicPages],
  );
}
