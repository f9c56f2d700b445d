import { type Database, runSql } from "../../platform/database.ts";
import type { Probe } from "./probe.ts";

interface QueueSample {
  readonly locationId: string;
  readonly size: number;
  readonly oldestSeconds: number;
}

/**
 * Stores samples of the queues of outstanding runs, at most one sample per private location and
 * minute. If several servers store a sample, the first one is kept.
 */
export async function insertQueueSamples(
  db: Database,
  samples: readonly QueueSample[],
  at: Date,
): Promise<void> {
  if (samples.length === 0) return;
  await runSql(
    db,
    `insert into private_location_queues (private_location_id, at, queue_size, oldest_seconds)
      select p.id, $4, size, oldest
      from unnest($1::uuid[], $2::int[], $3::int[]) as one (id, size, oldest)
        join private_locations p on p.id = one.id
      on conflict do nothing`,
    [
      samples.map(({ locationId }) => locationId),
      samples.map(({ size }) => size),
      samples.map(({ oldestSeconds }) => oldestSeconds),
      at,
    ],
  );
}

export interface QueuePoint {
  readonly slot: number;
  readonly size: number;
  readonly oldestSeconds: number;
}

/**
 * Returns the largest queue size and the highest age of the oldest run in each time slot. Slots
 * without samples are absent.
 */
export function listQueuePoints(
  db: Database,
  locationId: string,
  { fromMs, toMs, stepMs }: { fromMs: number; toMs: number; stepMs: number },
): Promise<QueuePoint[]> {
  return runSql(
    db,
    `select floor((extract(epoch from at) * 1000 - $2::float8) / $4::float8)::int as slot,
        max(queue_size) as size, max(oldest_seconds) as "oldestSeconds"
      from private_location_queues
      where private_location_id = $1 and at >= to_timestamp($2::float8 / 1000)
        and at < to_timestamp($3::float8 / 1000)
      group by 1 order by 1`,
    [locationId, fromMs, toMs, stepMs],
  );
}

export async function deleteQueueSamplesBefore(db: Database, moment: Date): Promise<void> {
  await runSql(db, "delete from private_location_queues where at < $1", [moment]);
}

export interface QuarantineRow {
  readonly id: string;
  readonly route: string;
  readonly location: string;
  readonly isBuiltIn: boolean;
  readonly quarantinedAt: Date | null;
  readonly quarantineReason: string | null;
}

/** Finds a probe and locks its row until the transaction ends. */
export async function lockProbe(db: Database, id: string): Promise<QuarantineRow | null> {
  const [row] = await runSql<QuarantineRow>(
    db,
    `select id, route, location, is_built_in as "isBuiltIn", quarantined_at as "quarantinedAt",
      quarantine_reason as "quarantineReason" from probes where id = $1 for update`,
    [id],
  );
  return row ?? null;
}

/** Stores the quarantine of a probe; `null` releases the probe. */
export async function saveQuarantine(
  db: Database,
  id: string,
  quarantine: { readonly at: Date; readonly reason: string } | null,
): Promise<void> {
  await runSql(db, "update probes set quarantined_at = $2, quarantine_reason = $3 where id = $1", [
    id,
    quarantine?.at ?? null,
    quarantine?.reason ?? null,
  ]);
}

/**
 * Counts the other probes of the route that are alive and not quarantined. Locks their rows, so
 * that two probes cannot be quarantined concurrently.
 */
export async function countTrustedBeside(
  db: Database,
  { id, route }: Pick<QuarantineRow, "id" | "route">,
  aliveSince: Date,
): Promise<number> {
  const rows = await runSql(
    db,
    `select id from probes where route = $1 and id <> $2 and quarantined_at is null
      and last_seen_at >= $3 order by id for update`,
    [route, id, aliveSince],
  );
  return rows.length;
}

export async function saveAgreement(
  db: Database,
  {
    probeId,
    compared,
    disagreeing,
    at,
  }: {
    readonly probeId: string;
    readonly compared: number;
    readonly disagreeing: number;
    readonly at: Date;
  },
): Promise<void> {
  await runSql(
    db,
    `update probes set compared_count = $2, disagreeing_count = $3, compared_at = $4
      where id = $1`,
    [probeId, compared, disagreeing, at],
  );
}

/**
 * Data that a probe reports about itself. The quarantine is excluded, because a probe must not
 * change it.
 */
export type SeenProbe = Omit<
  Probe,
  "quarantinedAt" | "quarantineReason" | "comparedCount" | "disagreeingCount"
>;

