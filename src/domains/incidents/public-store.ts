import { type Database, runSql } from "../../platform/database.ts";
import { listServicesThatFollow } from "../status-pages/index.ts";
import {
  type Incident,
  maxListedUpdates,
  maxUpdates,
  type Severity,
  severities,
} from "./incident.ts";
import { completeRecords, findRecord, type RecordRow, recordColumns, toRecord } from "./store.ts";

/**
 * Condition for incidents that were open at some time from `from` up to `to`, which are parameters
 * such as `$2`. An incident resolved immediately counts at its start. `resolved_at` is never before
 * `started_at`, so the index on resolved_at is sufficient.
 */
export const overlaps = (from: string, to: string) =>
  `started_at < ${to} and (resolved_at is null or resolved_at >= ${from})
    and not (started_at < ${from} and resolved_at is not distinct from ${from})`;

export interface PublicIncidentsQuery {
  readonly serviceIds: readonly string[];
  readonly from: Date;
  readonly to: Date;
  readonly limit: number;
  /** Only ongoing or only resolved incidents; both if absent. */
  readonly only?: "ongoing" | "over" | undefined;
}

const rankOf = (severity: string) =>
  `array_position('{${severities.join(",")}}'::text[], ${severity})`;
const rank = rankOf("severity");
const serviceRank = rankOf("coalesce(incident_services.severity, incidents.severity)");

/**
 * Lists the incidents of some services in a period, latest start first, each with its newest
 * updates. Ongoing incidents are ordered by severity, so that the limit never hides the worst.
 */
export async function listPublicIncidents(
  db: Database,
  accountId: string,
  query: PublicIncidentsQuery,
): Promise<Incident[]> {
  if (query.serviceIds.length === 0) return [];
  const { serviceIds, from, to, limit, only } = query;
  const isOngoing = only === undefined ? null : only === "ongoing";
  const rows = await runSql<RecordRow>(
    db,
    `select ${recordColumns} from incidents where account_id = $1 and ${overlaps("$2", "$3")}
      and id in (select incident_id from incident_services where service_id = any($4::uuid[]))
      and ($5::bool is null or (resolved_at is null) = $5)
      order by ${isOngoing ? `${rank}, ` : ""}started_at desc, id desc limit $6`,
    [accountId, from, to, serviceIds, isOngoing, limit],
  );
  const records = rows.map(toRecord);
  return completeRecords(db, accountId, { records, updatesPerIncident: maxListedUpdates });
}

/** Maps services to their worst ongoing severity; services without an incident are absent. */
export async function mapOngoingSeverities(
  db: Database,
  accountId: string,
  query: { readonly serviceIds: readonly string[]; readonly to: Date },
): Promise<Map<string, Severity>> {
  if (query.serviceIds.length === 0) return new Map();
  const rows = await runSql<{ serviceId: string; rank: number }>(
    db,
    `select service_id as "serviceId", min(${serviceRank}) as rank
      from incidents join incident_services on incident_id = incidents.id
      where account_id = $1 and resolved_at is null and started_at < $2
        and service_id = any($3::uuid[])
      group by service_id`,
    [accountId, query.to, query.serviceIds],
  );
  return new Map(
    rows.flatMap((row) => {
      const severity = severities[row.rank - 1];
      return severity === undefined ? [] : [[row.serviceId, severity] as const];
    }),
  );
}

/** Lists ongoing incidents, latest start first, each with its newest update. */
export async function listOngoingIncidents(
  db: Database,
  accountId: string,
  limit: number,
): Promise<Incident[]> {
  const rows = await runSql<RecordRow>(
    db,
    `select ${recordColumns} from incidents where account_id = $1 and resolved_at is null
      order by started_at desc, id desc limit $2`,
    [accountId, limit],
  );
  return completeRecords(db, accountId, { records: rows.map(toRecord), updatesPerIncident: 1 });
}

/** Returns a public incident with all its updates. */
export async function findPublicIncident(
  db: Database,
  accountId: string,
  id: string,
): Promise<Incident | null> {
  const record = await findRecord(db, accountId, id);
  if (record === null) return null;
  const request = { records: [record], updatesPerIncident: maxUpdates };
  const [incident] = await completeRecords(db, accountId, request);
  return incident ?? null;
}

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
  return runSql(
    db,
    `select id, name, severity, started_at as "startedAt", resolved_at as "resolvedAt"
      from incidents where account_id = $1 and ${overlaps("$2", "$3")}
        and (check_id = $4 or exists (select 1 from incident_services
          where incident_id = incidents.id and service_id = any($5::uuid[])))
      order by started_at desc, id desc limit $6`,
    [accountId, query.from, query.to, query.checkId, serviceIds, query.limit],
  );
}
