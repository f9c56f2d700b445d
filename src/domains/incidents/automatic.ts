/**
 * Incidents that a check's alert opens and its recovery resolves, in the caller's transaction: the
 * incident and the alert are stored together or not at all.
 */

import { randomUUIDv7 } from "node:crypto";
import type { Database } from "../../platform/database.ts";
import { clipText } from "../../platform/text/clip.ts";
import { type AuditActor, writeAuditEntry } from "../accounts/index.ts";
import { listServicesByIds } from "../status-pages/index.ts";
import { lockOwnIncident } from "./automatic-store.ts";
import {
  type IncidentRecord,
  maxDescriptionLength,
  maxNameLength,
  type Severity,
} from "./incident.ts";
import { saveCourse, writeIncident, writeUpdate } from "./incident-writing.ts";
import { mapServices } from "./store.ts";
import { listMoments } from "./updates/store.ts";

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
 * The id of the incident that was opened; null when this alert has opened one before, when the
 * check has one that is still its own, or when the service is no longer there.
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

/** Not before what the public was told last, or the incident would not be seen as resolved. */
async function chooseMoment(db: Database, incident: IncidentRecord, at: Date): Promise<Date> {
  const moments = await listMoments(db, incident.accountId, incident.id);
  const toldMs = moments.map(({ publicAt }) => publicAt.getTime());
  return new Date(Math.max(at.getTime(), ...toldMs));
}

/** The id of the incident that was resolved; null when there is none that is the check's own. */
export async function resolveAutomaticIncident(
  db: Database,
  accountId: string,
  input: ResolveAutomatically,
): Promise<string | null> {
  const { checkId, notifySubscribers, at } = input;
  const incident = await lockOwnIncident(db, accountId, checkId);
  if (incident === null) return null;
  const publicAt = await chooseMoment(db, incident, at);
  const services = (await mapServices(db, accountId, [incident.id])).get(incident.id) ?? [];
  const id = randomUUIDv7();
  const status = "RESOLVED";
  const description = clipText(input.description, maxDescriptionLength);
  await writeUpdate(db, incident, {
    id,
    input: { status, description, publicAt, notifySubscribers },
    author: null,
    services,
    at,
  });
  await saveCourse(db, incident, { at, isTakenOver: "no" });
  const changes = { incidentId: incident.id, status, checkId };
  const note = { action: "incident-update.created", targetId: id, changes, at };
  await writeAuditEntry(db, describeSystem(accountId), note);
  return incident.id;
}
