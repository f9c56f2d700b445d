import { Type } from "typebox";
import type { Database } from "../../platform/database.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { invalid } from "../../platform/errors.ts";
import { answers, DateTime, Described, Guid, OneOf, OrNull } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import type { Caller } from "../accounts/index.ts";
import type { Service } from "../status-pages/index.ts";
import { chooseServices, getIncident, getTemplateFor } from "./actions.ts";
import type { IncidentsContext } from "./context.ts";
import { type DraftText, type ServiceFacts, writeFirstText, writeNextText } from "./draft-text.ts";
import { findStatusAt, type Incident } from "./incident.ts";
import {
  IncidentName,
  ServiceReferences,
  SeveritySchema,
  Status,
  TemplateId,
  toServiceIds,
  Variables,
} from "./schema.ts";
import type { Followed } from "./service-state.ts";
import {
  fillIncident,
  fillUpdate,
  type IncidentRequest,
  type IncidentTemplate,
} from "./templates/incident-template.ts";
import { mapFollowed } from "./uptime-store.ts";

const DraftBody = Type.Object(
  {
    incidentId: Described(
      Type.Optional(Guid),
      "The incident whose next update to draft. Omit it to draft a new incident.",
    ),
    services: Described(
      Type.Optional(ServiceReferences),
      "Ids of the affected services. Required without `incidentId` and `templateId`.",
    ),
    templateId: Described(
      TemplateId,
      "The template to fill in. Omit it to write the text from the states of the checks.",
    ),
    variables: Described(Variables, "Values for the template's variables."),
    name: Described(Type.Optional(IncidentName), "Name of the incident, if already chosen."),
    severity: Described(
      Type.Optional(SeveritySchema),
      "Severity of the incident, if already known.",
    ),
    status: Described(
      Type.Optional(Status),
      "Selects the template's first update with this status.",
    ),
  },
  { title: "IncidentDraftInput" },
);
type DraftBody = Type.Static<typeof DraftBody>;

const DraftSchema = Type.Object(
  {
    name: Type.String({
      description: "Name of the incident; empty if the template has none.",
      examples: ["Outage: Payments"],
    }),
    severity: Described(SeveritySchema, "A severity."),
    status: Described(Status, "The status of the update."),
    description: Type.String({
      description: "Text in Markdown. It names services, never checks or hosts.",
      examples: ["**Payments** is not working."],
    }),
    startedAt: Described(
      OrNull(DateTime),
      "Start of the failure according to the checks; `null` if unknown.",
    ),
    services: Type.Array(
      Type.Object({
        id: Described(Guid, "Its id."),
        name: Type.String({ description: "Its name.", examples: ["Payments"] }),
        status: Described(
          OrNull(OneOf(["passing", "degraded", "failing", "unknown"])),
          "State of its checks; `null` if it follows none.",
        ),
        since: Described(OrNull(DateTime), "Start of this state; `null` if unknown."),
        checkIds: Type.Array(Guid, { description: "Active checks that the service follows." }),
      }),
      { description: "The services and the states that the text is based on." },
    ),
  },
  { title: "IncidentDraft" },
);

function fromWireDraft(body: DraftBody): DraftRequest {
  const { services, variables, ...rest } = body;
  return {
    ...rest,
    serviceIds: services && toServiceIds(services),
    variables: new Map(Object.entries(variables ?? {})),
  };
}

function toWireDraft({ services, startedAt, ...text }: IncidentDraftReport) {
  return {
    ...text,
    startedAt: startedAt && formatDateTime(startedAt),
    services: services.map(({ service, followed: { state } }) => ({
      id: service.id,
      name: service.name,
      status: state?.status ?? null,
      since: state?.since ? formatDateTime(state.since) : null,
      checkIds: [...(state?.checkIds ?? [])],
    })),
  };
}

export interface DraftRequest extends Omit<IncidentRequest, "updates"> {
  /** Drafts the next update of this incident; if absent, a new incident. */
  readonly incidentId?: string | undefined;
}

interface DraftedService {
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

export function addDraftRoutes(server: HttpServer, context: IncidentsContext): void {
  server.post(
    "/v1/status-pages/incidents/draft",
    {
      config: { access: "read" },
      schema: {
        tags: ["Incidents"],
        operationId: "draftIncident",
        summary: "Draft an incident or its next update",
        description:
          "With `templateId` the template is filled in. Otherwise the text is written from the " +
          "states of the services' checks: since when they fail, or that they recovered. Nothing " +
          "is stored, no language model is used, and no data leaves this server.",
        body: DraftBody,
        response: answers({ 200: DraftSchema }, "notFound"),
      },
    },
    async ({ caller, body }) =>
      toWireDraft(await draftIncident(context, caller, fromWireDraft(body))),
  );
}
