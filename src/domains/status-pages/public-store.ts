/** For visitors, who are no callers: a page is found by its address, whichever account it is of. */
import type { Database } from "../../platform/database.ts";
import type { PageKind } from "../sites/index.ts";
import type { StatusPage } from "./status-page.ts";
import { type PageTables, pageColumns, toStatusPages } from "./store.ts";

type HostTables = Pick<PageTables, "status_pages"> & {
  page_domains: { domain: string; account_id: string; page_kind: PageKind; page_id: string };
};

const tables = (db: Database) => db.withTables<HostTables>();

/** Bounds what a server holds in memory to find a page by its host. */
const maxHosts = 100_000;

/** Whoever knows a page's address may look at it, whichever account it belongs to. */
export async function findStatusPageByUrl(db: Database, url: string): Promise<StatusPage | null> {
  const rows = await tables(db)
    .selectFrom("status_pages")
    .select(pageColumns)
    .where("url", "=", url.toLowerCase())
    .execute();
  const [page] = await toStatusPages(db, rows);
  return page ?? null;
}

/** The same for whoever holds a link that we sealed for the page. */
export async function findStatusPageOfLink(db: Database, id: string): Promise<StatusPage | null> {
  const rows = await tables(db)
    .selectFrom("status_pages")
    .select(pageColumns)
    .where("id", "=", id)
    .execute();
  const [page] = await toStatusPages(db, rows);
  return page ?? null;
}

export interface PageHost {
  readonly accountId: string;
  readonly pageId: string;
  readonly url: string;
  readonly domain: string | null;
}

/** Every status page's address, for whoever routes requests by host. */
export async function listPageHosts(db: Database): Promise<PageHost[]> {
  const rows = await tables(db)
    .selectFrom("status_pages as page")
    .select(["page.id", "page.account_id", "page.url"])
    .select(({ selectFrom }) =>
      selectFrom("page_domains as host")
        .select("host.domain")
        .where("host.page_kind", "=", "status-page")
        .whereRef("host.page_id", "=", ({ cast, ref }) => cast(ref("page.id"), "text"))
        .as("domain"),
    )
    .orderBy("page.id")
    .limit(maxHosts)
    .execute();
  return rows.map((row) => ({
    accountId: row.account_id,
    pageId: row.id,
    url: row.url,
    domain: row.domain,
  }));
}
