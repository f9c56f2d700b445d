import { sql } from "kysely";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import type { DeliveryPurpose } from "./delivery-store.ts";
import { openAddress } from "./store.ts";
import type { SubscriberType } from "./subscriber.ts";

/** A delivery as its owner sees it. */
export interface DeliveryReceipt {
  readonly id: string;
  readonly subscriberId: string;
  readonly type: SubscriberType;
  readonly address: string;
  readonly purpose: DeliveryPurpose;
  readonly title: string | null;
  readonly incidentId: string | null;
  readonly status: "PENDING" | "SENT" | "DEAD";
  readonly attempts: number;
  readonly statusCode: number | null;
  readonly reason: string | null;
  readonly decidedAt: Date;
  readonly sentAt: Date | null;
  readonly nextAttemptAt: Date | null;
}

/** Newest first. */
export async function listSubscriberDeliveries(
  db: Database,
  accountId: string,
  query: {
    readonly statusPageId: string;
    readonly limit: number;
    readonly nextId?: string | undefined;
    readonly encryption: Encryption;
  },
): Promise<DeliveryReceipt[]> {
  const { rows } = await sql<DeliveryReceipt>`
    select d.id, d.subscriber_id as "subscriberId", s.type, s.address, d.purpose,
      a.message ->> 'title' as title, a.message ->> 'incidentId' as "incidentId", d.status,
      d.attempts, d.status_code as "statusCode", d.reason, d.decided_at as "decidedAt",
      d.sent_at as "sentAt",
      case when d.status = 'PENDING' then d.next_attempt_at end as "nextAttemptAt"
    from subscriber_deliveries as d join subscribers as s on s.id = d.subscriber_id
    left join announcements as a on a.id = d.announcement_id
    where d.account_id = ${accountId} and d.status_page_id = ${query.statusPageId}
      and (${query.nextId ?? null}::uuid is null or d.id <= ${query.nextId ?? null}::uuid)
    order by d.id desc limit ${query.limit}`.execute(db);
  return rows.map((row) => ({ ...row, address: openAddress(row, query.encryption) }));
}
