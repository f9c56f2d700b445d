import { Type } from "typebox";
import type { Caller } from "../../access/accounts/index.ts";
import { findWorst, type State } from "../../pages/states.ts";
import type { Database } from "../../platform/database.ts";
import { formatDate, formatDateTime } from "../../platform/dates.ts";
import { invalid } from "../../platform/errors.ts";
import { answers, DateTime, Described, Guid, OneOf, OrNull } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { toShortLine } from "../../platform/text/clip.ts";
import { toMarkdownLine } from "../../platform/text/escaping.ts";
import type { Service } from "../../sites/status-pages/index.ts";
import { chooseServices, getIncident, getTemplateFor } from "./actions.ts";
import type { IncidentsContext } from "./incident.ts";
import { findStatusAt, type Incident, type IncidentStatus, type Severity } from "./incident.ts";
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

const maxNames = 3;
const maxServiceNameLength = 60;

/** A service and the state of the checks that it follows. */
export interface ServiceFacts {
  readonly name: string;
  /** Combined state of the followed checks; `null` if the service follows no check. */
  readonly status: State | null;
  /** Start of the current problem; `null` if there is none or its start is unknown. */
  readonly since: Date | null;
  /** End of the last problem; `null` if there was none or the service is not passing now. */
  readonly recoveredAt: Date | null;
}

interface DraftText {
  readonly name: string;
  readonly severity: Severity;
  readonly status: IncidentStatus;
  /** Text in Markdown. Names only services, because names of checks and hosts are not public. */
  readonly description: string;
  /** Start of the earliest problem, suggested as the start of the incident; `null` if unknown. */
  readonly startedAt: Date | null;
}

/** Joins names, for example as "Payments and Shop" or "Payments, Shop, Mail and 2 more". */
function listNames(services: readonly ServiceFacts[], write: (name: string) => string): string {
  const names = services.map(({ name }) => write(toShortLine(name, maxServiceNameLength)));
  const shown = names.slice(0, maxNames);
  const left = names.length - shown.length;
  const last = left > 0 ? `${left} more` : shown.pop();
  return shown.length === 0 ? (last ?? "") : `${shown.join(", ")} and ${last}`;
}

function formatTime(at: Date, now: Date): string {
  const time = `${formatDateTime(at).slice(11, 16)} UTC`;
  return formatDate(at) === formatDate(now) ? time : `${formatDate(at)} ${time}`;
}

function findEarliest(times: readonly (Date | null)[]): Date | null {
  const timesMs = times.flatMap((at) => (at === null ? [] : [at.getTime()]));
  return timesMs.length === 0 ? null : new Date(Math.min(...timesMs));
}

const isInTrouble = ({ status }: ServiceFacts) => status === "failing" || status === "degraded";

/** Drafts name, severity and first update of an incident from the states of its services. */
export function writeFirstText(services: readonly ServiceFacts[], now: Date): DraftText {
  const troubled = services.filter(isInTrouble);
  const worst = findWorst(troubled.map(({ status }) => status ?? "unknown"));
  const about = troubled.length > 0 ? troubled : services;
  const names = listNames(about, (name) => name);
  const bold = listNames(about, (name) => `**${toMarkdownLine(name)}**`);
  const have = about.length === 1 ? "has" : "have";
  const are = about.length === 1 ? "is" : "are";
  const startedAt = findEarliest(troubled.map(({ since }) => since));
  const since = startedAt && formatTime(startedAt, now);
  const promise = "We are investigating the cause and will post updates here.";
  const status = "INVESTIGATING";
  if (worst === "failing") {
    const what = since
      ? `Since ${since}, ${bold} ${have} not been working.`
      : `${bold} ${are} not working.`;
    const description = `${what} ${promise}`;
    return { name: `Outage: ${names}`, severity: "MAJOR", status, description, startedAt };
  }
  if (worst === "degraded") {
    const what = since
      ? `Since ${since}, ${bold} ${have} been slower or less reliable than usual.`
      : `${bold} ${are} slower or less reliable than usual.`;
    const description = `${what} ${promise}`;
    return { name: `Degraded: ${names}`, severity: "MINOR", status, description, startedAt };
  }
  const description = `We are investigating possible problems with ${bold}. We will post updates here.`;
  return { name: `Problems: ${names}`, severity: "MINOR", status, description, startedAt: null };
}

