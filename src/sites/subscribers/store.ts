import { type Database, lockName, runSql } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import { containing } from "../../platform/text/patterns.ts";
import type { ParsedAddress, Subscriber, SubscriberStatus } from "./subscriber.ts";

/**
 * Lists the encrypted addresses and secrets of the newest subscribers of all accounts. The server
 * decrypts this sample to check whether its encryption key is correct.
 */
export async function listSealedInSubscribers(
  db: Database,
  maxSubscribers: number,
): Promise<string[]> {
  const rows = await runSql<{ sealed: string }>(
    db,
    `(select address as sealed from subscribers where type <> 'EMAIL' order by id desc limit $1)
      union all
      (select secret from subscribers where secret is not null order by id desc limit $1)`,
    [maxSubscribers],
  );
  return rows.map(({ sealed }) => sealed);
}

/** Columns of a subscriber. Secrets and all addresses except email are encrypted. */
const columns = `id, account_id as "accountId", status_page_id as "statusPageId", type, address, lane,
  service_ids as "serviceIds", status, secret, created_at as "createdAt",
  updated_at as "updatedAt"`;

/**
 * Returns an address as plain text. If another key encrypted the address, returns "unreadable",
 * because an exception would make the whole list of subscribers fail.
 */
export function openAddress(
  { type, address }: Pick<Subscriber, "type" | "address">,
  encryption: Encryption,
): string {
  return type === "EMAIL" ? address : (encryption.tryDecrypt(address) ?? "unreadable");
}

function decrypt(row: Subscriber, encryption: Encryption): Subscriber {
  return {
    ...row,
    address: openAddress(row, encryption),
    secret: row.secret === null ? null : encryption.tryDecrypt(row.secret),
  };
}

interface PageReference {
  readonly statusPageId: string;
}

interface NewSubscriber extends PageReference {
  readonly id: string;
  readonly address: ParsedAddress;
  readonly serviceIds: readonly string[] | null;
  readonly status: SubscriberStatus;
  readonly secret: string | null;
  readonly at: Date;
}

/**
 * Inserts a subscriber or finds the existing one in a single statement, so that both cases take
 * equal time. A repeated sign-up does not change the services of a confirmed subscriber.
 */
export async function signUpSubscriber(
  db: Database,
  accountId: string,
  fresh: NewSubscriber & { readonly encryption: Encryption },
): Promise<{ readonly id: string; readonly status: SubscriberStatus }> {
  const { address, encryption, secret, status, at } = fresh;
  const [found] = await runSql<{ id: string; status: SubscriberStatus }>(
    db,
    `insert into subscribers (id, account_id, status_page_id, type, address, address_hash, lane,
        service_ids, status, secret, asked_at, verified_at, created_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $11)
      on conflict (status_page_id, type, address_hash) do update set
        asked_at = excluded.asked_at,
        service_ids = case when subscribers.status = 'PENDING'
          then excluded.service_ids else subscribers.service_ids end
      returning id, status`,
    [
      fresh.id,
      accountId,
      fresh.statusPageId,
      address.type,
      address.type === "EMAIL" ? address.address : encryption.encrypt(address.address),
      address.addressHash,
      address.lane,
      fresh.serviceIds,
      status,
      secret === null ? null : encryption.encrypt(secret),
      at,
      status === "VERIFIED" ? at : null,
    ],
  );
  if (found === undefined) throw new Error("a subscriber was neither inserted nor found");
  return found;
}

/** Locks the subscribers of a page, so that concurrent inserts do not exceed the maximum. */
export async function lockSubscribers(
  db: Database,
  accountId: string,
  { statusPageId }: PageReference,
): Promise<void> {
  await lockName(db, `subscribers ${accountId} ${statusPageId}`);
}

interface SubscriberFilter extends PageReference {
  /**
   * Part of an email address, for a search by address. Subscribers without an email address are
   * never found, because their addresses are encrypted.
   */
  readonly search?: string | undefined;
  readonly status?: SubscriberStatus | undefined;
}

const isSelected = `account_id = $1 and status_page_id = $2
  and ($3::text is null or status = $3)
  and ($4::text is null or (type = 'EMAIL' and address ilike $4))`;

const filterValues = (accountId: string, { statusPageId, status, search }: SubscriberFilter) => [
  accountId,
  statusPageId,
  status,
  search === undefined ? null : containing(search),
];

export async function countSubscribers(
  db: Database,
  accountId: string,
  { beforeId, ...filter }: SubscriberFilter & { readonly beforeId?: string | undefined },
): Promise<number> {
  const [row] = await runSql<{ count: number }>(
    db,
    `select count(*) as count from subscribers
      where ${isSelected} and ($5::uuid is null or id < $5)`,
    [...filterValues(accountId, filter), beforeId],
  );
  return row?.count ?? 0;
}

export async function countByStatus(
  db: Database,
  accountId: string,
  page: PageReference,
): Promise<ReadonlyMap<SubscriberStatus, number>> {
  const rows = await runSql<{ status: SubscriberStatus; count: number }>(
    db,
    `select status, count(*) as count from subscribers
      where account_id = $1 and status_page_id = $2 group by status`,
    [accountId, page.statusPageId],
  );
  return new Map(rows.map(({ status, count }) => [status, count]));
}

