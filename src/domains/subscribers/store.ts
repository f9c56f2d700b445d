import { sql } from "kysely";
import { type Database, lockName } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import { containing } from "../../platform/text/patterns.ts";
import type { ParsedAddress, Subscriber, SubscriberStatus, SubscriberType } from "./subscriber.ts";

type SubscriberRow = {
  id: string;
  account_id: string;
  status_page_id: string;
  type: SubscriberType;
  address: string;
  address_hash: Buffer;
  lane: string;
  service_ids: string[] | null;
  status: SubscriberStatus;
  secret: string | null;
  bounces: number;
  asked_at: Date;
  verified_at: Date | null;
  created_at: Date;
  updated_at: Date | null;
};

type Tables = { subscribers: SubscriberRow };
const tables = (db: Database) => db.withTables<Tables>();

/** An address encrypted with another key must not break the list. */
export function openAddress(
  { type, address }: Pick<SubscriberRow, "type" | "address">,
  encryption: Encryption,
): string {
  return type === "EMAIL" ? address : (encryption.tryDecrypt(address) ?? "unreadable");
}

function toSubscriber(row: SubscriberRow, encryption: Encryption): Subscriber {
  return {
    id: row.id,
    accountId: row.account_id,
    statusPageId: row.status_page_id,
    type: row.type,
    address: openAddress(row, encryption),
    lane: row.lane,
    serviceIds: row.service_ids,
    status: row.status,
    secret: row.secret === null ? null : encryption.tryDecrypt(row.secret),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export interface PageReference {
  readonly statusPageId: string;
}

export interface NewSubscriber extends PageReference {
  readonly id: string;
  readonly address: ParsedAddress;
  readonly serviceIds: readonly string[] | null;
  readonly status: SubscriberStatus;
  readonly secret: string | null;
  readonly at: Date;
}

/**
 * Adds a subscriber or finds the existing one in one statement, so that both take the same time. A
 * repeated sign-up does not change the services that a confirmed subscriber chose.
 */
export async function signUpSubscriber(
  db: Database,
  accountId: string,
  fresh: NewSubscriber & { readonly encryption: Encryption },
): Promise<{ readonly id: string; readonly status: SubscriberStatus }> {
  const { address, serviceIds, at } = fresh;
  const row = toRow(accountId, fresh, fresh.encryption);
  const { rows } = await sql<{ id: string; status: SubscriberStatus }>`
    insert into subscribers (id, account_id, status_page_id, type, address, address_hash, lane,
      service_ids, status, secret, asked_at, verified_at, created_at)
    values (${row.id}, ${accountId}, ${row.status_page_id}, ${row.type}, ${row.address},
      ${address.addressHash}, ${row.lane}, ${serviceIds}::uuid[], ${row.status}, ${row.secret},
      ${at}, ${row.verified_at}, ${at})
    on conflict (status_page_id, type, address_hash) do update set
      asked_at = excluded.asked_at,
      service_ids = case when subscribers.status = 'PENDING'
        then excluded.service_ids else subscribers.service_ids end
    returning id, status`.execute(db);
  const [found] = rows;
  if (found === undefined) throw new Error("a subscriber was neither inserted nor found");
  return found;
}

function toRow(accountId: string, fresh: NewSubscriber, encryption: Encryption) {
  const { address } = fresh;
  const isMail = address.type === "EMAIL";
  return {
    id: fresh.id,
    account_id: accountId,
    status_page_id: fresh.statusPageId,
    type: address.type,
    address: isMail ? address.address : encryption.encrypt(address.address),
    address_hash: address.addressHash,
    lane: address.lane,
    status: fresh.status,
    secret: fresh.secret === null ? null : encryption.encrypt(fresh.secret),
    asked_at: fresh.at,
    verified_at: fresh.status === "VERIFIED" ? fresh.at : null,
    created_at: fresh.at,
  };
}

/** Concurrent transactions wait before they count or add subscribers of the page. */
export async function lockSubscribers(
  db: Database,
  accountId: string,
  { statusPageId }: PageReference,
): Promise<void> {
  await lockName(db, `subscribers ${accountId} ${statusPageId}`);
}

export interface SubscriberFilter extends PageReference {
  /** Part of an email address; other addresses are encrypted and not searched. */
  readonly search?: string | undefined;
  readonly status?: SubscriberStatus | undefined;
}

function selectFiltered(db: Database, accountId: string, filter: SubscriberFilter) {
  let select = tables(db)
    .selectFrom("subscribers")
    .where("account_id", "=", accountId)
    .where("status_page_id", "=", filter.statusPageId);
  if (filter.status !== undefined) select = select.where("status", "=", filter.status);
  if (filter.search !== undefined) {
    const pattern = containing(filter.search);
    select = select.where("type", "=", "EMAIL").where("address", "ilike", pattern);
  }
  return select;
}

export async function countSubscribers(
  db: Database,
  accountId: string,
  { beforeId, ...filter }: SubscriberFilter & { readonly beforeId?: string | undefined },
): Promise<number> {
  let select = selectFiltered(db, accountId, filter).select(({ fn }) =>
    fn.countAll<number>().as("count"),
  );
  if (beforeId !== undefined) select = select.where("id", "<", beforeId);
  return (await select.executeTakeFirstOrThrow()).count;
}

export async function countByStatus(
  db: Database,
  accountId: string,
  page: PageReference,
): Promise<ReadonlyMap<SubscriberStatus, number>> {
  const rows = await selectFiltered(db, accountId, { statusPageId: page.statusPageId })
    .select(["status", ({ fn }) => fn.countAll<number>().as("count")])
    .groupBy("status")
    .execute();
  return new Map(rows.map(({ status, count }) => [status, count]));
}

/** Inserts email addresses that are new to the page, in one statement; returns their ids. */
export async function insertMailboxes(
  db: Database,
  accountId: string,
  list: PageReference & {
    readonly addresses: readonly (ParsedAddress & { readonly id: string })[];
    readonly status: SubscriberStatus;
    readonly at: Date;
  },
): Promise<string[]> {
  const { addresses, status, at } = list;
  const { rows } = await sql<{ id: string }>`
    insert into subscribers (id, account_id, status_page_id, type, address, address_hash, lane,
      status, asked_at, verified_at, created_at)
    select fresh.id, ${accountId}, ${list.statusPageId}, 'EMAIL', fresh.address, fresh.hash, 'mail',
      ${status}, ${at}, ${status === "VERIFIED" ? at : null}, ${at}
    from unnest(${addresses.map(({ id }) => id)}::uuid[],
      ${addresses.map(({ address }) => address)}::text[],
      ${addresses.map(({ addressHash }) => addressHash)}::bytea[]) as fresh (id, address, hash)
    on conflict do nothing returning id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Number of confirmed subscribers by page. */
export async function mapSubscriberCounts(
  db: Database,
  accountId: string,
): Promise<ReadonlyMap<string, number>> {
  const rows = await tables(db)
    .selectFrom("subscribers")
    .select(({ fn }) => ["status_page_id", fn.countAll<number>().as("count")])
    .where("account_id", "=", accountId)
    .where("status", "=", "VERIFIED")
    .groupBy("status_page_id")
    .execute();
  return new Map(rows.map(({ status_page_id, count }) => [status_page_id, count]));
}

/** Returns the hashes, in hexadecimal, of the addresses that are already subscribed. */
export async function listKnownAddresses(
  db: Database,
  accountId: string,
  query: PageReference & { readonly addressHashes: readonly Buffer[] },
): Promise<Set<string>> {
  const rows = await tables(db)
    .selectFrom("subscribers")
    .select("address_hash")
    .where("account_id", "=", accountId)
    .where("status_page_id", "=", query.statusPageId)
    .where("address_hash", "in", [...query.addressHashes])
    .execute();
  return new Set(rows.map(({ address_hash }) => address_hash.toString("hex")));
}

export interface SubscriberReference extends PageReference {
  readonly id: string;
}

export async function findSubscriber(
  db: Database,
  accountId: string,
  query: SubscriberReference & { readonly encryption: Encryption },
): Promise<Subscriber | null> {
  const row = await tables(db)
    .selectFrom("subscribers")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("status_page_id", "=", query.statusPageId)
    .where("id", "=", query.id)
    .executeTakeFirst();
  return row === undefined ? null : toSubscriber(row, query.encryption);
}

export interface SubscribersQuery extends SubscriberFilter {
  readonly limit: number;
  readonly nextId?: string | undefined;
  readonly encryption: Encryption;
}

export async function listSubscribers(
  db: Database,
  accountId: string,
  query: SubscribersQuery,
): Promise<Subscriber[]> {
  let select = selectFiltered(db, accountId, query).selectAll().orderBy("id").limit(query.limit);
  if (query.nextId !== undefined) select = select.where("id", ">=", query.nextId);
  const rows = await select.execute();
  return rows.map((row) => toSubscriber(row, query.encryption));
}

/** Returns false if it was already confirmed. */
export async function confirmSubscriber(
  db: Database,
  accountId: string,
  change: SubscriberReference & { readonly at: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await tables(db)
    .updateTable("subscribers")
    .set({ status: "VERIFIED", bounces: 0, verified_at: change.at, updated_at: change.at })
    .where("account_id", "=", accountId)
    .where("status_page_id", "=", change.statusPageId)
    .where("id", "=", change.id)
    .where("status", "<>", "VERIFIED")
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Restarts the time to confirm. */
export async function restartConfirmation(
  db: Database,
  accountId: string,
  change: SubscriberReference & { readonly at: Date },
): Promise<void> {
  await tables(db)
    .updateTable("subscribers")
    .set({ asked_at: change.at })
    .where("account_id", "=", accountId)
    .where("id", "=", change.id)
    .execute();
}

export async function changeServices(
  db: Database,
  accountId: string,
  change: SubscriberReference & {
    readonly serviceIds: readonly string[] | null;
    readonly at: Date;
  },
): Promise<void> {
  await sql`update subscribers set service_ids = ${change.serviceIds}::uuid[],
      updated_at = ${change.at}
    where account_id = ${accountId} and status_page_id = ${change.statusPageId}
      and id = ${change.id}`.execute(db);
}

/** Also deletes its pending deliveries. */
export async function deleteSubscriber(
  db: Database,
  accountId: string,
  { statusPageId, id }: SubscriberReference,
): Promise<boolean> {
  const { numDeletedRows } = await tables(db)
    .deleteFrom("subscribers")
    .where("account_id", "=", accountId)
    .where("status_page_id", "=", statusPageId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Deletes sign-ups of all accounts that were not confirmed in time. */
export async function deleteUnconfirmedBefore(db: Database, moment: Date): Promise<void> {
  await tables(db)
    .deleteFrom("subscribers")
    .where("status", "=", "PENDING")
    .where("asked_at", "<", moment)
    .execute();
}
