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
      "The incident whose next update to draft; absent: a new incident.",
    ),
    services: Described(
      Type.Optional(ServiceReferences),
      "The services to write about, by id. Required without `incidentId` and `templateId`.",
    ),
    templateId: Described(
      TemplateId,
      "A template to take the words from; absent: words from what the checks say.",
    ),
    variables: Described(Variables, "Values for the names that the template asks for."),
    name: Described(Type.Optional(IncidentName), "Its name, if you have one already."),
    severity: Described(Type.Optional(SeveritySchema), "Its severity, if you know it already."),
    status: Described(Type.Optional(Status), "Of a template: the first update of this status."),
  },
  { title: "IncidentDraftInput" },
);
export type DraftBody = Type.Static<typeof DraftBody>;

export const DraftSchema = Type.Object(
  {
    name: Type.String({
      description: "A name; empty where the template has none.",
      examples: ["Outage: Payments"],
    }),
    severity: Described(SeveritySchema, "A severity."),
    status: Described(Status, "The status of the update."),
    description: Type.String({
      description: "The words, in Markdown. They name services, never checks or hosts.",
      examples: ["**Payments** is not working."],
    }),
    startedAt: Described(OrNull(DateTime), "When the checks first saw it; null: not known."),
    services: Type.Array(
      Type.Object({
        id: Described(Guid, "Its id."),
        name: Type.String({ description: "Its name.", examples: ["Payments"] }),
        status: Described(
          OrNull(OneOf(["passing", "degraded", "failing", "unknown"])),
          "What its checks say; null where it follows none.",
        ),
        since: Described(OrNull(DateTime), "Since when; null where it is not known."),
        checkIds: Type.Array(Guid, { description: "The checks behind it that run." }),
      }),
      { description: "The services, with what the words were made from." },
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
