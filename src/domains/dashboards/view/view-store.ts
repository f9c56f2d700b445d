import { sql } from "kysely";
import type { Database } from "../../../platform/database.ts";

export interface OngoingIncident {
  readonly name: string;
  readonly severity: string;
  readonly status: string;
  readonly startedAt: Date;
  readonly services: readonly string[];
  /** Markdown, as it was typed. */
  readonly latest: string;
}

/** What has not been resolved, the latest beginning first. */
export async function listOngoingIncidents(
  db: Database,
  accountId: string,
  limit: number,
): Promise<OngoingIncident[]> {
  const { rows } = await sql<OngoingIncident>`
    select i.name, i.severity, i.status, i.started_at as "startedAt",
      array(select s.name from incident_services named join services s on s.id = named.service_id
        where named.incident_id = i.id order by named.position limit 10) as services,
      coalesce((select left(u.description, 500) from incident_updates u
        where u.incident_id = i.id order by u.public_at desc, u.id desc limit 1), '') as latest
    from incidents i where i.account_id = ${accountId} and i.resolved_at is null
    order by i.started_at desc, i.id desc limit ${limit}`.execute(db);
  return rows;
}
