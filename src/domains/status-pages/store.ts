import { sql } from "kysely";
import type { Database } from "../../platform/database.ts";
import { type CssWarning, servedDomainQuery } from "../sites/index.ts";
import type { PlannedCard } from "./cards.ts";
import { completeSettings } from "./page-settings.ts";
import { toService } from "./services/store.ts";
import type { Card, StatusPage, StatusPageSettings } from "./status-page.ts";

type PageRow = {
  id: string;
  account_id: string;
  name: string;
  url: string;
  is_private: boolean;
  /** Some settings are absent in old rows. */
  settings: Partial<StatusPageSettings>;
  css_warnings: readonly CssWarning[];
  version: number;
  created_at: Date;
  updated_at: Date | null;
};

export type PageTables = {
  status_pages: PageRow;
  status_page_cards: {
    id: string;
    status_page_id: string;
    name: string;
    position: number;
    created_at: Date;
    updated_at: Date | null;
  };
  status_page_card_services: { card_id: string; service_id: string; position: number };
  services: {
    id: string;
    account_id: string;
    name: string;
    version: number;
    created_at: Date;
    updated_at: Date | null;
  };
};

const tables = (db: Database) => db.withTables<PageTables>();
export const pageColumns = [
  "id",
  "account_id",
  "name",
  "url",
  "is_private",
  "settings",
  "css_warnings",
  "version",
  "created_at",
  "updated_at",
  sql.raw<string | null>(servedDomainQuery("status-page", "status_pages.id")).as("served_domain"),
] as const;
type SelectedPage = PageRow & { readonly served_domain: string | null };

/** Maximum number of pages per account, so that a list of all is never truncated. */
export const maxPages = 500;

/** Loads the ordered cards of several pages with their services in one query. */
async function mapCards(db: Database, pageIds: readonly string[]): Promise<Map<string, Card[]>> {
  const rows = await tables(db)
    .selectFrom("status_page_cards as card")
    .leftJoin("status_page_card_services as link", "link.card_id", "card.id")
    .leftJoin("services as service", "service.id", "link.service_id")
    .select([
      "card.status_page_id as pageId",
      "card.id as cardId",
      "card.name as cardName",
      "card.created_at as cardCreatedAt",
      "card.updated_at as cardUpdatedAt",
      "service.id",
      "service.account_id",
      "service.name",
      "service.version",
      "service.created_at",
      "service.updated_at",
    ])
    .where("card.status_page_id", "in", [...pageIds])
    .orderBy("card.status_page_id")
    .orderBy("card.position")
    .orderBy("card.id")
    .orderBy("link.position")
    .execute();
  const pages = new Map<string, Map<string, Card>>();
  for (const row of rows) {
    const cards = pages.get(row.pageId) ?? new Map<string, Card>();
    pages.set(row.pageId, cards);
    const { id, account_id, name, version, created_at, updated_at } = row;
    const isEmpty =
      id === null ||
      account_id === null ||
      name === null ||
      version === null ||
      created_at === null;
    const services = isEmpty
      ? []
      : [toService({ id, account_id, name, version, created_at, updated_at })];
    cards.set(row.cardId, {
      id: row.cardId,
      name: row.cardName,
      services: [...(cards.get(row.cardId)?.services ?? []), ...services],
      createdAt: row.cardCreatedAt,
      updatedAt: row.cardUpdatedAt,
    });
  }
  return new Map([...pages].map(([pageId, cards]) => [pageId, [...cards.values()]]));
}

export async function toStatusPages(
  db: Database,
  rows: readonly Readonly<SelectedPage>[],
): Promise<StatusPage[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const cards = await mapCards(db, ids);
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    url: row.url,
    isPrivate: row.is_private,
    settings: completeSettings(row.settings),
    cssWarnings: row.css_warnings,
    servedDomain: row.served_domain,
    version: row.version,
    cards: cards.get(row.id) ?? [],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }));
}

const selectPage = (db: Database, accountId: string, id: string) =>
  tables(db)
    .selectFrom("status_pages")
    .select(pageColumns)
    .where("account_id", "=", accountId)
    .where("id", "=", id);

export async function findStatusPageById(
  db: Database,
  accountId: string,
  id: string,
): Promise<StatusPage | null> {
  const rows = await selectPage(db, accountId, id).execute();
  const [page] = await toStatusPages(db, rows);
  return page ?? null;
}

