import { Type } from "typebox";
import { formatDate } from "../../../platform/dates.ts";
import { CursorPage, CursorQuery, Guid, Name, OrNull } from "../../../platform/http/schema.ts";
import { maxFirstUpdates, maxServices } from "../incident.ts";
import { Description, IncidentName, SeveritySchema, Status } from "../schema.ts";
import type { IncidentTemplate, TemplateWish } from "./incident-template.ts";

const DateOnly = Type.String({ format: "date" });

const fields = {
  name: Name,
  incidentName: Type.Union([IncidentName, Type.Null()], { default: null }),
  severity: Type.Union([SeveritySchema, Type.Null()], { default: null }),
  serviceIds: Type.Array(Guid, { maxItems: maxServices, default: [] }),
  updates: Type.Array(
    Type.Object({
      status: Status,
      description: Description,
      notifySubscribers: Type.Boolean({ default: false }),
    }),
    { minItems: 1, maxItems: maxFirstUpdates },
  ),
};

export const TemplateBody = Type.Object(fields);
export type TemplateBody = Type.Static<typeof TemplateBody>;
export const TemplateParams = Type.Object({ templateId: Guid });
export const TemplateQuery = Type.Object(CursorQuery);
export const TemplateSchema = Type.Object({
  id: Guid,
  ...fields,
  created_at: DateOnly,
  updated_at: OrNull(DateOnly),
});
export const TemplatePage = CursorPage(TemplateSchema);

export function fromWireTemplate(body: TemplateBody): TemplateWish {
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
    created_at: formatDate(template.createdAt),
    updated_at: template.updatedAt && formatDate(template.updatedAt),
  };
}
