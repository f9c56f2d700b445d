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
        summary: "Draft an incident or its next update; nothing is stored",
        description:
          "With `templateId` the template is filled in. Without one the words come from what " +
          "the checks behind the services say: since when they fail, or that they recovered. " +
          "No model is asked and nothing leaves this server.",
        body: DraftBody,
        response: answers({ 200: DraftSchema }, "notFound"),
      },
    },
    async ({ caller, body }) =>
      toWireDraft(await draftIncident(context, caller, fromWireDraft(body))),
  );
}
