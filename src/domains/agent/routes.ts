import type { HttpServer } from "../../platform/http/server.ts";
import { addConfirmationRoutes } from "./confirmations/routes.ts";
import type { AgentContext } from "./context.ts";
import { addExchangeRoutes } from "./exchanges/routes.ts";
import { addMcpRoutes } from "./mcp/routes.ts";
import { addStreamRoutes } from "./stream/routes.ts";

export function addAgentRoutes(server: HttpServer, context: AgentContext): void {
  addStreamRoutes(server, context);
  addConfirmationRoutes(server, context);
  addExchangeRoutes(server, context);
  addMcpRoutes(server, context);
}
