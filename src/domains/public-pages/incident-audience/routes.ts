import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { PublicPagesContext } from "../context.ts";
import { findAudience } from "./actions.ts";
import { AudienceQuery, AudienceSchema, toWireAudience } from "./schema.ts";

export function addAudienceRoutes(server: HttpServer, context: PublicPagesContext): void {
  server.get(
    "/v1/status-pages/incidents/audience",
    {
      config: { access: "read" },
      schema: {
        tags: ["Incidents"],
        operationId: "getIncidentAudience",
        summary: "Count the subscribers that an incident would notify",
        description:
          "Counts confirmed subscribers of the pages that show one of the services, if they " +
          "chose all services or one of these. Use it before setting `notifySubscribers`.",
        querystring: AudienceQuery,
        response: answers({ 200: AudienceSchema }, "notFound"),
      },
    },
    async ({ caller, query }) =>
      toWireAudience(await findAudience(context, caller, query.serviceId)),
  );
}
