import { type Database, runSql } from "../../platform/database.ts";
import { findTakenConstraint } from "../../platform/database-errors.ts";
import type { Encryption } from "../../platform/encryption.ts";
import { conflict } from "../../platform/errors.ts";
import type { ImportedResource } from "./imports/importable.ts";
import {
  type OwnedResource,
  openRemembered,
  type ResourceType,
  sealRemembered,
} from "./resource.ts";

export interface Project {
  readonly id: string;
  readonly logicalId: string;
  readonly name: string;
  readonly repoUrl: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const projectColumns = `id, logical_id as "logicalId", name, repo_url as "repoUrl",
  created_at as "createdAt", updated_at as "updatedAt"`;

export async function findProject(
  db: Database,
  accountId: string,
  logicalId: string,
): Promise<Project | null> {
  const text = `select ${projectColumns} from projects where account_id = $1 and logical_id = $2`;
  const [row] = await runSql<Project>(db, text, [accountId, logicalId]);
  return row ?? null;
}

/** Lists projects, sorted by logical id. */
export function listProjects(
  db: Database,
  accountId: string,
  limit: number,
): Promise<(Project & { readonly resourceCount: number })[]> {
  const text = `select ${projectColumns}, (select count(*)::int from project_resources r
      where r.project_id = projects.id) as "resourceCount"
    from projects where account_id = $1 order by logical_id limit $2`;
  return runSql(db, text, [accountId, limit]);
}

/** Inserts a project. Returns `false` if the logical id is already in use. */
export async function insertProject(
  db: Database,
  accountId: string,
  project: Project,
): Promise<boolean> {
  const { id, logicalId, name, repoUrl, createdAt, updatedAt } = project;
  const text = `insert into projects (id, account_id, logical_id, name, repo_url, created_at,
      updated_at)
    values ($1, $2, $3, $4, $5, $6, $7) on conflict (account_id, logical_id) do nothing
    returning id`;
  const values = [id, accountId, logicalId, name, repoUrl, createdAt, updatedAt];
  return (await runSql(db, text, values)).length > 0;
}

export async function updateProject(
  db: Database,
  accountId: string,
  { id, name, repoUrl, updatedAt }: Project,
): Promise<void> {
  const text = `update projects set name = $3, repo_url = $4, updated_at = $5
    where account_id = $1 and id = $2`;
  await runSql(db, text, [accountId, id, name, repoUrl, updatedAt]);
}

export async function deleteProject(db: Database, accountId: string, id: string): Promise<void> {
  await runSql(db, "delete from projects where account_id = $1 and id = $2", [accountId, id]);
}

export async function listOwnedResources(
  { db, encryption }: { readonly db: Database; readonly encryption: Encryption },
  accountId: string,
  projectId: string,
): Promise<OwnedResource[]> {
  const text = `select type, logical_id as "logicalId", physical_id as "physicalId", sealed
    from project_resources where account_id = $1 and project_id = $2 order by type, logical_id`;
  const rows = await runSql<{
    type: ResourceType;
    logicalId: string;
    physicalId: string;
    sealed: string | null;
  }>(db, text, [accountId, projectId]);
  return rows.map(({ sealed, ...row }) => ({ ...row, ...openRemembered(encryption, sealed) }));
}

export interface SavedResource extends OwnedResource {
  readonly sourceFile: string | null;
}

export async function saveOwnedResources(
  { db, encryption }: { readonly db: Database; readonly encryption: Encryption },
  accountId: string,
  {
    projectId,
    resources,
  }: {
    readonly projectId: string;
    readonly resources: readonly SavedResource[];
  },
): Promise<void> {
  const list = (read: (resource: SavedResource) => unknown) => resources.map(read);
  const text = `insert into project_resources
      (project_id, account_id, type, logical_id, physical_id, sealed, source_file)
    select $1, $2, saved.* from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
      as saved (type, logical_id, physical_id, sealed, source_file)
    on conflict (project_id, type, logical_id) do update set physical_id = excluded.physical_id,
      sealed = excluded.sealed, source_file = excluded.source_file`;
  const values = [
    projectId,
    accountId,
    list(({ type }) => type),
    list(({ logicalId }) => logicalId),
    list(({ physicalId }) => physicalId),
    list((resource) => sealRemembered(encryption, resource)),
    list(({ sourceFile }) => sourceFile),
  ];
  try {
    await runSql(db, text, values);
  } catch (error) {
    if (findTakenConstraint(error) !== "project_resources_owner") throw error;
    throw conflict("another project took over one of the objects meanwhile; plan again");
  }
}

export async function deleteOwnedResources(
  db: Database,
  accountId: string,
  {
    projectId,
    resources,
  }: {
    readonly projectId: string;
    readonly resources: readonly Pick<OwnedResource, "type" | "logicalId">[];
  },
): Promise<void> {
  const text = `delete from project_resources r
    using unnest($3::text[], $4::text[]) as gone (type, logical_id)
    where r.account_id = $1 and r.project_id = $2 and r.type = gone.type
      and r.logical_id = gone.logical_id`;
  const types = resources.map(({ type }) => type);
  const logicalIds = resources.map(({ logicalId }) => logicalId);
  await runSql(db, text, [accountId, projectId, types, logicalIds]);
}

export interface ResourceOwner {
  readonly type: ResourceType;
  readonly physicalId: string;
  readonly logicalId: string;
  readonly sourceFile: string | null;
  readonly projectLogicalId: string;
  readonly projectName: string;
}

/** Maximum number of rows in a list of all owned resources of an account. */
export const maxOwners = 100_000;

/** Lists the owned resources of an account, optionally filtered by type, object or project. */
export function listOwners(
  db: Database,
  accountId: string,
  filter: {
    readonly type?: string | undefined;
    readonly physicalId?: string | undefined;
    readonly project?: string | undefined;
    readonly limit: number;
  },
): Promise<ResourceOwner[]> {
  const text = `select r.type, r.physical_id as "physicalId", r.logical_id as "logicalId",
      r.source_file as "sourceFile", p.logical_id as "projectLogicalId", p.name as "projectName"
    from project_resources r join projects p on p.id = r.project_id
    where r.account_id = $1 and ($2::text is null or r.type = $2)
      and ($3::text is null or r.physical_id = $3) and ($4::text is null or p.logical_id = $4)
    order by r.type, r.logical_id limit $5`;
  const { type = null, physicalId = null, project = null, limit } = filter;
  return runSql(db, text, [accountId, type, physicalId, project, limit]);
}

export interface ProjectImport {
  readonly id: string;
  readonly projectId: string;
  readonly resources: readonly ImportedResource[];
  readonly createdAt: Date;
  readonly appliedAt: Date | null;
  readonly committedAt: Date | null;
}

const importColumns = `id, project_id as "projectId", resources, created_at as "createdAt",
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

/** Finds an import and locks its row until the transaction ends. */
export async function lockImport(
  db: Database,
  accountId: string,
  id: string,
): Promise<ProjectImport | null> {
  const text = `select ${importColumns} from project_imports where account_id = $1 and id = $2
    for update`;
  const [row] = await runSql<ProjectImport>(db, text, [accountId, id]);
  return row ?? null;
}

/** Lists imports, newest first. */
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
  const text = `select ${importColumns} from project_imports
    where account_id = $1 and project_id = $2 and ($3 is false or applied_at is null)
      and ($4 is false or committed_at is null)
    order by created_at desc, id limit $5`;
  return runSql(db, text, [accountId, projectId, onlyUnapplied, onlyUncommitted, limit]);
}

/** Lists the resources of imports that are applied to the project but not committed. */
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
