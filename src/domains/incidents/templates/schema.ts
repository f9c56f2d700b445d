import { Type } from "typebox";
import { formatDate } from "../../../platform/dates.ts";
import {
  CursorPage,
  CursorQuery,
  Described,
  Guid,
  Name,
  OrNull,
} from "../../../platform/http/schema.ts";
import { maxFirstUpdates, maxServices } from "../incident.ts";
import { Description, IncidentName, SeveritySchema, Status } from "../schema.ts";
import { listAskedNames } from "./filling.ts";
import type { IncidentTemplate, TemplateInput } from "./incident-template.ts";

const DateOnly = Type.String({ format: "date" });

const fields = {
  name: Described(Name, "Its name.", "Provider"),
  incidentName: Type.Union([IncidentName, Type.Null()], {
    description: "The incident's name, with variables; null: the caller gives one.",
    examples: ["{{services}}: {{provider}} is down"],
    default: null,
  }),
  severity: Type.Union([SeveritySchema, Type.Null()], {
    description: "The incident's severity; null: the caller gives one.",
    examples: ["MAJOR"],
    default: null,
  }),
  serviceIds: Type.Array(Guid, {
    description: "Ids of the services it affects; empty: the caller names them.",
    maxItems: maxServices,
    default: [],
  }),
  updates: Type.Array(
    Type.Object({
      status: Described(Status, "The status of the update.", "INVESTIGATING"),
      description: Described(
        Description,
        "Its words, in Markdown, with variables.",
        "We are waiting for {{provider}}.",
      ),
      notifySubscribers: Type.Boolean({
        description: "Whether subscribers are told.",
        default: false,
      }),
    }),
    {
      description: "The updates it writes, the first one first.",
      minItems: 1,
      maxItems: maxFirstUpdates,
    },
  ),
};

export const TemplateBody = Type.Object(fields, { title: "IncidentTemplateInput" });
export type TemplateBody = Type.Static<typeof TemplateBody>;
export const TemplateParams = Type.Object({ templateId: Described(Guid, "The template's id.") });
export const TemplateQuery = Type.Object(CursorQuery);
export const TemplateSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    ...fields,
    variables: Type.Array(Type.String(), {
      description: "The names that whoever uses it has to give a value.",
      examples: [["provider"]],
    }),
    created_at: Described(DateOnly, "The day it was created, in UTC."),
    updated_at: Described(OrNull(DateOnly), "The day it was last changed, in UTC; null: never."),
  },
  { title: "IncidentTemplate" },
);
export const TemplatePage = CursorPage(TemplateSchema);

export function fromWireTemplate(body: TemplateBody): TemplateInput {
  const { name, incidentName, severity, updates } = body;
  return {
    name,
    incidentName,
    severity,
    serviceIds: [...new Set(body.serviceIds.map((id) => id.toLowerCase()))],
    updates: updates.map(({ status, description, notifySubscribers }) => ({
      status,
      description,
      notifySubscribers,
    })),
  };
}

export function toWireTemplate(template: IncidentTemplate) {
  return {
    id: template.id,
    name: template.name,
    incidentName: template.incidentName,
    severity: template.severity,
    serviceIds: [...template.serviceIds],
    updates: template.updates.map((update) => ({ ...update })),
    variables: listAskedNames(template),
    created_at: formatDate(template.createdAt),
    updated_at: template.updatedAt && formatDate(template.updatedAt),
  };
}
