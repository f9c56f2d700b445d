import { type Database, runSql } from "../../../platform/database.ts";
import type { ImportedResource } from "./importable.ts";

export interface ProjectImport {
  readonly id: string;
  readonly projectId: string;
  readonly resources: readonly ImportedResource[];
  readonly createdAt: Date;
  readonly appliedAt: Date | null;
  readonly committedAt: Date | null;
}

const columns = `id, project_id as "projectId", resources, created_at as "createdAt",
  applied_at as "appliedAt", committed_at as "committedAt"`;

export async function insertImport(
  db: Database,
  accountId: string,
  { id, projectId, resources, createdAt }: ProjectImport,
): Promise<void> {
  const text = `insert into project_imports (id, account_id, project_id, resources, created_at)
    values ($1, $2, $3, $4, $5)`;
  await runSql(db, text, [id, accountId, projectId, JSON.stringify(resources), createdAt]);
}

/** Locked until the transaction ends. */
export async function lockImport(
  db: Database,
  accountId: string,
  id: string,
): Promise<ProjectImport | null> {
  const text = `select ${columns} from project_imports where account_id = $1 and id = $2
    for update`;
  const [row] = await runSql<ProjectImport>(db, text, [accountId, id]);
  return row ?? null;
}

/** Newest first. */
export function listImports(
  db: Database,
  accountId: string,
  query: {
    readonly projectId: string;
    readonly onlyUnapplied: boolean;
    readonly onlyUncommitted: boolean;
    readonly limit: number;
  },
): Promise<ProjectImport[]> {
  const { projectId, onlyUnapplied, onlyUncommitted, limit } = query;
  const text = `select ${columns} from project_imports
    where account_id = $1 and project_id = $2 and ($3 is false or applied_at is null)
      and ($4 is false or committed_at is null)
    order by created_at desc, id limit $5`;
  return runSql(db, text, [accountId, projectId, onlyUnapplied, onlyUncommitted, limit]);
}

/** Lists what the project adopted by imports that are applied and not committed. */
export function listUncommitted(
  db: Database,
  accountId: string,
  projectId: string,
): Promise<Pick<ImportedResource, "type" | "logicalId">[]> {
  const text = `select one->>'type' as type, one->>'logicalId' as "logicalId"
    from project_imports, jsonb_array_elements(resources) as one
    where account_id = $1 and project_id = $2 and applied_at is not null
      and committed_at is null`;
  return runSql(db, text, [accountId, projectId]);
}

export async function markImport(
  db: Database,
  accountId: string,
  {
    id,
    step,
    at,
  }: { readonly id: string; readonly step: "applied" | "committed"; readonly at: Date },
): Promise<void> {
  const column = step === "applied" ? "applied_at" : "committed_at";
  const text = `update project_imports set ${column} = $3 where account_id = $1 and id = $2`;
  await runSql(db, text, [accountId, id, at]);
}

export async function deleteImport(db: Database, accountId: string, id: string): Promise<void> {
  await runSql(db, "delete from project_imports where account_id = $1 and id = $2", [
    accountId,
    id,
  ]);
}
