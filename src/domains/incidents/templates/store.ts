import type { Database } from "../../../platform/database.ts";
import type { IncidentTemplate, TemplateContent } from "./incident-template.ts";

type TemplateTables = {
  incident_templates: {
    id: string;
    account_id: string;
    name: string;
    template: TemplateContent;
    created_at: Date;
    updated_at: Date | null;
  };
};

const tables = (db: Database) => db.withTables<TemplateTables>();
const columns = ["id", "name", "template", "created_at", "updated_at"] as const;

type TemplateRow = Pick<TemplateTables["incident_templates"], (typeof columns)[number]>;

function toTemplate(row: TemplateRow): IncidentTemplate {
  const { id, name, template, created_at: createdAt, updated_at: updatedAt } = row;
  return { id, name, ...template, createdAt, updatedAt };
}

function toContent(template: TemplateContent): TemplateContent {
  const { incidentName, severity, serviceIds, updates } = template;
  return { incidentName, severity, serviceIds, updates };
}

export async function countTemplates(db: Database, accountId: string): Promise<number> {
  const { count } = await tables(db)
    .selectFrom("incident_templates")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("account_id", "=", accountId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Waits for a concurrent insert of the same name. Returns false if the name is in use. */
export async function insertTemplate(
  db: Database,
  accountId: string,
  template: Omit<IncidentTemplate, "updatedAt">,
): Promise<boolean> {
  const row = await tables(db)
    .insertInto("incident_templates")
    .values({
      id: template.id,
      account_id: accountId,
      name: template.name,
      template: toContent(template),
      created_at: template.createdAt,
      updated_at: null,
    })
    .onConflict((conflict) => conflict.columns(["account_id", "name"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

const selectTemplate = (db: Database, accountId: string, id: string) =>
  tables(db)
    .selectFrom("incident_templates")
    .select(columns)
    .where("account_id", "=", accountId)
    .where("id", "=", id);

export async function findTemplate(
  db: Database,
  accountId: string,
  id: string,
): Promise<IncidentTemplate | null> {
  const row = await selectTemplate(db, accountId, id).executeTakeFirst();
  return row === undefined ? null : toTemplate(row);
}

export async function lockTemplate(
  db: Database,
  accountId: string,
  id: string,
): Promise<IncidentTemplate | null> {
  const row = await selectTemplate(db, accountId, id).forUpdate().executeTakeFirst();
  return row === undefined ? null : toTemplate(row);
}

export async function listTemplates(
  db: Database,
  accountId: string,
  query: { readonly limit: number; readonly nextId?: string | undefined },
): Promise<IncidentTemplate[]> {
  let select = tables(db)
    .selectFrom("incident_templates")
    .select(columns)
    .where("account_id", "=", accountId)
    .orderBy("id")
    .limit(query.limit);
  if (query.nextId !== undefined) select = select.where("id", ">=", query.nextId);
  return (await select.execute()).map(toTemplate);
}

const uniqueViolation = "23505";

/** Returns false if the name is in use; the transaction must then be rolled back. */
export async function saveTemplate(
  db: Database,
  accountId: string,
  template: IncidentTemplate,
): Promise<boolean> {
  try {
    await tables(db)
      .updateTable("incident_templates")
      .set({
        name: template.name,
        template: toContent(template),
        updated_at: template.updatedAt,
      })
      .where("account_id", "=", accountId)
      .where("id", "=", template.id)
      .execute();
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === uniqueViolation) return false;
    throw error;
  }
}

export async function deleteTemplate(db: Database, accountId: string, id: string): Promise<void> {
  await tables(db)
    .deleteFrom("incident_templates")
    .where("account_id", "=", accountId)
    .where("id", "=", id)
    .execute();
}
