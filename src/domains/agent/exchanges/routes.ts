import { answers, toCursorPage } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AgentContext } from "../context.ts";
import { listOwnExchanges } from "./actions.ts";
import { ExchangePage, ExchangeParams, ExchangeQuery, toWireExchange } from "./schema.ts";

export function addExchangeRoutes(server: HttpServer, context: AgentContext): void {
  server.get(
    "/accounts/:accountId/ai/agents/exchanges",
    {
      // The requests contain questions of members, so only owners and administrators may read them.
      config: { access: "admin" },
      schema: {
        tags: ["Agent"],
        operationId: "listAgentExchanges",
        summary: "List requests sent to the external model, newest first",
        description:
          "Requests are recorded verbatim. Paginated: pass `nextId` of the response to fetch the " +
          "next page. Empty if no external model is configured.",
        params: ExchangeParams,
        querystring: ExchangeQuery,
        response: answers({ 200: ExchangePage }),
      },
    },
    async ({ caller, query }) => {
      const exchanges = await listOwnExchanges(context, caller, query);
      return toCursorPage(exchanges.map(toWireExchange), query.limit);
    },
  );
}