/**
 * Drafts the next update of an incident. The draft never states that the incident is resolved,
 * because passing checks do not prove this.
 */
export function writeNextText(
  incident: {
    readonly name: string;
    readonly severity: Severity;
    readonly status: IncidentStatus;
    readonly services: readonly ServiceFacts[];
  },
  now: Date,
): DraftText {
  const { name, severity, services } = incident;
  const troubled = services.filter(isInTrouble);
  const write = (some: readonly ServiceFacts[]) =>
    listNames(some, (one) => `**${toMarkdownLine(one)}**`);
  if (troubled.length > 0) {
    const worst = findWorst(troubled.map(({ status }) => status ?? "unknown"));
    const are = troubled.length === 1 ? "is" : "are";
    const how = worst === "failing" ? "not working" : "slower or less reliable than usual";
    const description = `${write(troubled)} ${are} still ${how}. We continue to work on it.`;
    const status = incident.status === "RESOLVED" ? "INVESTIGATING" : incident.status;
    return { name, severity, status, description, startedAt: null };
  }
  const watched = services.filter(({ status }) => status === "passing");
  const ends = watched.flatMap(({ recoveredAt }) => recoveredAt?.getTime() ?? []);
  const since = ends.length > 0 ? formatTime(new Date(Math.max(...ends)), now) : null;
  const have = watched.length === 1 ? "has" : "have";
  const are = watched.length === 1 ? "is" : "are";
  const works = since
    ? `${write(watched)} ${have} been working again since ${since}.`
    : `${write(watched)} ${are} working.`;
  const description =
    watched.length === 0
      ? "We continue to work on this and will post updates here."
      : `${works} We are monitoring the situation before we mark this as resolved.`;
  const status = watched.length === 0 ? incident.status : "MONITORING";
  return { name, severity, status, description, startedAt: null };
}

/** Drafts an update with the status that a person has chosen for the incident. */
export function writeTextOf(
  status: IncidentStatus,
  incident: Pick<Incident, "name" | "severity" | "startedAt">,
  { services, now }: { readonly services: readonly ServiceFacts[]; readonly now: Date },
): DraftText {
  const { name, severity } = incident;
  const which = listNames(services, (one) => `**${toMarkdownLine(one)}**`) || "some services";
  const since = formatTime(incident.startedAt, now);
  const isFailing = services.some(isInTrouble);
  const isWatched = services.some((one) => one.status === "passing");
  const seen = isFailing
    ? " Our monitoring still sees failures."
    : isWatched
      ? " Our monitoring sees no failures now."
      : "";
  const texts: Readonly<Record<IncidentStatus, string>> = {
    INVESTIGATING: `Since ${since} we see problems that affect ${which}. We are investigating the cause.${seen}`,
    IDENTIFIED: `We have identified the cause of the problems that affect ${which} since ${since} and are working on a fix.${seen}`,
    MONITORING: `The problems that affected ${which} since ${since} appear to be over.${seen} We are monitoring the situation before we mark this as resolved.`,
    RESOLVED: `The problems that affected ${which} since ${since} are resolved. We are sorry for the trouble.`,
  };
  return { name, severity, status, description: texts[status], startedAt: null };
}

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
      "Selects the template's first update with this status. Without a template, the status of " +
        "the incident's next update.",
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

interface DraftRequest extends Omit<IncidentRequest, "updates"> {
  /** Id of the incident whose next update is drafted. If absent, a new incident is drafted. */
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
    // Use placeholders for fields that neither the request nor the template contains. The user
    // replaces the placeholders later.
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

/** Drafts an update from a template or from the states of the checks. Stores nothing. */
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
  if (incident === null) return { ...writeFirstText(facts, now), services };
  const text =
    request.status === undefined
      ? writeNextText({ ...incident, services: facts }, now)
      : writeTextOf(request.status, incident, { services: facts, now });
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
