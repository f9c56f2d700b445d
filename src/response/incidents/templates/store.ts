import { type Database, runSql } from "../../../platform/database.ts";
import { readCode } from "../../../platform/errors.ts";
import type { IncidentTemplate, TemplateContent } from "./incident-template.ts";

type TemplateRow = Omit<IncidentTemplate, keyof TemplateContent> & {
  readonly template: TemplateContent;
};

const columns = `id, name, template, created_at as "createdAt", updated_at as "updatedAt"`;

function toTemplate({ id, name, template, createdAt, updatedAt }: TemplateRow): IncidentTemplate {
  return { id, name, ...template, createdAt, updatedAt };
}

function toContent(template: TemplateContent): TemplateContent {
  const { incidentName, severity, serviceIds, updates } = template;
  return { incidentName, severity, serviceIds, updates };
}

export async function countTemplates(db: Database, accountId: string): Promise<number> {
  const text = "select count(*) as count from incident_templates where account_id = $1";
  const [row] = await runSql<{ count: number }>(db, text, [accountId]);
  return row?.count ?? 0;
}

/**
 * Inserts a template. Returns false if the name is in use, even if a concurrent request has just
 * inserted it.
 */
export async function insertTemplate(
  db: Database,
  accountId: string,
  template: Omit<IncidentTemplate, "updatedAt">,
): Promise<boolean> {
  const rows = await runSql(
    db,
    `insert into incident_templates (id, account_id, name, template, created_at)
      values ($1, $2, $3, $4, $5) on conflict (account_id, name) do nothing returning 1`,
    [template.id, accountId, template.name, toContent(template), template.createdAt],
  );
  return rows.length > 0;
}

const selectTemplate = `select ${columns} from incident_templates
  where account_id = $1 and id = $2`;

export async function findTemplate(
  db: Database,
  accountId: string,
  id: string,
): Promise<IncidentTemplate | null> {
  const [row] = await runSql<TemplateRow>(db, selectTemplate, [accountId, id]);
  return row === undefined ? null : toTemplate(row);
}

export async function lockTemplate(
  db: Database,
  accountId: string,
  id: string,
): Promise<IncidentTemplate | null> {
  const [row] = await runSql<TemplateRow>(db, `${selectTemplate} for update`, [accountId, id]);
  return row === undefined ? null : toTemplate(row);
}

export async function listTemplates(
  db: Database,
  accountId: string,
  query: { readonly limit: number; readonly nextId?: string | undefined },
): Promise<IncidentTemplate[]> {
  const rows = await runSql<TemplateRow>(
    db,
    `select ${columns} from incident_templates
      where account_id = $1 and ($2::uuid is null or id >= $2) order by id limit $3`,
    [accountId, query.nextId, query.limit],
  );
  return rows.map(toTemplate);
}

const uniqueViolation = "23505";

/** Saves a template. Returns false if the name is in use; the caller must then roll back. */
export async function saveTemplate(
  db: Database,
  accountId: string,
  template: IncidentTemplate,
): Promise<boolean> {
  try {
    await runSql(
      db,
      `update incident_templates set name = $3, template = $4, updated_at = $5
        where account_id = $1 and id = $2`,
      [accountId, template.id, template.name, toContent(template), template.updatedAt],
    );
    return true;
  } catch (error) {
    if (readCode(error) === uniqueViolation) return false;
    throw error;
  }
}

export async function deleteTemplate(db: Database, accountId: string, id: string): Promise<void> {
  const text = "delete from incident_templates where account_id = $1 and id = $2";
  await runSql(db, text, [accountId, id]);
}
