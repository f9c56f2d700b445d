import { type Database, runSql } from "../../platform/database.ts";

export interface QuarantineRow {
  readonly id: string;
  readonly route: string;
  readonly location: string;
  readonly isBuiltIn: boolean;
  readonly quarantinedAt: Date | null;
  readonly quarantineReason: string | null;
}

/** Locked until the transaction ends. */
export async function lockProbe(db: Database, id: string): Promise<QuarantineRow | null> {
  const [row] = await runSql<QuarantineRow>(
    db,
    `select id, route, location, is_built_in as "isBuiltIn", quarantined_at as "quarantinedAt",
      quarantine_reason as "quarantineReason" from probes where id = $1 for update`,
    [id],
  );
  return row ?? null;
}

/** `null` to release the probe. */
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
 * Counts the other live and trusted probes of the route. Locks them, so that two probes cannot be
 * quarantined concurrently.
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
