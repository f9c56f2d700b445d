import { type Database, runSql } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import { type OwnedResource, openRemembered, sealRemembered } from "../projects/index.ts";
import type { Import, ImportScope, RunOutcome, UsedName } from "./import.ts";
import type { ImportReport, ResourceType } from "./reading.ts";
import type { ImportSource } from "./sources.ts";

interface Facts {
  readonly addresses: number;
  readonly historyChecks: number;
  readonly historyFromMs: number | null;
  readonly installationId?: string | null;
}

interface ImportRow {
  readonly id: string;
  readonly source: ImportSource;
  readonly name: string;
  readonly fileName: string;
  readonly report: ImportReport;
  readonly facts: Facts;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  readonly outcome: RunOutcome | null;
}

const columns = `id, source, name, file_name as "fileName", report, facts, created_at as "createdAt",
  finished_at as "finishedAt", outcome`;

function toImport({ facts, ...row }: ImportRow): Import {
  const { addresses, historyChecks, historyFromMs } = facts;
  const historyFrom = historyFromMs === null ? null : new Date(historyFromMs);
  return { ...row, addresses, historyChecks, historyFrom };
}

export async function insertImport(
  db: Database,
  accountId: string,
  {
    historyFrom,
    installationId,
    ...made
  }: Import & { readonly sealedReading: string; readonly installationId: string | null },
): Promise<void> {
  const { addresses, historyChecks } = made;
  const historyFromMs = historyFrom?.getTime() ?? null;
  const facts: Facts = { addresses, historyChecks, historyFromMs, installationId };
  await runSql(
    db,
    `insert into imports
      (id, account_id, source, name, file_name, report, facts, sealed_reading, created_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      ...[made.id, accountId, made.source, made.name, made.fileName, JSON.stringify(made.report)],
      ...[JSON.stringify(facts), made.sealedReading, made.createdAt],
    ],
  );
}

/**
 * Lists the installations that were already imported from a source. Each import that was run has
 * one entry, newest import first.
 */
export function listUsedNames(
  db: Database,
  accountId: string,
  source: ImportSource,
): Promise<UsedName[]> {
  const text = `select name, facts->>'installationId' as "installationId" from imports
    where account_id = $1 and source = $2 and finished_at is not null order by created_at desc`;
  return runSql<UsedName>(db, text, [accountId, source]);
}

/**
 * Deletes earlier imports of the same installation that were never run. Imports that were run
 * remain, but their uploaded content is deleted.
 */
export async function clearEarlier(
  db: Database,
  accountId: string,
  { source, name }: ImportScope,
): Promise<void> {
  const which = "account_id = $1 and source = $2 and name = $3";
  const values = [accountId, source, name];
  await runSql(db, `delete from imports where ${which} and finished_at is null`, values);
  await runSql(db, `update imports set sealed_reading = null where ${which}`, values);
}

/** Lists imports, newest first. */
export async function listImports(
  db: Database,
  accountId: string,
  limit: number,
): Promise<Import[]> {
  const text = `select ${columns} from imports where account_id = $1
    order by created_at desc, id desc limit $2`;
  return (await runSql<ImportRow>(db, text, [accountId, limit])).map(toImport);
}

export async function findImport(
  db: Database,
  accountId: string,
  id: string,
): Promise<Import | null> {
  const text = `select ${columns} from imports where account_id = $1 and id = $2`;
  const [row] = await runSql<ImportRow>(db, text, [accountId, id]);
  return row === undefined ? null : toImport(row);
}

/**
 * Locks an import, so that concurrent runs wait for each other. Returns `null` if the import does
 * not exist. `sealed` is `null` if the content of the file was deleted.
 */
export async function lockReading(
  db: Database,
  accountId: string,
  id: string,
): Promise<{ readonly sealed: string | null } | null> {
  const text = `select sealed_reading as sealed from imports where account_id = $1 and id = $2
    for update`;
  const [row] = await runSql<{ sealed: string | null }>(db, text, [accountId, id]);
  return row ?? null;
}

export async function finishImport(
  db: Database,
  accountId: string,
  run: { readonly id: string; readonly outcome: RunOutcome; readonly at: Date },
): Promise<void> {
  const text = `update imports set finished_at = $3, outcome = $4
    where account_id = $1 and id = $2`;
  await runSql(db, text, [accountId, run.id, run.at, JSON.stringify(run.outcome)]);
}

export async function deleteImport(
  db: Database,
  accountId: string,
  id: string,
): Promise<{ readonly source: string } | null> {
  const text = "delete from imports where account_id = $1 and id = $2 returning source";
  const [row] = await runSql<{ source: string }>(db, text, [accountId, id]);
  return row ?? null;
}

interface StoreTools {
  readonly db: Database;
  readonly encryption: Encryption;
}

/** Lists the objects that imports of a scope wrote, with the values that were last imported. */
export async function listObjects(
  { db, encryption }: StoreTools,
  accountId: string,
  { source, name }: ImportScope,
): Promise<OwnedResource[]> {
  const text = `select type, origin as "logicalId", object_id as "physicalId", sealed
    from imported_objects where account_id = $1 and source = $2 and name = $3`;
  const rows = await runSql<{
    type: ResourceType;
    logicalId: string;
    physicalId: string;
    sealed: string | null;
  }>(db, text, [accountId, source, name]);
  return rows.map(({ sealed, ...row }) => ({ ...row, ...openRemembered(encryption, sealed) }));
}

export async function saveObjects(
  { db, encryption }: StoreTools,
  accountId: string,
  saved: {
    readonly scope: ImportScope;
    readonly objects: readonly OwnedResource[];
    readonly at: Date;
  },
): Promise<void> {
  const { scope, objects, at } = saved;
  if (objects.length === 0) return;
  await runSql(
    db,
    `insert into imported_objects
        (account_id, source, name, origin, type, object_id, sealed, created_at)
      select $1, $2, $3, origin, type, object_id, sealed, $4
      from unnest($5::text[], $6::text[], $7::text[], $8::text[])
        as one (origin, type, object_id, sealed)
      on conflict (account_id, source, name, origin) do update
        set type = excluded.type, object_id = excluded.object_id, sealed = excluded.sealed,
          created_at = case when imported_objects.object_id = excluded.object_id
            then imported_objects.created_at else excluded.created_at end`,
    [
      ...[accountId, scope.source, scope.name, at],
      objects.map(({ logicalId }) => logicalId),
      objects.map(({ type }) => type),
      objects.map(({ physicalId }) => physicalId),
      objects.map((one) => sealRemembered(encryption, one)),
    ],
  );
}

/** Returns the checks that imports of a scope created, by origin. */
export async function mapImportedChecks(
  db: Database,
  accountId: string,
  { source, name }: ImportScope,
): Promise<Map<string, { readonly checkId: string; readonly createdAt: Date }>> {
  const text = `select origin, object_id as "checkId", created_at as "createdAt"
    from imported_objects
    where account_id = $1 and source = $2 and name = $3 and type = 'check'`;
  const rows = await runSql<{ origin: string; checkId: string; createdAt: Date }>(db, text, [
    accountId,
    source,
    name,
  ]);
  return new Map(rows.map(({ origin, ...check }) => [origin, check]));
}

/**
 * Returns the encrypted content of the latest upload of a scope; `null` if no content is stored.
 */
export async function findLatestReading(
  db: Database,
  accountId: string,
  { source, name }: ImportScope,
): Promise<{ readonly sealed: string; readonly createdAt: Date } | null> {
  const text = `select sealed_reading as sealed, created_at as "createdAt" from imports
    where account_id = $1 and source = $2 and name = $3 and sealed_reading is not null
    order by created_at desc limit 1`;
  const values = [accountId, source, name];
  const [row] = await runSql<{ sealed: string; createdAt: Date }>(db, text, values);
  return row ?? null;
}
