/** Writes shared by users and by automatic incidents, in the caller's transaction. */
import { randomUUIDv7 } from "node:crypto";
import type { Database } from "../../platform/database.ts";
import { ruleEvaluations, type Service } from "../status-pages/index.ts";
import { announce } from "../subscribers/index.ts";
import {
  foldUpdates,
  type IncidentRecord,
  type IncidentUpdate,
  type Severity,
  type UpdateInput,
} from "./incident.ts";
import {
  type AffectedService,
  insertIncident,
  insertUpdates,
  listStatusChanges,
  replaceServices,
  saveIncident,
} from "./store.ts";

export interface IncidentDraft {
  readonly id: string;
  readonly name: string;
  readonly severity: Severity;
  readonly services: readonly AffectedService[];
  /** In the order of writing. */
  readonly updates: readonly UpdateInput[];
  /** `null` for automatic incidents. */
  readonly author: string | null;
  /** Both fields are `null` for an incident that a rule opens; `null` if a person opens it. */
  readonly origin: Pick<IncidentRecord, "checkId" | "alertNumber"> | null;
  readonly at: Date;
}

/** Queues one announcement per new update; edits are not announced. */
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

/** Returns false and writes nothing if the alert already has its incident. */
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

/** Recomputes the derived fields of a locked incident from its updates. */
export async function saveCourse(
  db: Database,
  incident: IncidentRecord,
  change: { readonly at: Date; readonly isTakenOver: "yes" | "no" | "if-opened-again" },
): Promise<void> {
  const statusChanges = await listStatusChanges(db, incident.accountId, incident.id);
  const course = foldUpdates(statusChanges, incident.isAutomatic);
  const isOpenedAgain = incident.resolvedAt !== null && course.resolvedAt === null;
  // A person who reopens an incident takes it over: the check may have opened another one by now.
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
