import { randomUUIDv7 } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type Caller, createOnce, writeAuditEntry } from "../../access/accounts/index.ts";
import { type Database, inTransaction } from "../../platform/database.ts";
import { conflict, invalid, notFound } from "../../platform/errors.ts";
import { assertMatch } from "../../platform/http/send.ts";
import {
  listServicesByIds,
  ruleEvaluations,
  type Service,
} from "../../sites/status-pages/index.ts";
import { announce } from "../../sites/subscribers/index.ts";
import {
  foldUpdates,
  type Incident,
  type IncidentRecord,
  type IncidentsContext,
  type IncidentUpdate,
  maxListedUpdates,
  maxUpdates,
  type Severity,
  type UpdateInput,
} from "./incident.ts";
import { tagIncident } from "./schema.ts";
import {
  type ActivityQuery,
  type AffectedService,
  completeRecords,
  deleteIncident,
  findRecord,
  type IncidentsQuery,
  insertIncident,
  insertUpdates,
  listRecords,
  listRecordsByActivity,
  listStatusChanges,
  lockRecord,
  replaceServices,
  saveIncident,
} from "./store.ts";
import {
  fillIncident,
  type IncidentRequest,
  type IncidentTemplate,
} from "./templates/incident-template.ts";
import { findTemplate } from "./templates/store.ts";

/** Loads the services and all updates of an incident. */
async function completeRecord(db: Database, record: IncidentRecord): Promise<Incident> {
  const request = { records: [record], updatesPerIncident: maxUpdates };
  const [incident] = await completeRecords(db, record.accountId, request);
  if (incident === undefined) throw new Error("completeRecords returned no incident");
  return incident;
}

async function findIncident(db: Database, accountId: string, id: string): Promise<Incident | null> {
  const record = await findRecord(db, accountId, id);
  return record && completeRecord(db, record);
}

