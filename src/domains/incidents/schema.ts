import { Type } from "typebox";
import { formatDate, formatDateTime } from "../../platform/dates.ts";
import { tagVersion } from "../../platform/http/entity-tag.ts";
import {
  CursorPage,
  CursorQuery,
  DateTime,
  Described,
  exampleId,
  Filled,
  Guid,
  maxInteger,
  OneOf,
  OrNull,
} from "../../platform/http/schema.ts";
import { ServiceSchema, toWireService } from "../status-pages/index.ts";
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
import type { IncidentRequest, UpdateRequest } from "./templates/filling.ts";

const DateOnly = Type.String({ format: "date" });
/** Clients send back what they read; these fields are ignored. */
const Ignored = Type.Optional(Type.Unknown({ description: "Set by the service; ignored here." }));

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
      description: "Values for the names that the template asks for.",
    },
  ),
);
export const TemplateId = Type.Optional(Type.String({ format: "uuid" }));

export const ServiceReferences = Type.Array(
  Type.Object({
    id: Described(Guid, "Its id."),
    name: Described(Ignored, "Set by the service; ignored here."),
    accountId: Described(Ignored, "Set by the service; ignored here."),
    created_at: Described(Ignored, "Set by the service; ignored here."),
    updated_at: Described(Ignored, "Set by the service; ignored here."),
  }),
  { minItems: 1, maxItems: maxServices },
);

const updateFields = {
  status: Described(
    Type.Optional(Status),
    "The status from this update on; absent: as before.",
    "MONITORING",
  ),
  publicIncidentUpdateDate: Type.Optional(
    Type.String({ format: "date-time", description: "By default now; it may lie in the past." }),
  ),
  notifySubscribers: Type.Optional(
    Type.Boolean({ description: "By default false. Nobody is told of an edit." }),
  ),
  id: Described(Ignored, "Set by the service; ignored here."),
  notifiedCount: Described(Ignored, "Set by the service; ignored here."),
  author: Described(Ignored, "Set by the service; ignored here."),
  created_at: Described(Ignored, "Set by the service; ignored here."),
};
export const UpdateBody = Type.Object(
  {
    description: Described(Description, "What to tell, in Markdown.", "A fix is in place."),
    ...updateFields,
  },
  { title: "IncidentUpdateChange" },
);
export type UpdateBody = Type.Static<typeof UpdateBody>;
/** The text comes from the body or from a template. */
export const UpdatePost = Type.Object(
  {
    description: Described(
      Type.Optional(Description),
      "What to tell, in Markdown. Required without `templateId`.",
    ),
    ...updateFields,
    templateId: Described(TemplateId, "A template to take the words from."),
    variables: Described(Variables, "Values for the names that the template asks for."),
  },
  {
    title: "IncidentUpdateInput",
    if: { required: ["templateId"] },
    else: { required: ["description"] },
    examples: [{ status: "RESOLVED", description: "Cards are taken again." }],
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
      "Its name. Required without `templateId`, like the three below.",
    ),
    severity: Described(
      Type.Optional(SeveritySchema),
      "How bad it is. CRITICAL and MAJOR mean down.",
    ),
    services: Described(Type.Optional(ServiceReferences), "The services that it affects, by id."),
    incidentUpdates: Type.Optional(
      Type.Array(UpdateBody, {
        description: "The updates to begin with, at least one.",
        minItems: 1,
        maxItems: maxFirstUpdates,
      }),
    ),
    lastUpdateStatus: Described(
      Type.Optional(Status),
      "The status of updates that name none; by default INVESTIGATING.",
    ),
    templateId: Described(TemplateId, "A template to take the words from."),
    variables: Described(Variables, "Values for the names that the template asks for."),
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
            description: "Cards are declined. We are looking into it.",
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
    severity: Described(SeveritySchema, "How bad it is. CRITICAL and MAJOR mean down."),
    services: Described(ServiceReferences, "The services that it affects, by id."),
    ...ignoredFields,
    lastUpdateStatus: Described(Ignored, "Set by the service; ignored here."),
  },
  { title: "IncidentReplacement" },
);
export const IncidentPatch = Type.Object(
  {
    name: Described(Type.Optional(IncidentName), "Its name.", "Payments fail"),
    severity: Described(
      Type.Optional(SeveritySchema),
      "How bad it is. CRITICAL and MAJOR mean down.",
    ),
    services: Described(Type.Optional(ServiceReferences), "The services that it affects, by id."),
    ...ignoredFields,
    lastUpdateStatus: Described(Ignored, "Set by the service; ignored here."),
  },
  { title: "IncidentChange" },
);
export type IncidentPatch = Type.Static<typeof IncidentPatch>;

