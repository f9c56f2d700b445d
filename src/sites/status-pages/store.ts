import { type Database, runSql } from "../../platform/database.ts";
import type { PlannedCard } from "./cards.ts";
import { completeSettings } from "./page-settings.ts";
import type {
  Card,
  ComponentLook,
  Service,
  StatusPage,
  StatusPageSettings,
} from "./status-page.ts";

/** Row of a page, without its cards. Settings that were added later are absent in old rows. */
export type PageRow = Omit<StatusPage, "settings" | "cards"> & {
  readonly settings: Partial<StatusPageSettings>;
};

export const selectPages = `select id, account_id as "accountId", name, url,
    is_private as "isPrivate", settings, css_warnings as "cssWarnings",
    (select domain from served_domains
      where page_kind = 'status-page' and page_id = status_pages.id::text) as "servedDomain", version,
    uses_components as "usesComponents", created_at as "createdAt", updated_at as "updatedAt"
  from status_pages`;

/** Maximum number of pages per account, so that a list of all is never truncated. */
export const maxPages = 500;

/** Row of a card with one of its services, or of an empty card. */
interface CardRow extends Service {
  readonly pageId: string;
  readonly card: Omit<Card, "services" | "createdAt" | "updatedAt">;
  readonly cardCreatedAt: Date;
  readonly cardUpdatedAt: Date | null;
  readonly componentId: string;
  readonly look: ComponentLook;
  readonly isEmpty: boolean;
}

const describeLook = (table: string) => `jsonb_build_object('position', ${table}.position,
  'description', ${table}.description, 'isHidden', ${table}.is_hidden,
  'showsHistory', ${table}.shows_history)`;

/** Loads the cards of several pages in order, with their services, in one query. */
async function mapCards(db: Database, pageIds: readonly string[]): Promise<Map<string, Card[]>> {
  const rows = await runSql<CardRow>(
    db,
    `select card.status_page_id as "pageId", jsonb_build_object('id', card.id, 'name', card.name,
          'isUngrouped', card.is_ungrouped, 'look', ${describeLook("card")}) as card,
        card.created_at as "cardCreatedAt", card.updated_at as "cardUpdatedAt",
        service.id is null as "isEmpty", service.id, service.account_id as "accountId",
        service.name, service.version, service.created_at as "createdAt",
        service.updated_at as "updatedAt", link.id as "componentId",
        ${describeLook("link")} as look
      from status_page_cards as card
      left join status_page_card_services as link on link.card_id = card.id
      left join services as service on service.id = link.service_id
      where card.status_page_id = any($1::uuid[])
      order by card.status_page_id, card.position, card.id, link.position, link.id`,
    [pageIds],
  );
  const pages = new Map<string, Map<string, Card>>();
  for (const { pageId, card, cardCreatedAt, cardUpdatedAt, isEmpty, ...service } of rows) {
    const cards = pages.get(pageId) ?? new Map<string, Card>();
    pages.set(pageId, cards);
    const services = cards.get(card.id)?.services ?? [];
    cards.set(card.id, {
      ...card,
      services: isEmpty ? services : [...services, service],
      createdAt: cardCreatedAt,
      updatedAt: cardUpdatedAt,
    });
  }
  return new Map([...pages].map(([pageId, cards]) => [pageId, [...cards.values()]]));
}

export async function toStatusPages(db: Database, rows: readonly PageRow[]): Promise<StatusPage[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const cards = await mapCards(db, ids);
  return rows.map((row) => ({
    ...row,
    settings: completeSettings(row.settings),
    cards: cards.get(row.id) ?? [],
  }));
}

const selectPage = `${selectPages} where account_id = $1 and id = $2`;

export async function findStatusPageById(
  db: Database,
  accountId: string,
  id: string,
): Promise<StatusPage | null> {
  const rows = await runSql<PageRow>(db, selectPage, [accountId, id]);
  const [page] = await toStatusPages(db, rows);
  return page ?? null;
}

/** Locks the page until the transaction ends. */
export async function lockStatusPage(
  db: Database,
  accountId: string,
  id: string,
): Promise<StatusPage | null> {
  const rows = await runSql<PageRow>(db, `${selectPage} for update`, [accountId, id]);
  const [page] = await toStatusPages(db, rows);
  return page ?? null;
}

/** Prevents the deletion of the page until the transaction ends. */
export async function holdStatusPage(
  db: Database,
  accountId: string,
  id: string,
): Promise<boolean> {
  const text = "select 1 from status_pages where account_id = $1 and id = $2 for key share";
  return (await runSql(db, text, [accountId, id])).length > 0;
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
  const rows = await runSql<PageRow>(
    db,
    `${selectPages} where account_id = $1 and ($2::uuid is null or id >= $2)
      order by id limit $3`,
    [accountId, query.nextId, query.limit],
  );
  return toStatusPages(db, rows);
}

/** Lists all pages of the account, oldest first. */
export function listStatusPagesOf(db: Database, accountId: string): Promise<StatusPage[]> {
  return listStatusPages(db, accountId, { limit: maxPages });
}

