/** Writing that people and the automation share, in the caller's transaction. */
import { randomUUIDv7 } from "node:crypto";
import type { Database } from "../../platform/database.ts";
import type { Service } from "../status-pages/index.ts";
import { announce } from "../subscribers/index.ts";
import type { IncidentRecord, IncidentUpdate, Severity, UpdateInput } from "./incident.ts";
import { foldUpdates } from "./incident-span.ts";
import { insertIncident, replaceServices, saveIncident } from "./store.ts";
import { insertUpdates, listMoments } from "./updates/store.ts";

export interface IncidentDraft {
  readonly id: string;
  readonly name: string;
  readonly severity: Severity;
  readonly services: readonly Service[];
  /** In the order in which they were written. */
  readonly updates: readonly UpdateInput[];
  /** Null for the automation. */
  readonly author: string | null;
  readonly origin: { readonly checkId: string; readonly alertNumber: number } | null;
  readonly at: Date;
}

/** Announces each new update once; edits are not announced. */
async function announceUpdates(
  db: Database,
  incident: Pick<IncidentRecord, "id" | "accountId" | "name" | "severity">,
  told: { readonly updates: readonly IncidentUpdate[]; readonly services: readonly Service[] },
): Promise<void> {
  for (const update of told.updates.filter(({ notifySubscribers }) => notifySubscribers)) {
    await announce(db, incident.accountId, {
      sourceId: update.id,
      kind: "incident",
      title: incident.name,
      status: update.status,
      severity: incident.severity,
      body: update.description,
      serviceIds: told.services.map(({ id }) => id),
      serviceNames: told.services.map(({ name }) => name),
      incidentId: incident.id,
      at: update.createdAt,
    });
  }
}

/** False when the automation has its incident already; then nothing is written. */
export async function writeIncident(
  db: Database,
  accountId: string,
  draft: IncidentDraft,
): Promise<boolean> {
  const { id, name, severity, services, author, origin, at } = draft;
  const isAutomatic = origin !== null;
  const moments = draft.updates.map((update, number) => ({ ...update, author, number }));
  const record: IncidentRecord = {
    ...foldUpdates(moments, isAutomatic),
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

/** Adds an update to an incident that is locked. */
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

/** Recomputes what follows from the updates of a locked incident. */
export async function saveCourse(
  db: Database,
  incident: IncidentRecord,
  change: { readonly at: Date; readonly isTakenOver: "yes" | "no" | "if-opened-again" },
): Promise<void> {
  const moments = await listMoments(db, incident.accountId, incident.id);
  const course = foldUpdates(moments, incident.isAutomatic);
  const isOpenedAgain = incident.resolvedAt !== null && course.resolvedAt === null;
  // What a person opened again is theirs: the automation may have another of its own by now.
  const isTakenOver =
    change.isTakenOver === "yes" || (change.isTakenOver === "if-opened-again" && isOpenedAgain);
  await saveIncident(db, incident.accountId, {
    ...incident,
    ...course,
    takenOverAt: incident.takenOverAt ?? (incident.isAutomatic && isTakenOver ? change.at : null),
    updatedAt: change.at,
  });
}
