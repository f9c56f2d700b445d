/** Queries for visitors, who name no account: a page is found by its address. */
import type { Database } from "../../platform/database.ts";
import { servedDomainQuery } from "../sites/index.ts";
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

/** Finds the page of a signed link. */
export async function findStatusPageOfLink(db: Database, id: string): Promise<StatusPage | null> {
  const rows = await tables(db)
    .selectFrom("status_pages")
    .select(pageColumns)
    .where("id", "=", id)
    .execute();
  const [page] = await toStatusPages(db, rows);
  return page ?? null;
}

/** Maximum number of pages in a snapshot. */
const maxPublicPages = 100_000;

/** Lists pages of all accounts that need no key. */
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

/** Subquery for other modules: which services each page shows. */
export const shownServicesQuery = `select card.status_page_id as page_id, link.service_id
  from status_page_cards as card
  join status_page_card_services as link on link.card_id = card.id`;

/** Fields that a message needs to name its page and link to it. */
export type AddressedPage = Pick<StatusPage, "name" | "url" | "servedDomain">;

/** Subquery for other modules: each page as an `AddressedPage`. */
export const addressedPagesQuery = `select id, jsonb_build_object('name', name, 'url', url,
    'servedDomain', ${servedDomainQuery("status-page", "status_pages.id")}) as page
  from status_pages`;
