import { randomUUIDv7 } from "node:crypto";
import { type Database, inTransaction, runPrepared, runSql } from "../../platform/database.ts";
import type {
  ClaimedDelivery,
  DeliveryClaim,
  DeliveryEnd,
  SendOutcome,
} from "../../platform/deliverer.ts";
import type { Encryption } from "../../platform/encryption.ts";
import type { StatusPage } from "../status-pages/index.ts";
import type { StoredMessage } from "./announcement-store.ts";
import { openAddress } from "./store.ts";
import {
  type AddressResult,
  decideBounces,
  type SubscriberStatus,
  type SubscriberType,
} from "./subscriber.ts";

/** Purpose of a message: an announcement, a confirmation request, or a reminder. */
export type DeliveryPurpose = "announce" | "confirm" | "remind";

export interface SubscriberDelivery extends ClaimedDelivery {
  readonly lane: string;
  readonly accountId: string;
  readonly statusPageId: string;
  readonly subscriberId: string;
  readonly purpose: DeliveryPurpose;
  /** Announcement; `null` if the message is about the subscription. */
  readonly message: StoredMessage | null;
  readonly announcedAt: Date | null;
  readonly subscriber: {
    readonly type: SubscriberType;
    /** Email address, or the encrypted URL of another receiver. */
    readonly address: string;
    readonly status: SubscriberStatus;
    /** Encrypted secret that signs messages to a URL; `null` if there is none. */
    readonly secret: string | null;
    readonly bounces: number;
  };
  readonly page: Pick<StatusPage, "name" | "url" | "servedDomain">;
  /** Ids of the services that the page shows; the message must not name other services. */
  readonly shownServiceIds: readonly string[];
}

/**
 * Inserts messages about subscriptions, such as confirmation requests. Must run in the transaction
 * that stores the new subscription or the request for another message.
 */
export async function insertSubscriptionMessages(
  db: Database,
  accountId: string,
  message: {
    readonly statusPageId: string;
    readonly subscriberIds: readonly string[];
    readonly purpose: DeliveryPurpose;
    readonly at: Date;
  },
): Promise<void> {
  const ids = message.subscriberIds.map(() => randomUUIDv7());
  await runSql(
    db,
    `insert into subscriber_deliveries (id, account_id, status_page_id, subscriber_id,
        purpose, lane, status, next_attempt_at, decided_at)
      select fresh.id, $1, $2, s.id, $3, s.lane, 'PENDING', $4, $4
      from unnest($5::uuid[], $6::uuid[]) as fresh (id, subscriber_id)
      join subscribers as s on s.id = fresh.subscriber_id and s.account_id = $1`,
    [accountId, message.statusPageId, message.purpose, message.at, ids, message.subscriberIds],
  );
}

/** Lists lanes (receivers) with pending deliveries, without reading every row. */
export async function listWaitingLanes(db: Database, limit: number): Promise<string[]> {
  const rows = await runPrepared<{ lane: string }>(db, {
    name: "list-waiting-lanes",
    text: `with recursive lanes as (
        (select lane from subscriber_deliveries where status = 'PENDING' order by lane limit 1)
        union all
        select (select next.lane from subscriber_deliveries as next
          where next.status = 'PENDING' and next.lane > lanes.lane order by next.lane limit 1)
        from lanes where lanes.lane is not null)
      select lane from lanes where lane is not null limit $1`,
    values: [limit],
  });
  return rows.map(({ lane }) => lane);
}

interface LaneCapacity {
  readonly lane: string;
  /** Maximum number of deliveries that may be claimed for this receiver now. */
  readonly capacity: number;
}

/**
 * Claims due deliveries. A delivery waits for earlier deliveries to the same subscriber, so that
 * messages arrive in order. The earliest delivery is found by a subquery for each row, not by a
 * join. PostgreSQL may plan this prepared statement while the queue is empty and keep the plan.
 * With a join, such a plan would later scan the whole queue for every delivery.
 */
