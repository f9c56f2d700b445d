import { sql } from "kysely";
import type { Database } from "../../platform/database.ts";
import { listServicesThatFollow } from "../status-pages/index.ts";
import type { Severity } from "./incident.ts";
import { overlaps } from "./public-store.ts";

export interface CheckIncident {
  readonly id: string;
  readonly name: string;
  readonly severity: Severity;
  readonly startedAt: Date;
  readonly resolvedAt: Date | null;
}

/** Lists incidents that the check opened and those of services that follow it, latest first. */
export async function listIncidentsOfCheck(
  db: Database,
  accountId: string,
  query: {
    readonly checkId: string;
    readonly tags: readonly string[];
    readonly from: Date;
    readonly to: Date;
    readonly limit: number;
  },
): Promise<CheckIncident[]> {
  const serviceIds = await listServicesThatFollow(db, accountId, query);
  const { rows } = await sql<CheckIncident>`select id, name, severity, started_at as "startedAt",
      resolved_at as "resolvedAt" from incidents
    where account_id = ${accountId} and ${overlaps(query.from, query.to)}
      and (check_id = ${query.checkId} or exists (select 1 from incident_services
        where incident_id = incidents.id and service_id = any(${serviceIds}::uuid[])))
    order by started_at desc, id desc limit ${query.limit}`.execute(db);
  return rows;
}
