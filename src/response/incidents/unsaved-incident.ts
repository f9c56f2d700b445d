import { randomUUIDv7 } from "node:crypto";
import { type AuditActor, type Caller, writeAuditEntry } from "../../access/accounts/index.ts";
import type { Database } from "../../platform/database.ts";
import { invalid } from "../../platform/errors.ts";
import { clipText } from "../../platform/text/clip.ts";
import { listServicesByIds } from "../../sites/status-pages/index.ts";
import {
  chooseServices,
  getIncident,
  getTemplateFor,
  saveCourse,
  writeIncident,
  writeUpdate,
} from "./actions.ts";
import {
  findStatusAt,
  foldUpdates,
  type Incident,
  type IncidentRecord,
  type IncidentsContext,
  type IncidentUpdate,
  maxDescriptionLength,
  maxNameLength,
  type Severity,
  severities,
  type UpdateInput,
} from "./incident.ts";
import { listStatusChanges, lockOwnIncident, lockRecord, mapServices } from "./store.ts";
import { fillIncident, fillUpdate, type IncidentRequest } from "./templates/incident-template.ts";

/**
 * An incident that the alert of a check opens. It is written in the caller's transaction, so that
 * the incident and its cause are stored together or not at all.
 */
export interface OpenAutomatically {
  readonly checkId: string;
  readonly alertNumber: number;
  readonly name: string;
  readonly description: string;
  readonly severity: Severity;
  readonly serviceId: string;
  readonly notifySubscribers: boolean;
  readonly at: Date;
}

export interface ResolveAutomatically {
  readonly checkId: string;
  readonly description: string;
  readonly notifySubscribers: boolean;
  readonly at: Date;
}

function describeSystem(accountId: string): AuditActor {
  return {
    type: "SYSTEM",
    credentialId: null,
    label: "incident automation",
    accountId,
    address: null,
    requestId: null,
  };
}

/**
 * Opens an incident for an alert of a check, and returns its id. Returns `null` if the alert
 * already opened an incident, if the check already controls an open incident, or if the affected
 * service no longer exists.
 */
export async function openAutomaticIncident(
  db: Database,
  accountId: string,
  input: OpenAutomatically,
): Promise<string | null> {
  const { checkId, alertNumber, severity, notifySubscribers, at } = input;
  const services = await listServicesByIds(db, accountId, [input.serviceId]);
  if (services.length === 0) return null;
  const id = randomUUIDv7();
  const name = clipText(input.name, maxNameLength);
  const description = clipText(input.description, maxDescriptionLength);
  const isOpened = await writeIncident(db, accountId, {
    id,
    name,
    severity,
    services,
    updates: [{ status: "INVESTIGATING", description, publicAt: at, notifySubscribers }],
    author: null,
    origin: { checkId, alertNumber },
    at,
  });
  if (!isOpened) return null;
  const changes = { name, severity, checkId };
  const note = { action: "incident.created", targetId: id, changes, at };
  await writeAuditEntry(db, describeSystem(accountId), note);
  return id;
}

interface OpenByRule
  extends Pick<OpenAutomatically, "name" | "description" | "notifySubscribers" | "at"> {
  readonly ruleId: string;
  /**
   * Affected services, each with its severity. The incident gets the worst of these severities.
   * Services that no longer exist are ignored.
   */
  readonly services: readonly { readonly id: string; readonly severity: Severity }[];
}

/**
 * Opens an incident for an automation rule. Returns its id; `null` if none of the services exists.
 */
export async function openRuleIncident(
  db: Database,
  accountId: string,
  input: OpenByRule,
): Promise<string | null> {
  const severityOf = new Map(input.services.map(({ id, severity }) => [id, severity]));
  const found = await listServicesByIds(db, accountId, [...severityOf.keys()]);
  const severity = severities.find((one) => found.some(({ id }) => severityOf.get(id) === one));
  if (severity === undefined) return null;
  const services = found.map((service) => {
    const own = severityOf.get(service.id);
    return own === undefined || own === severity ? service : { ...service, severity: own };
  });
  const id = randomUUIDv7();
  const name = clipText(input.name, maxNameLength);
  const description = clipText(input.description, maxDescriptionLength);
  const { notifySubscribers, at } = input;
  await writeIncident(db, accountId, {
    ...{ id, name, severity, services, author: null, at },
    updates: [{ status: "INVESTIGATING", description, publicAt: at, notifySubscribers }],
    origin: { checkId: null, alertNumber: null },
  });
  const changes = { name, severity, ruleId: input.ruleId };
  const note = { action: "incident.created", targetId: id, changes, at };
  await writeAuditEntry(db, describeSystem(accountId), note);
  return id;
}

/**
 * Returns `at`, or the newest public date of the updates if that date is later. The update with the
 * newest date determines the status, so an earlier resolution would have no effect.
 */
async function chooseResolutionTime(
  db: Database,
  incident: IncidentRecord,
  at: Date,
): Promise<Date> {
  const statusChanges = await listStatusChanges(db, incident.accountId, incident.id);
  const publicTimesMs = statusChanges.map(({ publicAt }) => publicAt.getTime());
  return new Date(Math.max(at.getTime(), ...publicTimesMs));
}

