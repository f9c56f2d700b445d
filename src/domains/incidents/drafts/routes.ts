import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { IncidentsContext } from "../context.ts";
import { draftIncident } from "./actions.ts";
import { DraftBody, DraftSchema, fromWireDraft, toWireDraft } from "./schema.ts";

export function addDraftRoutes(server: HttpServer, context: IncidentsContext): void {
  server.post(
    "/v1/status-pages/incidents/draft",
    {
      config: { access: "read" },
      schema: {
        tags: ["Incidents"],
        operationId: "draftIncident",
        summary: "Draft an incident or its next update",
        description:
          "With `templateId` the template is filled in. Otherwise the text is written from the " +
          "states of the services' checks: since when they fail, or that they recovered. Nothing " +
          "is stored, no language model is used, and no data leaves this server.",
        body: DraftBody,
        response: answers({ 200: DraftSchema }, "notFound"),
      },
    },
    async ({ caller, body }) =>
      toWireDraft(await draftIncident(context, caller, fromWireDraft(body))),
  );
}
