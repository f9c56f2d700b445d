import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { PublicPagesContext } from "../context.ts";
import { previewIncident } from "./actions.ts";
import {
  fromWirePreview,
  IncidentPreviewBody,
  IncidentPreviewSchema,
  toWireIncidentPreview,
} from "./schema.ts";

export function addIncidentPreviewRoutes(server: HttpServer, context: PublicPagesContext): void {
  server.post(
    "/v1/status-pages/incidents/preview",
    {
      config: { access: "write" },
      schema: {
        tags: ["Incidents"],
        operationId: "previewIncident",
        summary: "Preview the page, the mail and the feed of an incident",
        description:
          "Applies the same validation as posting. Only the previews are stored; they are " +
          "deleted after ten minutes.",
        body: IncidentPreviewBody,
        response: answers({ 200: IncidentPreviewSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, body }) =>
      toWireIncidentPreview(await previewIncident(context, caller, fromWirePreview(body))),
  );
}
