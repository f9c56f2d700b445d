import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, Guid, OneOf, OrNull } from "../../../platform/http/schema.ts";
import {
  IncidentName,
  ServiceReferences,
  SeveritySchema,
  Status,
  TemplateId,
  toServiceIds,
  Variables,
} from "../schema.ts";
import type { DraftRequest, IncidentDraftReport } from "./actions.ts";

export const DraftBody = Type.Object(
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
export type DraftBody = Type.Static<typeof DraftBody>;

export const DraftSchema = Type.Object(
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

export function fromWireDraft(body: DraftBody): DraftRequest {
  const { services, variables, ...rest } = body;
  return {
    ...rest,
    serviceIds: services && toServiceIds(services),
    variables: new Map(Object.entries(variables ?? {})),
  };
}

export function toWireDraft({ services, startedAt, ...text }: IncidentDraftReport) {
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
