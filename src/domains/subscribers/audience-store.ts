import { type Database, runPrepared } from "../../platform/database.ts";
import { shownServicesQuery } from "../status-pages/index.ts";
import type { SubscriberType } from "./subscriber.ts";

/** Number of subscribers of a page that an announcement would reach, by channel. */
export type Audience = Readonly<Record<SubscriberType, number>>;

/** Selects the subscribers that an announcement of these services would reach now. */
const audienceText = `select s.status_page_id as "pageId",
    count(*) filter (where s.type = 'EMAIL')::int as "EMAIL",
    count(*) filter (where s.type = 'WEBHOOK')::int as "WEBHOOK",
    count(*) filter (where s.type = 'SLACK')::int as "SLACK"
  from subscribers as s
  where s.account_id = $1 and s.status = 'VERIFIED'
    and exists (select 1 from (${shownServicesQuery}) as shown
      where shown.page_id = s.status_page_id and shown.service_id = any($2::uuid[])
        and (s.service_ids is null or shown.service_id = any(s.service_ids)))
  group by s.status_page_id`;

/** By page; pages without subscribers are not in the map. */
export async function mapAudiences(
  db: Database,
  accountId: string,
  serviceIds: readonly string[],
): Promise<Map<string, Audience>> {
  const rows = await runPrepared<Audience & { readonly pageId: string }>(db, {
    name: "map-audiences",
    text: audienceText,
    values: [accountId, [...serviceIds]],
  });
  return new Map(rows.map(({ pageId, ...audience }) => [pageId, audience]));
}
