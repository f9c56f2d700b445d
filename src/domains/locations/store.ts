import { sql } from "kysely";
import type { Database } from "../../platform/database.ts";
import type { Probe, Transport } from "./probe.ts";

type ProbeTables = {
  probes: {
    id: string;
    location: string;
    is_built_in: boolean;
    version: string;
    ipv4_sources: string[];
    ipv6_sources: string[];
    is_suspect: boolean;
    limitations: string[];
    route: string;
    key_id: string | null;
    transport: Transport | null;
    server_id: string | null;
    clock_skew_ms: number | null;
    spool_depth: number | null;
    started_at: Date;
    last_seen_at: Date;
    quarantined_at: Date | null;
    quarantine_reason: string | null;
    compared_count: number | null;
    disagreeing_count: number | null;
    compared_at: Date | null;
  };
};

const tables = (db: Database) => db.withTables<ProbeTables>();

/** What a probe reports about itself. It cannot lift its own quarantine. */
export type SeenProbe = Omit<
  Probe,
  "quarantinedAt" | "quarantineReason" | "comparedCount" | "disagreeingCount"
>;

export type SavedProbe = "new" | "known" | "name-taken";

/** Rejects a name that a probe of another route already has. */
export async function saveProbe(db: Database, probe: SeenProbe): Promise<SavedProbe> {
  const row = {
    location: probe.location,
    is_built_in: probe.isBuiltIn,
    version: probe.version,
    ipv4_sources: [...probe.ipv4Sources],
    ipv6_sources: [...probe.ipv6Sources],
    is_suspect: probe.isSuspect,
    limitations: [...probe.limitations],
    route: probe.route,
    key_id: probe.keyId,
    transport: probe.transport,
    server_id: probe.serverId,
    clock_skew_ms: probe.clockSkewMs,
    spool_depth: probe.spoolDepth,
    started_at: probe.startedAt,
    last_seen_at: probe.lastSeenAt,
  };
  const saved = await tables(db)
    .insertInto("probes")
    .values({
      id: probe.id,
      ...row,
      quarantined_at: null,
      quarantine_reason: null,
      compared_count: null,
      disagreeing_count: null,
      compared_at: null,
    })
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet(row).where("probes.route", "=", probe.route),
    )
    // PostgreSQL sets xmax on a row that existed before.
    .returning(sql<boolean>`xmax = 0`.as("isNew"))
    .executeTakeFirst();
  if (saved === undefined) return "name-taken";
  return saved.isNew ? "new" : "known";
}

export async function countProbesOfRoute(
  db: Database,
  route: string,
  since: Date,
): Promise<number> {
  const { count } = await tables(db)
    .selectFrom("probes")
    .select(sql<number>`count(*)::int`.as("count"))
    .where("route", "=", route)
    .where("last_seen_at", ">=", since)
    .executeTakeFirstOrThrow();
  return count;
}

/** Deletes silent probes beyond the limit: the longest silent first, quarantined ones last. */
export async function trimProbesOfRoute(
  db: Database,
  route: string,
  { keep, silentBefore }: { readonly keep: number; readonly silentBefore: Date },
): Promise<void> {
  const kept = tables(db)
    .selectFrom("probes")
    .select("id")
    .where("route", "=", route)
    .orderBy(sql`last_seen_at >= ${silentBefore}`, "desc")
    .orderBy(sql`quarantined_at is not null`, "desc")
    .orderBy("last_seen_at", "desc")
    .limit(keep);
  await tables(db)
    .deleteFrom("probes")
    .where("route", "=", route)
    .where("last_seen_at", "<", silentBefore)
    .where("id", "not in", kept)
    .execute();
}

/** A quarantined probe is kept, so that it cannot evade the quarantine by registering again. */
export async function deleteProbe(db: Database, id: string): Promise<void> {
  await tables(db)
    .deleteFrom("probes")
    .where("id", "=", id)
    .where("quarantined_at", "is", null)
    .execute();
}

function selectProbes(db: Database) {
  return tables(db)
    .selectFrom("probes")
    .select([
      "id",
      "location",
      "is_built_in as isBuiltIn",
      "version",
      "ipv4_sources as ipv4Sources",
      "ipv6_sources as ipv6Sources",
      "is_suspect as isSuspect",
      "limitations",
      "route",
      "key_id as keyId",
      // Rows older than this column belong to built-in probes.
      sql<Transport>`coalesce(transport, 'built-in')`.as("transport"),
      "server_id as serverId",
      "clock_skew_ms as clockSkewMs",
      "spool_depth as spoolDepth",
      "started_at as startedAt",
      "last_seen_at as lastSeenAt",
      "quarantined_at as quarantinedAt",
      "quarantine_reason as quarantineReason",
      "compared_count as comparedCount",
      "disagreeing_count as disagreeingCount",
    ])
    .orderBy("id")
    .limit(10_000);
}

export function listProbesSeenSince(db: Database, moment: Date): Promise<Probe[]> {
  return selectProbes(db).where("last_seen_at", ">=", moment).execute();
}

export function listProbesOfRoutes(
  db: Database,
  routes: readonly string[],
  since: Date,
): Promise<Probe[]> {
  return selectProbes(db)
    .where("last_seen_at", ">=", since)
    .where("route", "in", [...routes])
    .execute();
}

export async function findProbe(db: Database, id: string): Promise<Probe | null> {
  return (await selectProbes(db).where("id", "=", id).executeTakeFirst()) ?? null;
}
