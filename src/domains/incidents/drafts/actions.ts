import type { Database } from "../../../platform/database.ts";
import { invalid } from "../../../platform/errors.ts";
import type { Caller } from "../../accounts/index.ts";
import type { Service } from "../../status-pages/index.ts";
import { chooseServices, getIncident, getTemplateFor } from "../actions.ts";
import type { IncidentsContext } from "../context.ts";
import { mapFollowed } from "../followed-store.ts";
import type { Incident } from "../incident.ts";
import { findStatusAt } from "../incident-span.ts";
import type { Followed } from "../service-state.ts";
import { fillIncident, fillUpdate, type IncidentRequest } from "../templates/filling.ts";
import type { IncidentTemplate } from "../templates/incident-template.ts";
import { type DraftText, type ServiceFacts, writeFirstText, writeNextText } from "./draft.ts";

export interface DraftRequest extends Omit<IncidentRequest, "updates"> {
  /** Drafts the next update of this incident; if absent, a new incident. */
  readonly incidentId?: string | undefined;
}

export interface DraftedService {
  readonly service: Service;
  readonly followed: Followed;
}

export interface IncidentDraftReport extends DraftText {
  readonly services: readonly DraftedService[];
}

function toFacts({ service, followed }: DraftedService): ServiceFacts {
  const { state, troubles } = followed;
  const ends = troubles.flatMap(({ endedAtMs }) => endedAtMs ?? []);
  const isOver = state?.status === "passing" && ends.length > 0;
  return {
    name: service.name,
    status: state?.status ?? null,
    since: state?.since ?? null,
    recoveredAt: isOver ? new Date(Math.max(...ends)) : null,
  };
}

async function findServices(
  db: Database,
  accountId: string,
  named: {
    readonly ids: readonly string[] | undefined;
    readonly template: IncidentTemplate | null;
    readonly incident: Incident | null;
  },
): Promise<readonly Service[]> {
  if (named.ids === undefined && named.incident !== null) return named.incident.services;
  return chooseServices(db, accountId, named);
}

function fillFromTemplate(
  request: DraftRequest,
  template: IncidentTemplate,
  known: {
    readonly incident: Incident | null;
    readonly services: readonly Service[];
    readonly now: Date;
  },
): DraftText {
  const { incident, services, now } = known;
  if (incident === null) {
    // Placeholders for fields that the template leaves open; the user chooses them later.
    const open = {
      name: request.name ?? (template.incidentName === null ? "-" : undefined),
      severity: request.severity ?? template.severity ?? "MAJOR",
    };
    const filled = fillIncident({ ...request, ...open }, { template, services, now });
    const [update] = filled.updates;
    if (update === undefined) throw invalid("templateId", "has no updates");
    const name = filled.name === "-" ? "" : filled.name;
    const { status, description } = update;
    return { name, severity: filled.severity, status, description, startedAt: null };
  }
  const { name, severity } = incident;
  const circumstances = { template, severity, services, now };
  const filled = fillUpdate(request, circumstances, (at) => findStatusAt(incident.updates, at));
  const { status, description } = filled;
  return { name, severity, status, description, startedAt: null };
}

/** Drafts a text from a template or from the states of the checks. Stores nothing. */
export async function draftIncident(
  context: IncidentsContext,
  caller: Pick<Caller, "accountId">,
  request: DraftRequest,
): Promise<IncidentDraftReport> {
  const { db } = context;
  const { accountId } = caller;
  const now = context.clock.now();
  const incident =
    request.incidentId === undefined
      ? null
      : await getIncident(context, caller, request.incidentId);
  const template = await getTemplateFor(db, accountId, request.templateId);
  const isOpenTemplate = template !== null && template.serviceIds.length === 0;
  const ids = request.serviceIds ?? (isOpenTemplate && incident === null ? [] : undefined);
  const found = await findServices(db, accountId, { ids, template, incident });
  const from = incident?.startedAt ?? now;
  const followed = await mapFollowed(db, accountId, { services: found, from, to: now });
  const unfollowed: Followed = { state: null, troubles: [] };
  const services = found.map((service) => ({
    service,
    followed: followed.get(service.id) ?? unfollowed,
  }));
  if (template !== null) {
    const known = { incident, services: found, now };
    return { ...fillFromTemplate(request, template, known), services };
  }
  const facts = services.map(toFacts);
  const text =
    incident === null
      ? writeFirstText(facts, now)
      : writeNextText({ ...incident, services: facts }, now);
  return { ...text, services };
}