type SavedProbe = "new" | "known" | "name-taken";

/** Stores a probe. Returns "name-taken" if a probe of a different route has the same name. */
export async function saveProbe(db: Database, probe: SeenProbe): Promise<SavedProbe> {
  const [saved] = await runSql<{ isNew: boolean }>(
    db,
    `insert into probes (id, location, is_built_in, version, ipv4_sources, ipv6_sources, is_suspect,
        limitations, route, key_id, transport, server_id, clock_skew_ms, spool_depth, started_at,
        last_seen_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
      on conflict (id) do update set location = excluded.location,
        is_built_in = excluded.is_built_in, version = excluded.version,
        ipv4_sources = excluded.ipv4_sources, ipv6_sources = excluded.ipv6_sources,
        is_suspect = excluded.is_suspect, limitations = excluded.limitations,
        key_id = excluded.key_id, transport = excluded.transport, server_id = excluded.server_id,
        clock_skew_ms = excluded.clock_skew_ms, spool_depth = excluded.spool_depth,
        started_at = excluded.started_at, last_seen_at = excluded.last_seen_at
      where probes.route = excluded.route
      -- PostgreSQL sets xmax on a row that existed before.
      returning xmax = 0 as "isNew"`,
    [
      probe.id,
      probe.location,
      probe.isBuiltIn,
      probe.version,
      probe.ipv4Sources,
      probe.ipv6Sources,
      probe.isSuspect,
      probe.limitations,
      probe.route,
      probe.keyId,
      probe.transport,
      probe.serverId,
      probe.clockSkewMs,
      probe.spoolDepth,
      probe.startedAt,
      probe.lastSeenAt,
    ],
  );
  if (saved === undefined) return "name-taken";
  return saved.isNew ? "new" : "known";
}

export async function countProbesOfRoute(
  db: Database,
  route: string,
  since: Date,
): Promise<number> {
  const text = "select count(*) as count from probes where route = $1 and last_seen_at >= $2";
  const [row] = await runSql<{ count: number }>(db, text, [route, since]);
  return row?.count ?? 0;
}

/**
 * Deletes silent probes of a route if the route has more than `keep` probes. The probes that have
 * been silent longest are deleted first, and quarantined probes last.
 */
export async function trimProbesOfRoute(
  db: Database,
  route: string,
  { keep, silentBefore }: { readonly keep: number; readonly silentBefore: Date },
): Promise<void> {
  await runSql(
    db,
    `delete from probes where route = $1 and last_seen_at < $2 and id not in (
      select id from probes where route = $1
      order by last_seen_at >= $2 desc, quarantined_at is not null desc, last_seen_at desc
      limit $3)`,
    [route, silentBefore, keep],
  );
}

/**
 * Deletes a probe, unless it is quarantined: a probe could otherwise end its quarantine by
 * registering again.
 */
export async function deleteProbe(db: Database, id: string): Promise<void> {
  await runSql(db, "delete from probes where id = $1 and quarantined_at is null", [id]);
}

/**
 * Columns of a probe. A row without `transport` was written before this column existed, and belongs
 * to a built-in probe.
 */
const columns = `id, location, is_built_in as "isBuiltIn", version,
  ipv4_sources as "ipv4Sources", ipv6_sources as "ipv6Sources", is_suspect as "isSuspect",
  limitations, route, key_id as "keyId", coalesce(transport, 'built-in') as transport,
  server_id as "serverId", clock_skew_ms as "clockSkewMs", spool_depth as "spoolDepth",
  started_at as "startedAt", last_seen_at as "lastSeenAt", quarantined_at as "quarantinedAt",
  quarantine_reason as "quarantineReason", compared_count as "comparedCount",
  disagreeing_count as "disagreeingCount"`;

const maxProbes = 10_000;

export function listProbesSeenSince(db: Database, moment: Date): Promise<Probe[]> {
  const text = `select ${columns} from probes where last_seen_at >= $1 order by id limit $2`;
  return runSql(db, text, [moment, maxProbes]);
}

export function listProbesOfRoutes(
  db: Database,
  routes: readonly string[],
  since: Date,
): Promise<Probe[]> {
  return runSql(
    db,
    `select ${columns} from probes where last_seen_at >= $1 and route = any($2::text[])
      order by id limit $3`,
    [since, routes, maxProbes],
  );
}

export async function findProbe(db: Database, id: string): Promise<Probe | null> {
  const [row] = await runSql<Probe>(db, `select ${columns} from probes where id = $1`, [id]);
  return row ?? null;
}
