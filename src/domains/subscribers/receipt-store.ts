import { type Database, runSql } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import type { DeliveryPurpose } from "./delivery-store.ts";
import { openAddress } from "./store.ts";
import type { SubscriberType } from "./subscriber.ts";

/** A delivery as shown to the owner of the page. */
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

/** Newest first. */
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
 * Restarts an abandoned delivery. For any other it returns the status; `null` if it does not exist.
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
