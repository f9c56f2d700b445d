import { Type } from "typebox";
import { formatDateTime, toDay } from "../../platform/dates.ts";
import {
  CursorPage,
  CursorQuery,
  DateOnly,
  DateTime,
  Described,
  exampleId,
  Filled,
  Guid,
  maxInteger,
  OneOf,
  OrNull,
} from "../../platform/http/schema.ts";
import { tagVersion } from "../../platform/http/send.ts";
import { ServiceSchema, toWireService } from "../../sites/status-pages/index.ts";
import {
  type Incident,
  type IncidentUpdate,
  incidentStatuses,
  maxDescriptionLength,
  maxFirstUpdates,
  maxNameLength,
  maxServices,
  measureDuration,
  measureTimeToAcknowledge,
  severities,
} from "./incident.ts";
import type { IncidentRequest, UpdateRequest } from "./templates/incident-template.ts";

/** Read-only fields. Requests may contain them, so that clients can send back what they read. */
const Ignored = Type.Optional(Type.Unknown({ description: "Read-only; ignored in requests." }));

export const Status = OneOf(incidentStatuses);
export const SeveritySchema = OneOf(severities);
export const IncidentName = Filled({ maxLength: maxNameLength });
export const Description = Filled({ maxLength: maxDescriptionLength, description: "Markdown" });
export const Variables = Type.Optional(
  Type.Record(
    Type.String({ pattern: "^[A-Za-z][A-Za-z0-9_]{0,63}$" }),
    Type.String({ maxLength: 2_000 }),
    {
      maxProperties: 50,
      additionalProperties: false,
      description: "Values for the template's variables.",
    },
  ),
);
export const TemplateId = Type.Optional(Type.String({ format: "uuid" }));

export const ServiceReferences = Type.Array(
  Type.Object({
    id: Described(Guid, "Its id."),
    name: Described(Ignored, "Read-only; ignored in requests."),
    accountId: Described(Ignored, "Read-only; ignored in requests."),
    created_at: Described(Ignored, "Read-only; ignored in requests."),
    updated_at: Described(Ignored, "Read-only; ignored in requests."),
  }),
  { minItems: 1, maxItems: maxServices },
);

const updateFields = {
  status: Described(
    Type.Optional(Status),
    "Status from this update on. If omitted, unchanged.",
    "MONITORING",
  ),
  publicIncidentUpdateDate: Type.Optional(
    Type.String({
      format: "date-time",
      description: "Public date of the update; may be in the past. Default: now.",
    }),
  ),
  notifySubscribers: Type.Optional(
    Type.Boolean({
      description: "Whether to notify subscribers. Default: false. Edits never notify.",
    }),
  ),
  id: Described(Ignored, "Read-only; ignored in requests."),
  notifiedCount: Described(Ignored, "Read-only; ignored in requests."),
  author: Described(Ignored, "Read-only; ignored in requests."),
  created_at: Described(Ignored, "Read-only; ignored in requests."),
};
export const UpdateBody = Type.Object(
  {
    description: Described(Description, "Text of the update, in Markdown.", "A fix is in place."),
    ...updateFields,
  },
  { title: "IncidentUpdateChange" },
);
export type UpdateBody = Type.Static<typeof UpdateBody>;
/** Request body of an update. The text comes from the body or from a template. */
export const UpdatePost = Type.Object(
  {
    description: Described(
      Type.Optional(Description),
      "Text of the update, in Markdown. Required without `templateId`.",
    ),
    ...updateFields,
    templateId: Described(TemplateId, "The template to fill in."),
    variables: Described(Variables, "Values for the template's variables."),
  },
  {
    title: "IncidentUpdateInput",
    if: { required: ["templateId"] },
    else: { required: ["description"] },
    examples: [{ status: "RESOLVED", description: "Card payments work again." }],
  },
);
export type UpdatePost = Type.Static<typeof UpdatePost>;