export const IncidentParams = Type.Object({ incidentId: Described(Guid, "The incident's id.") });
export const IncidentQuery = Type.Object({
  ...CursorQuery,
  status: Described(
    Type.Optional(OneOf(["ongoing", "resolved"])),
    "Only incidents that go on, or only those that are over.",
  ),
  serviceId: Described(Type.Optional(Guid), "Only incidents that affect this service."),
  statusPageId: Described(Type.Optional(Guid), "Only incidents that this status page shows."),
  severity: Described(Type.Optional(SeveritySchema), "Only incidents of this severity."),
  sort: Described(
    Type.Optional(OneOf(["written", "started"])),
    "The newest first by when they were written, which is the default, or by when they began.",
  ),
});

export const UpdateSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    description: Type.String({
      description: "What is told, in Markdown.",
      examples: ["Cards are declined."],
    }),
    status: Described(Status, "The status from this update on."),
    publicIncidentUpdateDate: Described(DateTime, "When it happened in the eyes of the public."),
    notifySubscribers: Type.Boolean({ description: "Whether subscribers were told." }),
    notifiedCount: Described(
      OrNull(Type.Integer({ minimum: 0, maximum: maxInteger })),
      "Number of subscribers it was sent to; `null` if it was not, or too long ago.",
    ),
    author: Type.Union([Type.String(), Type.Null()], {
      description: "Who wrote it; null: the automation. The public does not see it.",
      examples: ["Ada Lovelace"],
    }),
    created_at: Described(DateOnly, "The day it was created, in UTC."),
  },
  { title: "IncidentUpdate" },
);
export const IncidentSchema = Type.Object(
  {
    name: Type.String({ description: "Its name.", examples: ["Payments fail"] }),
    severity: Described(SeveritySchema, "How bad it is. CRITICAL and MAJOR mean down."),
    id: Described(Guid, "Its id."),
    services: Type.Array(ServiceSchema, { description: "The services that it affects." }),
    incidentUpdates: Type.Array(UpdateSchema, { description: "Newest first." }),
    lastUpdateStatus: Described(Status, "The status of the newest update."),
    startedAt: Described(DateTime, "When it began in the eyes of the public."),
    resolvedAt: Described(OrNull(DateTime), "When it ended; null while it is ongoing."),
    checkId: Described(OrNull(Guid), "The check whose alert opened it; null: a person did."),
    alertNumber: Described(
      OrNull(Type.Integer({ minimum: 0, maximum: maxInteger })),
      "The number of that alert among those of its check; `null` if a person opened it.",
    ),
    isTakenOver: Type.Boolean({
      description: "A person has posted to what an alert opened, so recovery does not resolve it.",
    }),
    duration: OrNull(
      Type.Integer({ description: "Seconds from the first update to the one that resolved it." }),
    ),
    timeToAcknowledge: OrNull(Type.Integer({ description: "Seconds until somebody answered." })),
    created_at: Described(DateOnly, "The day it was created, in UTC."),
    updated_at: Described(
      Type.Optional(DateOnly),
      "The day it was last changed, in UTC; absent: never.",
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
    created_at: formatDate(update.createdAt),
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
    created_at: formatDate(incident.createdAt),
    ...(incident.updatedAt === null ? {} : { updated_at: formatDate(incident.updatedAt) }),
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
