import type { Database } from "../../platform/database.ts";
import type { Probe } from "./probe.ts";

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
    started_at: Date;
    last_seen_at: Date;
  };
};

const tables = (db: Database) => db.withTables<ProbeTables>();

export async function saveProbe(db: Database, probe: Probe): Promise<void> {
  const row = {
    location: probe.location,
    is_built_in: probe.isBuiltIn,
    version: probe.version,
    ipv4_sources: [...probe.ipv4Sources],
    ipv6_sources: [...probe.ipv6Sources],
    is_suspect: probe.isSuspect,
    limitations: [...probe.limitations],
    started_at: probe.startedAt,
    last_seen_at: probe.lastSeenAt,
  };
  await tables(db)
    .insertInto("probes")
    .values({ id: probe.id, ...row })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
    .execute();
}

export async function deleteProbe(db: Database, id: string): Promise<void> {
  await tables(db).deleteFrom("probes").where("id", "=", id).execute();
}

export async function listProbesSeenSince(db: Database, moment: Date): Promise<Probe[]> {
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
      "started_at as startedAt",
      "last_seen_at as lastSeenAt",
    ])
    .where("last_seen_at", ">=", moment)
    .orderBy("id")
    .limit(10_000)
    .execute();
}