/** Inserts email addresses that are new to the page, and returns the new ids. */
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
  const rows = await runSql<{ id: string }>(
    db,
    `insert into subscribers (id, account_id, status_page_id, type, address, address_hash, lane,
        status, asked_at, verified_at, created_at)
      select fresh.id, $1, $2, 'EMAIL', fresh.address, fresh.hash, 'mail', $3, $4, $5, $4
      from unnest($6::uuid[], $7::text[], $8::bytea[]) as fresh (id, address, hash)
      on conflict do nothing returning id`,
    [
      accountId,
      list.statusPageId,
      status,
      at,
      status === "VERIFIED" ? at : null,
      addresses.map(({ id }) => id),
      addresses.map(({ address }) => address),
      addresses.map(({ addressHash }) => addressHash),
    ],
  );
  return rows.map(({ id }) => id);
}

/** Maps page ids to the number of confirmed subscribers. */
export async function mapSubscriberCounts(
  db: Database,
  accountId: string,
): Promise<ReadonlyMap<string, number>> {
  const rows = await runSql<{ statusPageId: string; count: number }>(
    db,
    `select status_page_id as "statusPageId", count(*) as count from subscribers
      where account_id = $1 and status = 'VERIFIED' group by status_page_id`,
    [accountId],
  );
  return new Map(rows.map(({ statusPageId, count }) => [statusPageId, count]));
}

/** Returns the hexadecimal hashes of the given addresses that are already subscribed. */
export async function listKnownAddresses(
  db: Database,
  accountId: string,
  query: PageReference & { readonly addressHashes: readonly Buffer[] },
): Promise<Set<string>> {
  const rows = await runSql<{ hash: string }>(
    db,
    `select encode(address_hash, 'hex') as hash from subscribers
      where account_id = $1 and status_page_id = $2 and address_hash = any($3::bytea[])`,
    [accountId, query.statusPageId, query.addressHashes],
  );
  return new Set(rows.map(({ hash }) => hash));
}

interface SubscriberReference extends PageReference {
  readonly id: string;
}

export async function findSubscriber(
  db: Database,
  accountId: string,
  query: SubscriberReference & { readonly encryption: Encryption },
): Promise<Subscriber | null> {
  const [row] = await runSql<Subscriber>(
    db,
    `select ${columns} from subscribers
      where account_id = $1 and status_page_id = $2 and id = $3`,
    [accountId, query.statusPageId, query.id],
  );
  return row === undefined ? null : decrypt(row, query.encryption);
}

interface SubscribersQuery extends SubscriberFilter {
  readonly limit: number;
  readonly nextId?: string | undefined;
  readonly encryption: Encryption;
}

export async function listSubscribers(
  db: Database,
  accountId: string,
  query: SubscribersQuery,
): Promise<Subscriber[]> {
  const rows = await runSql<Subscriber>(
    db,
    `select ${columns} from subscribers
      where ${isSelected} and ($5::uuid is null or id >= $5) order by id limit $6`,
    [...filterValues(accountId, query), query.nextId, query.limit],
  );
  return rows.map((row) => decrypt(row, query.encryption));
}

/** Confirms a subscription; returns false if it does not exist or is already confirmed. */
export async function confirmSubscriber(
  db: Database,
  accountId: string,
  change: SubscriberReference & { readonly at: Date },
): Promise<boolean> {
  const rows = await runSql(
    db,
    `update subscribers set status = 'VERIFIED', bounces = 0, verified_at = $4, updated_at = $4
      where account_id = $1 and status_page_id = $2 and id = $3 and status <> 'VERIFIED'
      returning 1`,
    [accountId, change.statusPageId, change.id, change.at],
  );
  return rows.length > 0;
}

/** Restarts the period in which the subscriber can confirm. */
export async function restartConfirmation(
  db: Database,
  accountId: string,
  change: SubscriberReference & { readonly at: Date },
): Promise<void> {
  const text = "update subscribers set asked_at = $3 where account_id = $1 and id = $2";
  await runSql(db, text, [accountId, change.id, change.at]);
}

export async function changeServices(
  db: Database,
  accountId: string,
  change: SubscriberReference & {
    readonly serviceIds: readonly string[] | null;
    readonly at: Date;
  },
): Promise<void> {
  await runSql(
    db,
    `update subscribers set service_ids = $1::uuid[], updated_at = $2
      where account_id = $3 and status_page_id = $4 and id = $5`,
    [change.serviceIds, change.at, accountId, change.statusPageId, change.id],
  );
}

/** Deletes a subscriber with all deliveries; returns false if there is no such subscriber. */
export async function deleteSubscriber(
  db: Database,
  accountId: string,
  { statusPageId, id }: SubscriberReference,
): Promise<boolean> {
  const rows = await runSql(
    db,
    "delete from subscribers where account_id = $1 and status_page_id = $2 and id = $3 returning 1",
    [accountId, statusPageId, id],
  );
  return rows.length > 0;
}

/** Deletes sign-ups of all accounts that were not confirmed in time. */
export async function deleteUnconfirmedBefore(db: Database, moment: Date): Promise<void> {
  await runSql(db, "delete from subscribers where status = 'PENDING' and asked_at < $1", [moment]);
}