export async function countStatusPages(db: Database, accountId: string): Promise<number> {
  const text = "select count(*) as count from status_pages where account_id = $1";
  const [row] = await runSql<{ count: number }>(db, text, [accountId]);
  return row?.count ?? 0;
}

/** A page as stored in its own table; `replaceCards` stores the cards. */
type StoredPage = Omit<StatusPage, "cards" | "accountId" | "servedDomain">;

const toValues = (accountId: string, page: StoredPage) => [
  accountId,
  page.id,
  page.name,
  page.url,
  page.isPrivate,
  page.settings,
  JSON.stringify(page.cssWarnings),
  page.version,
  page.createdAt,
  page.updatedAt,
  page.usesComponents,
];

export async function insertStatusPage(
  db: Database,
  accountId: string,
  page: StoredPage,
): Promise<void> {
  await runSql(
    db,
    `insert into status_pages (account_id, id, name, url, is_private, settings, css_warnings,
        version, created_at, updated_at, uses_components)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    toValues(accountId, page),
  );
}

export async function updateStatusPage(
  db: Database,
  accountId: string,
  page: StoredPage,
): Promise<void> {
  await runSql(
    db,
    `update status_pages set name = $3, url = $4, is_private = $5, settings = $6,
        css_warnings = $7, version = $8, created_at = $9, updated_at = $10,
        uses_components = $11
      where account_id = $1 and id = $2`,
    toValues(accountId, page),
  );
}

export async function deleteStatusPage(db: Database, accountId: string, id: string): Promise<void> {
  await runSql(db, "delete from status_pages where account_id = $1 and id = $2", [accountId, id]);
}

/** Converts display settings to one array per column, for use as query parameters. */
function toLookColumns(looks: readonly ComponentLook[]) {
  return [
    looks.map(({ position }) => position),
    looks.map(({ description }) => description),
    looks.map(({ isHidden }) => isHidden),
    looks.map(({ showsHistory }) => showsHistory),
  ];
}

const lookTypes = (first: number) =>
  ["int", "text", "bool", "bool"].map((type, index) => `$${first + index}::${type}[]`).join(", ");
const lookColumns = "position, description, is_hidden, shows_history";
const updateLook = `position = excluded.position, description = excluded.description,
  is_hidden = excluded.is_hidden, shows_history = excluded.shows_history`;

async function saveCards(
  db: Database,
  pageId: string,
  cards: readonly PlannedCard[],
): Promise<void> {
  await runSql(
    db,
    `insert into status_page_cards (status_page_id, id, name, is_ungrouped, created_at, updated_at,
        ${lookColumns})
      select $1::uuid, card.* from unnest($2::uuid[], $3::text[], $4::bool[], $5::timestamptz[],
        $6::timestamptz[], ${lookTypes(7)}) as card
      on conflict (id) do update set name = excluded.name, updated_at = excluded.updated_at,
        ${updateLook}`,
    [
      pageId,
      cards.map(({ id }) => id),
      cards.map(({ name }) => name),
      cards.map(({ isUngrouped }) => isUngrouped),
      cards.map(({ createdAt }) => createdAt),
      cards.map(({ updatedAt }) => updatedAt),
      ...toLookColumns(cards.map(({ look }) => look)),
    ],
  );
}

async function saveCardServices(
  db: Database,
  pageId: string,
  cards: readonly PlannedCard[],
): Promise<void> {
  const links = cards.flatMap(({ id, services }) =>
    services.map((service) => ({ ...service, cardId: id })),
  );
  const ids = links.map(({ componentId }) => componentId);
  await runSql(
    db,
    `delete from status_page_card_services where id <> all($2::uuid[])
      and card_id in (select id from status_page_cards where status_page_id = $1)`,
    [pageId, ids],
  );
  await runSql(
    db,
    `insert into status_page_card_services (id, card_id, service_id, ${lookColumns})
      select link.* from unnest($1::uuid[], $2::uuid[], $3::uuid[], ${lookTypes(4)}) as link
      on conflict (id) do update set card_id = excluded.card_id, ${updateLook}`,
    [
      ids,
      links.map(({ cardId }) => cardId),
      links.map(({ serviceId }) => serviceId),
      ...toLookColumns(links.map(({ look }) => look)),
    ],
  );
}

/**
 * Replaces the cards of a page that belongs to the account and is locked or new. Services that stay
 * on the page keep their component id, so that rules with this id stay valid.
 */
export async function replaceCards(
  db: Database,
  accountId: string,
  page: { readonly id: string; readonly cards: readonly PlannedCard[] },
): Promise<void> {
  await saveCards(db, page.id, page.cards);
  await saveCardServices(db, page.id, page.cards);
  await runSql(
    db,
    `delete from status_page_cards where id <> all($3::uuid[])
      and status_page_id in (select id from status_pages where account_id = $1 and id = $2)`,
    [accountId, page.id, page.cards.map(({ id }) => id)],
  );
}
