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
        summary: "Look at the page, the mail and the feed before you post",
        description:
          "Refused as posting it would be. Nothing is stored but the previews, which are " +
          "deleted after ten minutes.",
        body: IncidentPreviewBody,
        response: answers({ 200: IncidentPreviewSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, body }) =>
      toWireIncidentPreview(await previewIncident(context, caller, fromWirePreview(body))),
  );
}
