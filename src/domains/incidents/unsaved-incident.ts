import { randomUUIDv7 } from "node:crypto";
import { invalid } from "../../platform/errors.ts";
import type { Caller } from "../accounts/index.ts";
import { chooseServices, getIncident, getTemplateFor } from "./actions.ts";
import type { IncidentsContext } from "./context.ts";
import {
  findStatusAt,
  foldUpdates,
  type Incident,
  type IncidentUpdate,
  type UpdateInput,
} from "./incident.ts";
import { fillIncident, fillUpdate, type IncidentRequest } from "./templates/incident-template.ts";

/** An unsaved post: a new incident, or further updates of an existing one. */
export interface UnsavedRequest extends IncidentRequest {
  readonly incidentId?: string | undefined;
}

export interface UnsavedIncident {
  /** The incident as it would be after posting. */
  readonly incident: Incident;
  /** The update that subscribers would receive: the newest of the added ones. */
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

/** Applies the same validation as posting, and stores nothing. */
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
