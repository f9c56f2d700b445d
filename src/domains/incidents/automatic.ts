/**
 * Opens an incident with a check's alert or for a rule and resolves it with the recovery, in the
 * caller's transaction: the incident and its cause are stored together or not at all.
 */

import { randomUUIDv7 } from "node:crypto";
import type { Database } from "../../platform/database.ts";
import { clipText } from "../../platform/text/clip.ts";
import { type AuditActor, writeAuditEntry } from "../accounts/index.ts";
import { listServicesByIds } from "../status-pages/index.ts";
import {
  type IncidentRecord,
  maxDescriptionLength,
  maxNameLength,
  type Severity,
  severities,
} from "./incident.ts";
import { saveCourse, writeIncident, writeUpdate } from "./incident-writing.ts";
import { lockOwnIncident, lockRecord, mapServices } from "./store.ts";
import { listStatusChanges } from "./updates/store.ts";

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
 * Returns the id of the opened incident. Returns `null` if this alert already opened one, if the
 * check already controls an open incident, or if the service no longer exists.
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

export interface OpenByRule
  extends Pick<OpenAutomatically, "name" | "description" | "notifySubscribers" | "at"> {
  readonly ruleId: string;
  /** The affected services, each with its severity; that of the incident is the worst. */
  readonly services: readonly { readonly id: string; readonly severity: Severity }[];
}

/** Returns the id of the opened incident; `null` if none of its services exists. */
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
 * Returns a time not before the last public update; otherwise the incident would not be shown as
 * resolved.
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

/** Returns the id of the resolved incident; `null` if the check controls no open incident. */
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

/** Resolves the incident of a rule, unless it is resolved already or a person has taken it over. */
export async function resolveRuleIncident(
  db: Database,
  accountId: string,
  { incidentId, ...resolution }: Resolution & { readonly incidentId: string },
): Promise<void> {
  const incident = await lockRecord(db, accountId, incidentId);
  if (incident === null || incident.resolvedAt !== null || incident.takenOverAt !== null) return;
  await resolve(db, incident, resolution);
}
