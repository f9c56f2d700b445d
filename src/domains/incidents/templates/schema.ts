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
import { listRequiredVariables } from "./filling.ts";
import type { IncidentTemplate, TemplateInput } from "./incident-template.ts";

const DateOnly = Type.String({ format: "date" });

const fields = {
  name: Described(Name, "Its name.", "Provider"),
  incidentName: Type.Union([IncidentName, Type.Null()], {
    description: "Name of the incident, with variables; `null` if the caller supplies it.",
    examples: ["{{services}}: {{provider}} is down"],
    default: null,
  }),
  severity: Type.Union([SeveritySchema, Type.Null()], {
    description: "Severity of the incident; `null` if the caller supplies it.",
    examples: ["MAJOR"],
    default: null,
  }),
  serviceIds: Type.Array(Guid, {
    description: "Ids of the affected services; empty if the caller supplies them.",
    maxItems: maxServices,
    default: [],
  }),
  updates: Type.Array(
    Type.Object({
      status: Described(Status, "Status of the update.", "INVESTIGATING"),
      description: Described(
        Description,
        "Text in Markdown, with variables.",
        "We are waiting for {{provider}}.",
      ),
      notifySubscribers: Type.Boolean({
        description: "Whether subscribers are notified.",
        default: false,
      }),
    }),
    {
      description: "The updates, first one first.",
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
      description: "Variables that the caller must supply.",
      examples: [["provider"]],
    }),
    created_at: Described(DateOnly, "Date of creation, in UTC."),
    updated_at: Described(
      OrNull(DateOnly),
      "Date of the last change, in UTC; `null` if never changed.",
    ),
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
    variables: listRequiredVariables(template),
    created_at: formatDate(template.createdAt),
    updated_at: template.updatedAt && formatDate(template.updatedAt),
  };
}
