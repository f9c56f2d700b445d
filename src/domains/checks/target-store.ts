import { isCheckType, kinds } from "../../kinds/index.ts";
import { type Database, runSql } from "../../platform/database.ts";
import { targetOf } from "./check-secrets.ts";
import type { CheckSettings } from "./check-settings.ts";

const batchSize = 500;

function writeTarget(kind: string, settings: CheckSettings): string {
  try {
    return isCheckType(kind) ? targetOf(kinds[kind], settings) : "";
  } catch {
    // Such a check does not run either; it must not prevent the server from starting.
    return "";
  }
}

/** Fills the target of checks stored before the column existed. */
export async function fillMissingTargets(db: Database): Promise<void> {
  let count = batchSize;
  while (count === batchSize) {
    const rows = await runSql<{ id: string; kind: string; settings: CheckSettings }>(
      db,
      "select id, kind, settings from checks where target is null order by id limit $1",
      [batchSize],
    );
    count = rows.length;
    await runSql(
      db,
      `update checks set target = found.target
        from unnest($1::uuid[], $2::text[]) as found (id, target)
        where checks.id = found.id and checks.target is null`,
      [rows.map(({ id }) => id), rows.map(({ kind, settings }) => writeTarget(kind, settings))],
    );
  }
}
