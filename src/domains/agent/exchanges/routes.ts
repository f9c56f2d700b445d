import { answers, toCursorPage } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AgentContext } from "../context.ts";
import { listOwnExchanges } from "./actions.ts";
import { ExchangePage, ExchangeParams, ExchangeQuery, toWireExchange } from "./schema.ts";

export function addExchangeRoutes(server: HttpServer, context: AgentContext): void {
  server.get(
    "/accounts/:accountId/ai/agents/exchanges",
    {
      // It contains what members asked, so only owners and administrators may read it.
      config: { access: "admin" },
      schema: {
        tags: ["Agent"],
        operationId: "listAgentExchanges",
        summary: "List what was sent to the model outside, word for word, newest first",
        description:
          "In pages: `nextId` of an answer asks for the next one. Empty while no model " +
          "is configured.",
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