export async function claimSubscriberDeliveries(
  db: Database,
  claim: DeliveryClaim,
  lanes: readonly LaneCapacity[],
): Promise<SubscriberDelivery[]> {
  return runPrepared<SubscriberDelivery>(db, {
    name: "claim-subscriber-deliveries",
    text: `with claimed as (
      update subscriber_deliveries set claimed_until = $2, attempts = attempts + 1
      where id in (
        select due.id from unnest($4::text[], $5::int[]) as open (lane, capacity)
        cross join lateral (select one.id from subscriber_deliveries as one
          where one.status = 'PENDING' and one.lane = open.lane and one.next_attempt_at <= $1
            and (one.claimed_until is null or one.claimed_until < $1)
            and one.number = (select first.number from subscriber_deliveries as first
              where first.status = 'PENDING' and first.subscriber_id = one.subscriber_id
              order by first.number limit 1)
          order by one.next_attempt_at limit open.capacity) as due
        limit $3)
      and status = 'PENDING' and (claimed_until is null or claimed_until < $1)
      returning *)
      select claimed.id, claimed.lane, claimed.attempts, claimed.account_id as "accountId",
        claimed.status_page_id as "statusPageId", claimed.subscriber_id as "subscriberId",
        claimed.purpose, a.message, a.created_at as "announcedAt",
        jsonb_build_object('type', s.type, 'address', s.address, 'status', s.status,
          'secret', s.secret, 'bounces', s.bounces) as subscriber,
        p.page, array(select shown.service_id::text from shown_services as shown
          where shown.page_id = p.id) as "shownServiceIds"
      from claimed join subscribers as s on s.id = claimed.subscriber_id
      join addressed_pages as p on p.id = claimed.status_page_id
      left join announcements as a on a.id = claimed.announcement_id`,
    values: [
      claim.now,
      claim.until,
      claim.limit,
      lanes.map(({ lane }) => lane),
      lanes.map(({ capacity }) => capacity),
    ],
  });
}

/** Result of an attempt, both for the message and for the subscriber. */
export type SubscriberOutcome = SendOutcome & {
  readonly addressResult?: AddressResult | null;
  /** Whether the receiver answered the challenge, which confirms the subscription. */
  readonly isVerified?: boolean;
};

/** Stores the result of an attempt for the delivery and for the subscriber in one transaction. */
export async function finishSubscriberDelivery(
  db: Database,
  delivery: Pick<SubscriberDelivery, "id" | "subscriberId" | "subscriber">,
  end: DeliveryEnd,
  { addressResult = null, isVerified = false, at }: SubscriberOutcome & { readonly at: Date },
): Promise<void> {
  const { id, subscriberId, subscriber } = delivery;
  const hasResult =
    addressResult !== null && !(addressResult === "reached" && subscriber.bounces === 0);
  if (!hasResult && !isVerified) return endDelivery(db, id, end);
  await inTransaction(db, async (tx) => {
    await endDelivery(tx, id, end);
    if (isVerified) {
      await runSql(
        tx,
        `update subscribers set status = 'VERIFIED', bounces = 0, verified_at = $1,
          updated_at = $1 where id = $2 and status <> 'VERIFIED'`,
        [at, subscriberId],
      );
    }
    if (hasResult) await recordAddressResult(tx, { subscriberId, addressResult, at });
  });
}

async function endDelivery(db: Database, id: string, end: DeliveryEnd): Promise<void> {
  await runSql(
    db,
    `update subscriber_deliveries set status = $1, next_attempt_at = $2, sent_at = $3,
        status_code = $4, reason = $5, claimed_until = null
      where id = $6`,
    [end.status, end.nextAttemptAt, end.sentAt, end.statusCode, end.reason, id],
  );
}

