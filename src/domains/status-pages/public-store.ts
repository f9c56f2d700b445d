/** For visitors, who name no account: a page is found by its address. */
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

/** For queries of later rooms: which services each page shows. */
export const shownServicesQuery = `select card.status_page_id as page_id, link.service_id
  from status_page_cards as card
  join status_page_card_services as link on link.card_id = card.id`;

/** What a message says of its page and needs to link to it. */
export type AddressedPage = Pick<StatusPage, "name" | "url" | "servedDomain">;

/** For queries of later rooms: each page as an `AddressedPage`. */
export const addressedPagesQuery = `select id, jsonb_build_object('name', name, 'url', url,
    'servedDomain', ${servedDomainQuery("status-page", "status_pages.id")}) as page
  from status_pages`;