const ignoredFields = {
  id: Ignored,
  created_at: Ignored,
  updated_at: Ignored,
  duration: Ignored,
  startedAt: Ignored,
  resolvedAt: Ignored,
  checkId: Ignored,
  alertNumber: Ignored,
  isTakenOver: Ignored,
};
export const IncidentBody = Type.Object(
  {
    name: Described(
      Type.Optional(IncidentName),
      "Name of the incident. Required without `templateId`, like the next three fields.",
    ),
    severity: Described(
      Type.Optional(SeveritySchema),
      "Severity. CRITICAL and MAJOR count as down.",
    ),
    services: Described(Type.Optional(ServiceReferences), "The affected services, by id."),
    incidentUpdates: Type.Optional(
      Type.Array(UpdateBody, {
        description: "The first updates; at least one.",
        minItems: 1,
        maxItems: maxFirstUpdates,
      }),
    ),
    lastUpdateStatus: Described(
      Type.Optional(Status),
      "Status of updates that have none. Default: INVESTIGATING.",
    ),
    templateId: Described(TemplateId, "The template to fill in."),
    variables: Described(Variables, "Values for the template's variables."),
    ...ignoredFields,
  },
  {
    title: "IncidentInput",
    if: { required: ["templateId"] },
    else: { required: ["name", "severity", "services", "incidentUpdates"] },
    examples: [
      {
        name: "Payments fail",
        severity: "MAJOR",
        services: [{ id: exampleId }],
        incidentUpdates: [
          {
            status: "INVESTIGATING",
            description: "Cards are declined. We are investigating.",
            notifySubscribers: true,
          },
        ],
      },
    ],
  },
);
export type IncidentBody = Type.Static<typeof IncidentBody>;

export const IncidentPut = Type.Object(
  {
    name: Described(IncidentName, "Its name.", "Payments fail"),
    severity: Described(SeveritySchema, "Severity. CRITICAL and MAJOR count as down."),
    services: Described(ServiceReferences, "The affected services, by id."),
    ...ignoredFields,
    lastUpdateStatus: Described(Ignored, "Read-only; ignored in requests."),
  },
  { title: "IncidentReplacement" },
);
export const IncidentPatch = Type.Object(
  {
    name: Described(Type.Optional(IncidentName), "Its name.", "Payments fail"),
    severity: Described(
      Type.Optional(SeveritySchema),
      "Severity. CRITICAL and MAJOR count as down.",
    ),
    services: Described(Type.Optional(ServiceReferences), "The affected services, by id."),
    ...ignoredFields,
    lastUpdateStatus: Described(Ignored, "Read-only; ignored in requests."),
  },
  { title: "IncidentChange" },
);
export type IncidentPatch = Type.Static<typeof IncidentPatch>;

export const IncidentParams = Type.Object({ incidentId: Described(Guid, "The incident's id.") });
export const IncidentQuery = Type.Object({
  ...CursorQuery,
  status: Described(
    Type.Optional(OneOf(["ongoing", "resolved"])),
    "Only ongoing or only resolved incidents.",
  ),
  serviceId: Described(Type.Optional(Guid), "Only incidents that affect this service."),
  statusPageId: Described(Type.Optional(Guid), "Only incidents that this status page shows."),
  severity: Described(Type.Optional(SeveritySchema), "Only incidents of this severity."),
  sort: Described(
    Type.Optional(OneOf(["written", "started"])),
    "Sort order: newest first by creation time (the default) or by start.",
  ),
});