/** Updates the failure count. Only confirmed addresses are quarantined; others expire. */
async function recordAddressResult(
  tx: Database,
  note: { readonly subscriberId: string; readonly addressResult: AddressResult; readonly at: Date },
): Promise<void> {
  const [before] = await runSql<{ bounces: number }>(
    tx,
    "select bounces from subscribers where id = $1 and status = 'VERIFIED' for update",
    [note.subscriberId],
  );
  if (before === undefined) return;
  const { bounces, isQuarantined } = decideBounces(before.bounces, note.addressResult);
  await runSql(
    tx,
    "update subscribers set bounces = $1, status = $2, updated_at = $3 where id = $4",
    [bounces, isQuarantined ? "QUARANTINED" : "VERIFIED", note.at, note.subscriberId],
  );
}

/** Deletes old finished deliveries of all accounts. */
export async function deleteSubscriberDeliveriesBefore(db: Database, moment: Date): Promise<void> {
  await runSql(
    db,
    "delete from subscriber_deliveries where decided_at < $1 and status <> 'PENDING'",
    [moment],
  );
}

/** A delivery as shown to the owner of the status page. */
export interface DeliveryReceipt {
  readonly id: string;
  readonly subscriberId: string;
  readonly type: SubscriberType;
  readonly address: string;
  readonly purpose: DeliveryPurpose;
  readonly title: string | null;
  readonly incidentId: string | null;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly statusCode: number | null;
  readonly reason: string | null;
  readonly decidedAt: Date;
  readonly sentAt: Date | null;
  readonly nextAttemptAt: Date | null;
}

export const deliveryStatuses = ["PENDING", "SENT", "DEAD"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Lists deliveries, newest first. */
export async function listSubscriberDeliveries(
  db: Database,
  accountId: string,
  query: {
    readonly statusPageId: string;
    readonly limit: number;
    readonly nextId?: string | undefined;
    readonly subscriptionId?: string | undefined;
    readonly status?: DeliveryStatus | undefined;
    readonly encryption: Encryption;
  },
): Promise<DeliveryReceipt[]> {
  const { nextId = null, subscriptionId = null, status = null } = query;
  const rows = await runSql<DeliveryReceipt>(
    db,
    `select d.id, d.subscriber_id as "subscriberId", s.type, s.address, d.purpose,
        a.message ->> 'title' as title, a.message ->> 'incidentId' as "incidentId", d.status,
        d.attempts, d.status_code as "statusCode", d.reason, d.decided_at as "decidedAt",
        d.sent_at as "sentAt",
        case when d.status = 'PENDING' then d.next_attempt_at end as "nextAttemptAt"
      from subscriber_deliveries as d join subscribers as s on s.id = d.subscriber_id
      left join announcements as a on a.id = d.announcement_id
      where d.account_id = $1 and d.status_page_id = $2 and ($3::uuid is null or d.id <= $3::uuid)
        and ($4::uuid is null or d.subscriber_id = $4::uuid)
        and ($5::text is null or d.status = $5) order by d.id desc limit $6`,
    [accountId, query.statusPageId, nextId, subscriptionId, status, query.limit],
  );
  return rows.map((row) => ({ ...row, address: openAddress(row, query.encryption) }));
}

/**
 * Restarts an abandoned delivery and returns "revived". If the delivery has a different status,
 * changes nothing and returns this status. Returns `null` if the delivery does not exist.
 */
export async function reviveDelivery(
  db: Database,
  accountId: string,
  delivery: { readonly statusPageId: string; readonly id: string; readonly at: Date },
): Promise<"revived" | DeliveryStatus | null> {
  const [found] = await runSql<{ status: DeliveryStatus }>(
    db,
    `select status from subscriber_deliveries
      where account_id = $1 and status_page_id = $2 and id = $3 for update`,
    [accountId, delivery.statusPageId, delivery.id],
  );
  if (found === undefined) return null;
  if (found.status !== "DEAD") return found.status;
  await runSql(
    db,
    `update subscriber_deliveries set status = 'PENDING', attempts = 0,
        next_attempt_at = $1, claimed_until = null
      where account_id = $2 and id = $3`,
    [delivery.at, accountId, delivery.id],
  );
  return "revived";
}
