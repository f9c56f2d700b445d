import { Type } from "typebox";
import { Described, Guid } from "../../../platform/http/schema.ts";
import { fromWireIncident, IncidentBody } from "../../incidents/index.ts";
import { PreviewSchema, toWirePreview } from "../../previews/index.ts";
import type { IncidentPreview } from "./actions.ts";

const { name, severity, services, incidentUpdates, lastUpdateStatus, templateId, variables } =
  IncidentBody.properties;

export const IncidentPreviewBody = Type.Object(
  {
    incidentId: Described(
      Type.Optional(Guid),
      "The incident to add the updates to. Omit it to preview a new incident.",
    ),
    statusPageId: Described(
      Type.Optional(Guid),
      "The page to render. Default: the first page that shows one of the services.",
    ),
    name,
    severity,
    services,
    incidentUpdates,
    lastUpdateStatus,
    templateId,
    variables,
  },
  {
    title: "IncidentPreviewInput",
    examples: [
      {
        name: "Payments fail",
        severity: "MAJOR",
        services: [{ id: "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10" }],
        incidentUpdates: [{ description: "Cards are declined." }],
      },
    ],
  },
);
export type IncidentPreviewBody = Type.Static<typeof IncidentPreviewBody>;

export const IncidentPreviewSchema = Type.Object(
  {
    statusPageId: Described(Guid, "The rendered page."),
    page: Described(PreviewSchema, "The page."),
    mail: Type.Object(
      {
        subject: Type.String({ description: "The mail's subject." }),
        text: Type.String({ description: "The mail as plain text." }),
        preview: Described(PreviewSchema, "The mail as HTML."),
      },
      { description: "The mail to a subscriber. The real links differ for each subscriber." },
    ),
    feed: Type.Object(
      {
        title: Type.String({ description: "Title of the entry." }),
        preview: Described(PreviewSchema, "The entry, approximately as a feed reader shows it."),
      },
      { description: "The entry in the page's feeds." },
    ),
  },
  { title: "IncidentPreview" },
);

export function fromWirePreview({ incidentId, statusPageId, ...body }: IncidentPreviewBody) {
  return { ...fromWireIncident(body), incidentId, statusPageId };
}

export function toWireIncidentPreview({ page, home, mail, feed }: IncidentPreview) {
  return {
    statusPageId: page.id,
    page: toWirePreview(home),
    mail: { subject: mail.subject, text: mail.text, preview: toWirePreview(mail.preview) },
    feed: { title: feed.title, preview: toWirePreview(feed.preview) },
  };
}