export const UpdateSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    description: Type.String({
      description: "Text of the update, in Markdown.",
      examples: ["Cards are declined."],
    }),
    status: Described(Status, "Status from this update on."),
    publicIncidentUpdateDate: Described(DateTime, "Public date of the update."),
    notifySubscribers: Type.Boolean({ description: "Whether subscribers were notified." }),
    notifiedCount: Described(
      OrNull(Type.Integer({ minimum: 0, maximum: maxInteger })),
      "Number of subscribers it was sent to; `null` if it was not sent, or too long ago.",
    ),
    author: Type.Union([Type.String(), Type.Null()], {
      description: "Name of the author; `null` for an automatic update. Not public.",
      examples: ["Ada Lovelace"],
    }),
    created_at: Described(DateOnly, "Date of creation, in UTC."),
  },
  { title: "IncidentUpdate" },
);
export const IncidentSchema = Type.Object(
  {
    name: Type.String({ description: "Its name.", examples: ["Payments fail"] }),
    severity: Described(SeveritySchema, "Severity. CRITICAL and MAJOR count as down."),
    id: Described(Guid, "Its id."),
    services: Type.Array(ServiceSchema, { description: "The affected services." }),
    incidentUpdates: Type.Array(UpdateSchema, { description: "Newest first." }),
    lastUpdateStatus: Described(Status, "Status of the newest update."),
    startedAt: Described(DateTime, "Public start of the incident."),
    resolvedAt: Described(
      OrNull(DateTime),
      "Time of resolution; `null` while the incident is ongoing.",
    ),
    checkId: Described(OrNull(Guid), "The check whose alert opened it; `null` if no alert did."),
    alertNumber: Described(
      OrNull(Type.Integer({ minimum: 0, maximum: maxInteger })),
      "Number of that alert within its check; `null` if no alert opened the incident.",
    ),
    isTakenOver: Type.Boolean({
      description:
        "Whether a person has posted to an automatic incident; its check's recovery then no " +
        "longer resolves it.",
    }),
    duration: OrNull(
      Type.Integer({ description: "Seconds from the first update to the resolution." }),
    ),
    timeToAcknowledge: OrNull(Type.Integer({ description: "Seconds until a person responded." })),
    created_at: Described(DateOnly, "Date of creation, in UTC."),
    updated_at: Described(
      Type.Optional(DateOnly),
      "Date of the last change, in UTC; absent if never changed.",
    ),
  },
  { title: "Incident" },
);
export const IncidentPage = CursorPage(IncidentSchema);

export function toWireUpdate(update: IncidentUpdate) {
  return {
    id: update.id,
    description: update.description,
    status: update.status,
    publicIncidentUpdateDate: formatDateTime(update.publicAt),
    notifySubscribers: update.notifySubscribers,
    notifiedCount: update.notifiedCount,
    author: update.author,
    created_at: toDay(update.createdAt),
  };
}

export function toWireIncident(incident: Incident) {
  return {
    name: incident.name,
    severity: incident.severity,
    id: incident.id,
    services: incident.services.map(toWireService),
    incidentUpdates: incident.updates.map(toWireUpdate),
    lastUpdateStatus: incident.status,
    startedAt: formatDateTime(incident.startedAt),
    resolvedAt: incident.resolvedAt && formatDateTime(incident.resolvedAt),
    checkId: incident.checkId,
    alertNumber: incident.alertNumber,
    isTakenOver: incident.takenOverAt !== null,
    duration: measureDuration(incident),
    timeToAcknowledge: measureTimeToAcknowledge(incident),
    created_at: toDay(incident.createdAt),
    ...(incident.updatedAt === null ? {} : { updated_at: toDay(incident.updatedAt) }),
  };
}

export function tagIncident({ version, services }: Incident): string {
  return tagVersion(
    version,
    services.map((service) => service.version),
  );
}

export function toServiceIds(references: readonly { readonly id: string }[]): string[] {
  return [...new Set(references.map(({ id }) => id.toLowerCase()))];
}

export function fromWireUpdate(body: UpdatePost): UpdateRequest {
  const date = body.publicIncidentUpdateDate;
  return {
    status: body.status,
    description: body.description,
    publicAt: date === undefined ? undefined : new Date(date),
    notifySubscribers: body.notifySubscribers,
    templateId: body.templateId,
    variables: new Map(Object.entries(body.variables ?? {})),
  };
}

export function fromWireIncident(body: IncidentBody): IncidentRequest {
  const { name, severity, services, incidentUpdates, lastUpdateStatus, templateId } = body;
  return {
    name,
    severity,
    serviceIds: services && toServiceIds(services),
    status: lastUpdateStatus,
    updates: incidentUpdates?.map(fromWireUpdate),
    templateId,
    variables: new Map(Object.entries(body.variables ?? {})),
  };
}

export function fromWireChange({ name, severity, services }: IncidentPatch) {
  return { name, severity, serviceIds: services && toServiceIds(services) };
}
