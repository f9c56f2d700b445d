/** Who receives the recovery of the pages of a problem. */
import { type Database, runPrepared } from "../../../platform/database.ts";
import type { PagedAlert } from "./page.ts";

/**
 * Lists a channel's pages about a check, back to the previous recovery of the check. The channel
 * `null` stands for pages that a person requested, and for pages of deleted channels.
 */
export async function listPagesToRecover(
  db: Database,
  { checkId, alertId }: Pick<PagedAlert, "checkId" | "alertId">,
  alertChannelId: number | null,
): Promise<{ readonly pageId: string; readonly isDigest: boolean }[]> {
  return runPrepared(db, {
    name: "list-pages-to-recover",
    text: `select distinct p.page_id as "pageId", p.digest_id is not null as "isDigest"
      from alerts a join deliveries p on p.alert_id = a.id
      where a.check_id = $1 and a.id < $2 and a.kind <> 'NO_ALERT' and a.id > coalesce(
          (select id from alerts where check_id = $1 and id < $2
            and kind in ('ALERT_RECOVERY', 'ALERT_DEGRADED_RECOVERY') order by id desc limit 1),
          '00000000-0000-0000-0000-000000000000')
        and p.alert_channel_id is not distinct from $3 and p.page_id is not null
        and p.method_id is null`,
    values: [checkId, alertId, alertChannelId],
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
const mayHaveArrived = `(status = 'SENT' or status <> 'DEAD' and (
  attempts > (select count(*) from jsonb_array_elements(history) step
    where step ->> 'what' <> 'replayed')
  or history @> '[{"what": "failed", "statusCode": null}]'))`;

/**
 * Lists everyone who received a message of the given pages, or may have received one, and did not
 * receive the recovery through another page. `isBusy` is true if one of these messages is being
 * sent right now.
 */
export async function listReached(
  db: Database,
  pageIds: readonly string[],
  { alertId, now }: { readonly alertId: string; readonly now: Date },
): Promise<{ readonly recipients: readonly Recipient[]; readonly isBusy: boolean }> {
  const rows = await runPrepared<Recipient & { readonly isBusy: boolean }>(db, {
    name: "list-reached",
    text: `select distinct on (user_id, method_id, alert_channel_id) user_id as "userId",
        method_id as "methodId", alert_channel_id as "alertChannelId",
        channel_type as "channelType", recipient, storm_id is not null as "isGrouped", bool_or(status = 'PENDING'
          and claimed_until >= $2) over (partition by user_id, method_id, alert_channel_id)
          as "isBusy"
      from deliveries where page_id = any($1::uuid[]) and page_id is not null
        and method_id is not null and ${mayHaveArrived}
        and not exists (select 1 from deliveries other where other.alert_id = $3
          and other.method_id = deliveries.method_id
          and other.user_id is not distinct from deliveries.user_id
          and other.alert_channel_id is not distinct from deliveries.alert_channel_id)
      order by user_id, method_id, alert_channel_id, id`,
    values: [pageIds, now, alertId],
  });
  const recipients = rows.map(({ isBusy: _isBusy, ...recipient }) => recipient);
  return { recipients, isBusy: rows.some(({ isBusy }) => isBusy) };
}