/** Locks the page until the transaction ends. */
export async function lockStatusPage(
  db: Database,
  accountId: string,
  id: string,
): Promise<StatusPage | null> {
  const rows = await selectPage(db, accountId, id).forUpdate().execute();
  const [page] = await toStatusPages(db, rows);
  return page ?? null;
}

/** Prevents the deletion of the page until the transaction ends. */
export async function holdStatusPage(
  db: Database,
  accountId: string,
  id: string,
): Promise<boolean> {
  return (await selectPage(db, accountId, id).forKeyShare().executeTakeFirst()) !== undefined;
}

export interface StatusPagesQuery {
  readonly limit: number;
  readonly nextId?: string | undefined;
}

export async function listStatusPages(
  db: Database,
  accountId: string,
  query: StatusPagesQuery,
): Promise<StatusPage[]> {
  let select = tables(db)
    .selectFrom("status_pages")
    .select(pageColumns)
    .where("account_id", "=", accountId)
    .orderBy("id")
    .limit(query.limit);
  if (query.nextId !== undefined) select = select.where("id", ">=", query.nextId);
  return toStatusPages(db, await select.execute());
}

/** Lists all pages of the account, oldest first. */
export function listStatusPagesOf(db: Database, accountId: string): Promise<StatusPage[]> {
  return listStatusPages(db, accountId, { limit: maxPages });
}

export async function countStatusPages(db: Database, accountId: string): Promise<number> {
  const { count } = await tables(db)
    .selectFrom("status_pages")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("account_id", "=", accountId)
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * Lists the given services of the account and prevents their deletion until the transaction ends.
 */
export async function holdServices(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tables(db)
    .selectFrom("services")
    .select("id")
    .where("account_id", "=", accountId)
    .where("id", "in", [...ids])
    .orderBy("id")
    .forKeyShare()
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** A page without its cards, which `replaceCards` stores. */
export type StoredPage = Omit<StatusPage, "cards" | "accountId" | "servedDomain">;

function toRow(page: StoredPage) {
  return {
    name: page.name,
    url: page.url,
    is_private: page.isPrivate,
    settings: page.settings,
    css_warnings: sql<readonly CssWarning[]>`${JSON.stringify(page.cssWarnings)}::jsonb`,
    version: page.version,
    created_at: page.createdAt,
    updated_at: page.updatedAt,
  };
}

export async function insertStatusPage(
  db: Database,
  accountId: string,
  page: StoredPage,
): Promise<void> {
  await tables(db)
    .insertInto("status_pages")
    .values({ id: page.id, account_id: accountId, ...toRow(page) })
    .execute();
}

export async function updateStatusPage(
  db: Database,
  accountId: string,
  page: StoredPage,
): Promise<void> {
  await tables(db)
    .updateTable("status_pages")
    .set(toRow(page))
    .where("account_id", "=", accountId)
    .where("id", "=", page.id)
    .execute();
}

export async function deleteStatusPage(db: Database, accountId: string, id: string): Promise<void> {
  await tables(db)
    .deleteFrom("status_pages")
    .where("account_id", "=", accountId)
    .where("id", "=", id)
    .execute();
}

/** The page must belong to the account, and be locked or new. */
export async function replaceCards(
  db: Database,
  accountId: string,
  page: { readonly id: string; readonly cards: readonly PlannedCard[] },
): Promise<void> {
  const own = tables(db)
    .selectFrom("status_pages")
    .select("id")
    .where("account_id", "=", accountId)
    .where("id", "=", page.id);
  const ids = page.cards.map(({ id }) => id);
  let drop = tables(db).deleteFrom("status_page_cards").where("status_page_id", "in", own);
  if (ids.length > 0) drop = drop.where("id", "not in", ids);
  await drop.execute();
  if (ids.length === 0) return;
  await tables(db)
    .insertInto("status_page_cards")
    .values(
      page.cards.map((card, position) => ({
        id: card.id,
        status_page_id: page.id,
        name: card.name,
        position,
        created_at: card.createdAt,
        updated_at: card.updatedAt,
      })),
    )
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet(({ ref }) => ({
        name: ref("excluded.name"),
        position: ref("excluded.position"),
        updated_at: ref("excluded.updated_at"),
      })),
    )
    .execute();
  await tables(db).deleteFrom("status_page_card_services").where("card_id", "in", ids).execute();
  const links = page.cards.flatMap(({ id, serviceIds }) =>
    serviceIds.map((serviceId, position) => ({ card_id: id, service_id: serviceId, position })),
  );
  if (links.length > 0) {
    await tables(db).insertInto("status_page_card_services").values(links).execute();
  }
}
