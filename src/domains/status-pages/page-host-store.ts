/** Where pages are found: names that are unique over all accounts. */
import type { Database } from "../../platform/database.ts";
import { conflict } from "../../platform/errors.ts";
import type { StatusPage } from "./status-page.ts";
import { type PageTables, pageColumns, toStatusPages } from "./store.ts";

/** The two kinds of page that share host names, keys and pictures. */
export type PageKind = "status-page" | "dashboard";

export interface PageReference {
  readonly pageKind: PageKind;
  readonly pageId: string;
}

type HostTables = Pick<PageTables, "status_pages"> & {
  page_domains: { domain: string; account_id: string; page_kind: PageKind; page_id: string };
};

const tables = (db: Database) => db.withTables<HostTables>();

/** Bounds what a server holds in memory to find a page by its host. */
const maxHosts = 100_000;

/**
 * From now on the name leads to this page, in the place of the one it had before. Whoever asks for
 * a name that is being taken waits, and is then told that it is taken.
 */
export async function claimDomain(
  db: Database,
  accountId: string,
  claim: PageReference & { readonly domain: string },
): Promise<void> {
  const { domain, pageKind, pageId } = claim;
  const held = await tables(db)
    .selectFrom("page_domains")
    .select("domain")
    .where("page_kind", "=", pageKind)
    .where("page_id", "=", pageId)
    .executeTakeFirst();
  if (held?.domain === domain) return;
  await releaseDomain(db, accountId, claim);
  const row = await tables(db)
    .insertInto("page_domains")
    .values({ domain, account_id: accountId, page_kind: pageKind, page_id: pageId })
    .onConflict((taken) => taken.doNothing())
    .returning("domain")
    .executeTakeFirst();
  if (row === undefined) throw conflict(`customDomain ${domain} is taken`);
}

export async function releaseDomain(
  db: Database,
  accountId: string,
  page: PageReference,
): Promise<void> {
  await tables(db)
    .deleteFrom("page_domains")
    .where("account_id", "=", accountId)
    .where("page_kind", "=", page.pageKind)
    .where("page_id", "=", page.pageId)
    .execute();
}

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

export interface DomainOwner extends PageReference {
  readonly accountId: string;
}

export async function findDomainOwner(db: Database, domain: string): Promise<DomainOwner | null> {
  const row = await tables(db)
    .selectFrom("page_domains")
    .select(["account_id", "page_kind", "page_id"])
    .where("domain", "=", domain.toLowerCase())
    .executeTakeFirst();
  if (row === undefined) return null;
  return { accountId: row.account_id, pageKind: row.page_kind, pageId: row.page_id };
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
