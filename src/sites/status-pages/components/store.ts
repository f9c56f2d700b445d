import { type Database, runSql } from "../../../platform/database.ts";
import type { ComponentLook } from "../status-page.ts";

/** Writes components. Callers have locked the page and checked that the account owns it. */

/** Name that visitors see on the card for services without a group. */
const ungroupedName = "Services";

const lookValues = ({ position, description, isHidden, showsHistory }: ComponentLook) => [
  position,
  description,
  isHidden,
  showsHistory,
];

const ownPages = "(select id from status_pages where account_id = $1)";
const ownCards = `(select id from status_page_cards where status_page_id in ${ownPages})`;

/** Finds or creates the card of services without a group. */
export async function ensureUngroupedCard(
  db: Database,
  accountId: string,
  card: { readonly id: string; readonly pageId: string; readonly at: Date },
): Promise<string> {
  const text = `insert into status_page_cards
      (id, status_page_id, name, position, is_ungrouped, created_at)
    select $2::uuid, id, $4, 0, true, $5 from status_pages where account_id = $1 and id = $3
    on conflict (status_page_id) where is_ungrouped do update set name = status_page_cards.name
    returning id`;
  const values = [accountId, card.id, card.pageId, ungroupedName, card.at];
  const [row] = await runSql<{ id: string }>(db, text, values);
  return row?.id ?? card.id;
}

/**
 * Moves the card of services without a group to the position of the first service on the card. If
 * the card is empty, deletes the card instead.
 */
export async function settleUngroupedCard(
  db: Database,
  accountId: string,
  pageId: string,
): Promise<void> {
  const which = `status_page_id in ${ownPages} and status_page_id = $2 and is_ungrouped`;
  await runSql(
    db,
    `delete from status_page_cards card where ${which}
      and not exists (select 1 from status_page_card_services where card_id = card.id)`,
    [accountId, pageId],
  );
  await runSql(
    db,
    `update status_page_cards card set position = (select min(position)
      from status_page_card_services where card_id = card.id) where ${which}`,
    [accountId, pageId],
  );
}

export async function saveGroup(
  db: Database,
  accountId: string,
  group: {
    readonly id: string;
    readonly pageId: string;
    readonly name: string;
    readonly look: ComponentLook;
    readonly at: Date;
  },
): Promise<void> {
  await runSql(
    db,
    `insert into status_page_cards (id, status_page_id, name, created_at, position, description,
        is_hidden, shows_history)
      select $2::uuid, id, $4, $5::timestamptz, $6::int, $7, $8::bool, $9::bool from status_pages
        where account_id = $1 and id = $3
      on conflict (id) do update set name = $4, updated_at = $5, position = $6, description = $7,
        is_hidden = $8, shows_history = $9`,
    [accountId, group.id, group.pageId, group.name, group.at, ...lookValues(group.look)],
  );
}

export async function savePlace(
  db: Database,
  accountId: string,
  place: {
    readonly id: string;
    readonly cardId: string;
    readonly serviceId: string;
    readonly look: ComponentLook;
  },
): Promise<void> {
  await runSql(
    db,
    `insert into status_page_card_services (id, card_id, service_id, position, description,
        is_hidden, shows_history)
      select $2::uuid, $3::uuid, id, $5::int, $6, $7::bool, $8::bool from services
        where account_id = $1 and id = $4
      on conflict (id) do update set card_id = $3, position = $5, description = $6,
        is_hidden = $7, shows_history = $8`,
    [accountId, place.id, place.cardId, place.serviceId, ...lookValues(place.look)],
  );
}

/** Moves services to another card, except services that the other card already shows. */
export async function moveServices(
  db: Database,
  accountId: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  await runSql(
    db,
    `update status_page_card_services set card_id = $3 where card_id = $2
      and card_id in ${ownCards} and service_id not in
        (select service_id from status_page_card_services where card_id = $3)`,
    [accountId, from, to],
  );
}

export async function deleteGroup(db: Database, accountId: string, id: string): Promise<void> {
  const text = `delete from status_page_cards where status_page_id in ${ownPages} and id = $2`;
  await runSql(db, text, [accountId, id]);
}

export async function deletePlace(db: Database, accountId: string, id: string): Promise<void> {
  const text = `delete from status_page_card_services where card_id in ${ownCards} and id = $2`;
  await runSql(db, text, [accountId, id]);
}

/** Marks a service as created by a component of the page. */
export async function claimService(
  db: Database,
  accountId: string,
  { pageId, serviceId }: { readonly pageId: string; readonly serviceId: string },
): Promise<void> {
  const text = "update services set status_page_id = $2 where account_id = $1 and id = $3";
  await runSql(db, text, [accountId, pageId, serviceId]);
}

/** Lists the services that components of this page created and that no other page shows. */
export async function listOwnServiceIds(
  db: Database,
  accountId: string,
  pageId: string,
): Promise<string[]> {
  const text = `select service.id from services service
    where service.account_id = $1 and service.status_page_id = $2
      and not exists (select 1 from status_page_card_services link
        join status_page_cards card on card.id = link.card_id
        where link.service_id = service.id and card.status_page_id <> $2)`;
  return (await runSql<{ id: string }>(db, text, [accountId, pageId])).map(({ id }) => id);
}

/** Lists the services of the account that components created. */
export async function listComponentServiceIds(db: Database, accountId: string): Promise<string[]> {
  const text = "select id from services where account_id = $1 and status_page_id is not null";
  return (await runSql<{ id: string }>(db, text, [accountId])).map(({ id }) => id);
}

/** Detaches services from the page that created them, so that they survive its deletion. */
export async function releaseServices(
  db: Database,
  accountId: string,
  pageId: string,
): Promise<void> {
  const text = `update services set status_page_id = null
    where account_id = $1 and status_page_id = $2`;
  await runSql(db, text, [accountId, pageId]);
}

/** Increments the version of a page after a change of its content. */
export async function touchPage(
  db: Database,
  accountId: string,
  page: { readonly id: string; readonly at: Date },
): Promise<void> {
  const text = `update status_pages set version = version + 1, updated_at = $3
    where account_id = $1 and id = $2`;
  await runSql(db, text, [accountId, page.id, page.at]);
}

/** Maps component ids to page ids. Unknown ids are not in the map. */
export async function mapPagesOfComponents(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const text = `select card.id, card.status_page_id as "pageId" from status_page_cards card
      join status_pages page on page.id = card.status_page_id
      where page.account_id = $1 and card.id = any($2::uuid[]) and not card.is_ungrouped
    union all
    select link.id, card.status_page_id from status_page_card_services link
      join status_page_cards card on card.id = link.card_id
      join status_pages page on page.id = card.status_page_id
      where page.account_id = $1 and link.id = any($2::uuid[])`;
  const rows = await runSql<{ id: string; pageId: string }>(db, text, [accountId, ids]);
  return new Map(rows.map(({ id, pageId }) => [id, pageId]));
}