/** Returns the services in the order of the given ids. Throws if a service does not exist. */
async function getServices(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<Service[]> {
  const found = await listServicesByIds(db, accountId, ids);
  const byId = new Map(found.map((service) => [service.id, service]));
  return ids.map((id) => {
    const service = byId.get(id);
    if (service === undefined) throw notFound();
    return service;
  });
}

/** Returns the incident template that a request names; `null` if the request names none. */
export async function getTemplateFor(
  db: Database,
  accountId: string,
  templateId: string | undefined,
): Promise<IncidentTemplate | null> {
  if (templateId === undefined) return null;
  const template = await findTemplate(db, accountId, templateId);
  if (template === null) throw invalid("templateId", "does not exist in this account");
  return template;
}

/**
 * Returns the services that a request names, and throws if one does not exist. If the request names
 * none, returns the services of the template that still exist.
 */
export async function chooseServices(
  db: Database,
  accountId: string,
  named: {
    readonly ids: readonly string[] | undefined;
    readonly template: IncidentTemplate | null;
  },
): Promise<Service[]> {
  if (named.ids !== undefined) return getServices(db, accountId, named.ids);
  const ids = named.template?.serviceIds ?? [];
  const found = await listServicesByIds(db, accountId, ids);
  const services = found.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
  if (services.length === 0) throw invalid("services", "is required");
  return services;
}

interface CreateIncident {
  readonly request: IncidentRequest;
  /** Whole request body. A request that repeats an idempotency key must have an equal body. */
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
}

// The following functions write manual and automatic incidents in the caller's transaction.

interface IncidentDraft {
  readonly id: string;
  readonly name: string;
  readonly severity: Severity;
  readonly services: readonly AffectedService[];
  /** Updates in the order in which they were written. */
  readonly updates: readonly UpdateInput[];
  /** Name of the author; `null` for automatic incidents. */
  readonly author: string | null;
  /**
   * Check and alert that opened the incident. If an automation rule opened the incident, `checkId`
   * and `alertNumber` are `null`. If a user or an API client opened the incident, `origin` itself
   * is `null`.
   */
  readonly origin: Pick<IncidentRecord, "checkId" | "alertNumber"> | null;
  readonly at: Date;
}

/** Queues an announcement for each update that notifies subscribers. */
async function announceUpdates(
  db: Database,
  incident: Pick<IncidentRecord, "id" | "accountId" | "name" | "severity">,
  content: { readonly updates: readonly IncidentUpdate[]; readonly services: readonly Service[] },
): Promise<void> {
  for (const update of content.updates.filter(({ notifySubscribers }) => notifySubscribers)) {
    await announce(db, incident.accountId, {
      sourceId: update.id,
      kind: "incident",
      title: incident.name,
      status: update.status,
      severity: incident.severity,
      body: update.description,
      serviceIds: content.services.map(({ id }) => id),
      serviceNames: content.services.map(({ name }) => name),
      incidentId: incident.id,
      at: update.createdAt,
    });
  }
}

/**
 * Stores a new incident with its updates. Returns false and writes nothing if the alert already has
 * an incident, or if the check already controls an open incident.
 */
export async function writeIncident(
  db: Database,
  accountId: string,
  draft: IncidentDraft,
): Promise<boolean> {
  const { id, name, severity, services, author, origin, at } = draft;
  const isAutomatic = origin !== null;
  const statusChanges = draft.updates.map((update, number) => ({ ...update, author, number }));
  const record: IncidentRecord = {
    ...foldUpdates(statusChanges, isAutomatic),
    id,
    accountId,
    name,
    severity,
    isAutomatic,
    checkId: origin?.checkId ?? null,
    alertNumber: origin?.alertNumber ?? null,
    takenOverAt: null,
    version: 1,
    createdAt: at,
    updatedAt: null,
  };
  if (!(await insertIncident(db, accountId, record))) return false;
  await replaceServices(db, accountId, { incidentId: id, services });
  const identity = () => ({ id: randomUUIDv7(), incidentId: id, author, createdAt: at });
  const drafts = draft.updates.map((update) => ({ ...update, ...identity() }));
  const updates = await insertUpdates(db, accountId, drafts);
  await announceUpdates(db, record, { updates, services });
  return true;
}

/** Adds an update to a locked incident. */
export async function writeUpdate(
  db: Database,
  incident: IncidentRecord,
  draft: {
    readonly id: string;
    readonly input: UpdateInput;
    readonly author: string | null;
    readonly services: readonly Service[];
    readonly at: Date;
  },
): Promise<IncidentUpdate> {
  const { id, input, author, services, at } = draft;
  const identity = { id, incidentId: incident.id, author, createdAt: at };
  const updates = await insertUpdates(db, incident.accountId, [{ ...input, ...identity }]);
  const [update] = updates;
  if (update === undefined) throw new Error("the update was not written");
  await announceUpdates(db, incident, { updates, services });
  return update;
}

/** Recomputes and saves the fields of a locked incident that depend on its updates. */
export async function saveCourse(
  db: Database,
  incident: IncidentRecord,
  change: { readonly at: Date; readonly isTakenOver: "yes" | "no" | "if-opened-again" },
): Promise<void> {
  const statusChanges = await listStatusChanges(db, incident.accountId, incident.id);
  const course = foldUpdates(statusChanges, incident.isAutomatic);
  const isOpenedAgain = incident.resolvedAt !== null && course.resolvedAt === null;
  // A person who reopens an incident takes it over. The check must not control it again, because
  // the check may have opened another incident by now.
  const isTakenOver =
    change.isTakenOver === "yes" || (change.isTakenOver === "if-opened-again" && isOpenedAgain);
  const isOfRule = incident.isAutomatic && incident.checkId === null;
  if (isOfRule && course.resolvedAt !== null) {
    await ruleEvaluations.releaseIncident(db, incident.accountId, incident.id);
  }
  await saveIncident(db, incident.accountId, {
    ...incident,
    ...course,
    takenOverAt: incident.takenOverAt ?? (incident.isAutomatic && isTakenOver ? change.at : null),
    updatedAt: change.at,
  });
}

export async function createIncident(
  context: IncidentsContext,
  caller: Caller,
  { request, body, idempotencyKey: key }: CreateIncident,
): Promise<Incident> {
  const { accountId } = caller;
  const at = context.clock.now();
  const id = randomUUIDv7();
  return inTransaction(context.db, async (db) => {
    const action = "incident.created";
    const once = { key, operation: action, body, targetId: id, at };
    const { targetId } = await createOnce(db, caller, once, async () => {
      const template = await getTemplateFor(db, accountId, request.templateId);
      const named = { ids: request.serviceIds, template };
      const services = await chooseServices(db, accountId, named);
      const input = fillIncident(request, { template, services, now: at });
      const origin = null;
      await writeIncident(db, accountId, {
        ...input,
        id,
        services,
        author: caller.label,
        origin,
        at,
      });
      const changes = { name: input.name, severity: input.severity };
      await writeAuditEntry(db, caller, { action, targetId: id, changes, at });
    });
    const incident = await findIncident(db, accountId, targetId);
    if (incident === null)
      throw conflict("the object created with this Idempotency-Key has been deleted");
    return incident;
  });
}

export async function getIncident(
  context: Pick<IncidentsContext, "db">,
  caller: Pick<Caller, "accountId">,
  id: string,
): Promise<Incident> {
  const incident = await findIncident(context.db, caller.accountId, id);
  if (incident === null) throw notFound();
  return incident;
}

export async function listOwnIncidents(
  context: Pick<IncidentsContext, "db">,
  caller: Pick<Caller, "accountId">,
  query: IncidentsQuery,
): Promise<Incident[]> {
  const records = await listRecords(context.db, caller.accountId, query);
  const request = { records, updatesPerIncident: maxListedUpdates };
  return completeRecords(context.db, caller.accountId, request);
}

/** Lists incidents by their newest update, newest first. */
export async function listActiveIncidents(
  context: Pick<IncidentsContext, "db">,
  caller: Pick<Caller, "accountId">,
  query: ActivityQuery,
): Promise<Incident[]> {
  const records = await listRecordsByActivity(context.db, caller.accountId, query);
  const request = { records, updatesPerIncident: maxListedUpdates };
  return completeRecords(context.db, caller.accountId, request);
}

interface IncidentChange {
  readonly id: string;
  readonly name?: string | undefined;
  readonly severity?: Severity | undefined;
  readonly serviceIds?: readonly string[] | undefined;
  readonly ifMatch: string | undefined;
}

/**
 * Returns the changed fields for the audit log, with the old name and severity. A different order
 * of the services counts as a change.
 */
function listChanges(before: Incident, change: IncidentChange): Record<string, unknown> {
  const { name, severity, serviceIds } = change;
  const serviceIdsBefore = before.services.map(({ id }) => id);
  return {
    ...(name === undefined || name === before.name ? {} : { name, nameBefore: before.name }),
    ...(severity === undefined || severity === before.severity
      ? {}
      : { severity, severityBefore: before.severity }),
    ...(serviceIds === undefined || isDeepStrictEqual(serviceIds, serviceIdsBefore)
      ? {}
      : { serviceIds }),
  };
}

export async function changeIncident(
  context: IncidentsContext,
  caller: Caller,
  change: IncidentChange,
): Promise<Incident> {
  const { accountId } = caller;
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const record = await lockRecord(db, accountId, change.id);
    if (record === null) throw notFound();
    const before = await completeRecord(db, record);
    assertMatch(change.ifMatch, tagIncident(before));
    const incidentId = record.id;
    if (change.serviceIds !== undefined) {
      const services = await getServices(db, accountId, change.serviceIds);
      await replaceServices(db, accountId, { incidentId, services });
    }
    const { name = record.name, severity = record.severity } = change;
    const after = await saveIncident(db, accountId, { ...record, name, severity, updatedAt: at });
    const changes = listChanges(before, change);
    await writeAuditEntry(db, caller, {
      action: "incident.updated",
      targetId: incidentId,
      changes,
      at,
    });
    return completeRecord(db, after);
  });
}

export async function removeIncident(
  context: IncidentsContext,
  caller: Caller,
  id: string,
): Promise<void> {
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const record = await lockRecord(db, caller.accountId, id);
    if (record === null) throw notFound();
    await deleteIncident(db, caller.accountId, record.id);
    const changes = { name: record.name };
    const note = { action: "incident.deleted", targetId: record.id, changes, at };
    await writeAuditEntry(db, caller, note);
  });
}
