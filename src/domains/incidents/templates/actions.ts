import { randomUUIDv7 } from "node:crypto";
import { type Database, inTransaction, lockName } from "../../../platform/database.ts";
import { conflict, invalid, notFound } from "../../../platform/errors.ts";
import { type Caller, createOnce, writeAuditEntry } from "../../accounts/index.ts";
import { findTemplateFault, templateFaultRules } from "../../alert-channels/index.ts";
import { listServicesByIds } from "../../status-pages/index.ts";
import type { IncidentsContext } from "../context.ts";
import { type IncidentTemplate, maxTemplates, type TemplateInput } from "./incident-template.ts";
import {
  countTemplates,
  deleteTemplate,
  findTemplate,
  insertTemplate,
  listTemplates,
  lockTemplate,
  saveTemplate,
} from "./store.ts";

const nameTaken = (name: string) => conflict(`a template named "${name}" already exists`);

function assertWords(key: string, text: string): void {
  const fault = findTemplateFault(text);
  if (fault !== null) throw invalid(key, templateFaultRules[fault]);
}

async function assertSound(db: Database, accountId: string, input: TemplateInput): Promise<void> {
  assertWords("incidentName", input.incidentName ?? "");
  for (const [index, { description }] of input.updates.entries()) {
    assertWords(`updates.${index}.description`, description);
  }
  const services = await listServicesByIds(db, accountId, input.serviceIds);
  const known = new Set(services.map(({ id }) => id));
  const unknown = input.serviceIds.find((id) => !known.has(id));
  if (unknown !== undefined) {
    throw invalid("serviceIds", `contains ${unknown}, which does not exist in this account`);
  }
}

export async function createTemplate(
  context: IncidentsContext,
  caller: Caller,
  create: { readonly input: TemplateInput; readonly idempotencyKey: string | undefined },
): Promise<IncidentTemplate> {
  const { input, idempotencyKey: key } = create;
  const { accountId } = caller;
  const at = context.clock.now();
  const id = randomUUIDv7();
  return inTransaction(context.db, async (db) => {
    const action = "incident-template.created";
    const once = { key, operation: action, body: input, targetId: id, at };
    const { targetId } = await createOnce(db, caller, once, async () => {
      await assertSound(db, accountId, input);
      await lockName(db, `incident templates ${accountId}`);
      const count = await countTemplates(db, accountId);
      if (count >= maxTemplates) throw conflict(`an account has at most ${maxTemplates} templates`);
      const isNew = await insertTemplate(db, accountId, { ...input, id, createdAt: at });
      if (!isNew) throw nameTaken(input.name);
      const changes = { name: input.name };
      await writeAuditEntry(db, caller, { action, targetId: id, changes, at });
    });
    const template = await findTemplate(db, accountId, targetId);
    if (template === null)
      throw conflict("the object created with this Idempotency-Key has been deleted");
    return template;
  });
}

export async function getTemplate(
  context: IncidentsContext,
  caller: Caller,
  id: string,
): Promise<IncidentTemplate> {
  const template = await findTemplate(context.db, caller.accountId, id);
  if (template === null) throw notFound();
  return template;
}

export function listOwnTemplates(
  context: IncidentsContext,
  caller: Caller,
  query: { readonly limit: number; readonly nextId?: string | undefined },
): Promise<IncidentTemplate[]> {
  return listTemplates(context.db, caller.accountId, query);
}

export async function changeTemplate(
  context: IncidentsContext,
  caller: Caller,
  change: { readonly id: string; readonly input: TemplateInput },
): Promise<IncidentTemplate> {
  const { accountId } = caller;
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const before = await lockTemplate(db, accountId, change.id);
    if (before === null) throw notFound();
    await assertSound(db, accountId, change.input);
    const after = { ...before, ...change.input, updatedAt: at };
    if (!(await saveTemplate(db, accountId, after))) throw nameTaken(after.name);
    const changes = { name: after.name, before: before.name };
    const note = { action: "incident-template.updated", targetId: after.id, changes, at };
    await writeAuditEntry(db, caller, note);
    return after;
  });
}

export async function removeTemplate(
  context: IncidentsContext,
  caller: Caller,
  id: string,
): Promise<void> {
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const template = await lockTemplate(db, caller.accountId, id);
    if (template === null) throw notFound();
    await deleteTemplate(db, caller.accountId, template.id);
    const changes = { name: template.name };
    const note = { action: "incident-template.deleted", targetId: template.id, changes, at };
    await writeAuditEntry(db, caller, note);
  });
}