type Resolution = Omit<ResolveAutomatically, "checkId">;

async function resolve(
  db: Database,
  incident: IncidentRecord,
  { description, notifySubscribers, at }: Resolution,
): Promise<void> {
  const { accountId, checkId } = incident;
  const publicAt = await chooseResolutionTime(db, incident, at);
  const services = (await mapServices(db, accountId, [incident.id])).get(incident.id) ?? [];
  const id = randomUUIDv7();
  const status = "RESOLVED";
  const text = clipText(description, maxDescriptionLength);
  await writeUpdate(db, incident, {
    id,
    input: { status, description: text, publicAt, notifySubscribers },
    author: null,
    services,
    at,
  });
  await saveCourse(db, incident, { at, isTakenOver: "no" });
  const changes = { incidentId: incident.id, status, ...(checkId !== null && { checkId }) };
  const note = { action: "incident-update.created", targetId: id, changes, at };
  await writeAuditEntry(db, describeSystem(accountId), note);
}

/** Resolves the open incident that a check controls. Returns its id; `null` if there is none. */
export async function resolveAutomaticIncident(
  db: Database,
  accountId: string,
  { checkId, ...resolution }: ResolveAutomatically,
): Promise<string | null> {
  const incident = await lockOwnIncident(db, accountId, checkId);
  if (incident === null) return null;
  await resolve(db, incident, resolution);
  return incident.id;
}

/**
 * Resolves the incident of an automation rule, unless the incident is already resolved or a person
 * has taken it over.
 */
export async function resolveRuleIncident(
  db: Database,
  accountId: string,
  { incidentId, ...resolution }: Resolution & { readonly incidentId: string },
): Promise<void> {
  const incident = await lockRecord(db, accountId, incidentId);
  if (incident === null || incident.resolvedAt !== null || incident.takenOverAt !== null) return;
  await resolve(db, incident, resolution);
}

/** A request whose result is not saved: a new incident, or an update of an existing incident. */
export interface UnsavedRequest extends IncidentRequest {
  readonly incidentId?: string | undefined;
}

export interface UnsavedIncident {
  /** The incident as it would be after saving the request. */
  readonly incident: Incident;
  /** The update that subscribers would receive, which is the newest of the added updates. */
  readonly announcedUpdate: IncidentUpdate;
}

function byDate(one: IncidentUpdate, other: IncidentUpdate): number {
  return other.publicAt.getTime() - one.publicAt.getTime() || other.number - one.number;
}

function addUpdates(
  incident: Incident,
  added: readonly UpdateInput[],
  { author, at }: { readonly author: string; readonly at: Date },
): UnsavedIncident {
  const last = Math.max(-1, ...incident.updates.map(({ number }) => number));
  const fresh = added.map((input, index) => ({
    ...input,
    id: randomUUIDv7(),
    incidentId: incident.id,
    author,
    number: last + 1 + index,
    notifiedCount: null,
    createdAt: at,
    updatedAt: null,
  }));
  const updates = [...incident.updates, ...fresh].toSorted(byDate);
  const [announcedUpdate] = fresh.toSorted(byDate);
  if (announcedUpdate === undefined) throw invalid("incidentUpdates", "is required");
  const course = foldUpdates(updates, incident.isAutomatic);
  return { incident: { ...incident, ...course, updates }, announcedUpdate };
}

async function composeNew(
  context: IncidentsContext,
  caller: Caller,
  request: UnsavedRequest,
): Promise<UnsavedIncident> {
  const { db } = context;
  const { accountId } = caller;
  const now = context.clock.now();
  const template = await getTemplateFor(db, accountId, request.templateId);
  const services = await chooseServices(db, accountId, { ids: request.serviceIds, template });
  const input = fillIncident(request, { template, services, now });
  const blank: Incident = {
    id: randomUUIDv7(),
    accountId,
    name: input.name,
    severity: input.severity,
    services,
    updates: [],
    isAutomatic: false,
    checkId: null,
    alertNumber: null,
    takenOverAt: null,
    version: 1,
    createdAt: now,
    updatedAt: null,
    status: "INVESTIGATING",
    startedAt: now,
    resolvedAt: null,
    acknowledgedAt: null,
    openSpans: [],
  };
  return addUpdates(blank, input.updates, { author: caller.label, at: now });
}

/** Returns the incident that a request would create or change. Validates, but stores nothing. */
export async function composeIncident(
  context: IncidentsContext,
  caller: Caller,
  request: UnsavedRequest,
): Promise<UnsavedIncident> {
  if (request.incidentId === undefined) return composeNew(context, caller, request);
  const now = context.clock.now();
  const incident = await getIncident(context, caller, request.incidentId);
  const template = await getTemplateFor(context.db, caller.accountId, request.templateId);
  const { severity, services } = incident;
  const requestedUpdates = request.updates ?? [{ ...request, updates: undefined }];
  const inputs = requestedUpdates.map((update) =>
    fillUpdate(update, { template, severity, services, now }, (at) =>
      findStatusAt(incident.updates, at),
    ),
  );
  return addUpdates(incident, inputs, { author: caller.label, at: now });
}
