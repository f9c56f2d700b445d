/** Who receives the recovery of the pages of a problem. */
import { type Database, runPrepared } from "../../../platform/database.ts";
import type { PagedAlert } from "./page.ts";

/** A recovery of a check. */
export type Recovery = Pick<PagedAlert, "checkId" | "alertId">;

export interface PageToRecover {
  /** Id of the recovery alert. */
  readonly alertId: string;
  readonly pageId: string;
  readonly isDigest: boolean;
}

/**
 * Lists, for each recovery, a channel's pages about the check, back to its previous recovery. The
 * channel `null` stands for pages that a person requested, and for pages of deleted channels.
 */
export async function listPagesToRecover(
  db: Database,
  recoveries: readonly Recovery[],
  alertChannelId: number | null,
): Promise<PageToRecover[]> {
  return runPrepared(db, {
    name: "list-pages-to-recover",
    text: `select ending.alert_id as "alertId", found.*
      from unnest($1::uuid[], $2::uuid[]) as ending (check_id, alert_id)
      cross join lateral (select distinct p.page_id as "pageId",
          p.digest_id is not null as "isDigest"
        from alerts a join deliveries p on p.alert_id = a.id
        where a.check_id = ending.check_id and a.id < ending.alert_id and a.kind <> 'NO_ALERT'
          and a.id > coalesce((select id from alerts where check_id = ending.check_id
              and id < ending.alert_id and kind in ('ALERT_RECOVERY', 'ALERT_DEGRADED_RECOVERY')
              order by id desc limit 1), '00000000-0000-0000-0000-000000000000')
          and p.alert_channel_id is not distinct from $3 and p.page_id is not null
          and p.method_id is null) as found`,
    values: [
      recoveries.map(({ checkId }) => checkId),
      recoveries.map(({ alertId }) => alertId),
      alertChannelId,
    ],
  });
}

export interface Recipient {
  readonly userId: string | null;
  readonly methodId: string;
  readonly alertChannelId: number | null;
  readonly channelType: string;
  readonly recipient: string;
  readonly isGrouped: boolean;
}

/**
 * SQL condition for messages that the recipient may have received: messages that were sent, and
 * attempts whose outcome is unknown. An outcome is unknown if no response arrived, or if the server
 * stopped or lost its database before it stored the outcome.
 */
const mayHaveArrived = `(m.status = 'SENT' or m.status <> 'DEAD' and (
  m.claimed_until is not null
  or m.attempts > (select count(*) from jsonb_array_elements(m.history) step
    where step ->> 'what' <> 'replayed')
  or m.history @> '[{"what": "failed", "statusCode": null}]'))`;

/** A recipient of a page, and the recovery alert that the recipient has not received. */
export interface Reached {
  readonly alertId: string;
  readonly to: Recipient;
  /** Whether a message to the recipient is being sent right now. */
  readonly isBusy: boolean;
}

/**
 * Lists everyone who received a message of the given pages, or may have received one, and did not
 * receive the recovery through another page.
 */
export async function listReached(
  db: Database,
  pages: readonly Pick<PageToRecover, "alertId" | "pageId">[],
  now: Date,
): Promise<Reached[]> {
  const rows = await runPrepared<Recipient & Omit<Reached, "to">>(db, {
    name: "list-reached",
    text: `select distinct on (page.alert_id, m.user_id, m.method_id, m.alert_channel_id)
        page.alert_id as "alertId", m.user_id as "userId", m.method_id as "methodId",
        m.alert_channel_id as "alertChannelId", m.channel_type as "channelType", m.recipient,
        m.storm_id is not null as "isGrouped",
        bool_or(m.status = 'PENDING' and m.claimed_until >= $3) over (partition by page.alert_id,
          m.user_id, m.method_id, m.alert_channel_id) as "isBusy"
      from unnest($1::uuid[], $2::uuid[]) as page (alert_id, id)
      join deliveries m on m.page_id = page.id and m.page_id is not null
        and m.method_id is not null and ${mayHaveArrived}
      where not exists (select 1 from deliveries other where other.alert_id = page.alert_id
          and other.method_id = m.method_id
          and other.user_id is not distinct from m.user_id
          and other.alert_channel_id is not distinct from m.alert_channel_id)
      order by page.alert_id, m.user_id, m.method_id, m.alert_channel_id, m.id`,
    values: [pages.map(({ alertId }) => alertId), pages.map(({ pageId }) => pageId), now],
  });
  return rows.map(({ alertId, isBusy, ...to }) => ({ alertId, to, isBusy }));
}
