import type { HttpServer } from "../../platform/http/server.ts";
import { addClientAccountRoutes } from "./accounts.ts";
import type { ClientsContext } from "./context.ts";
import { addErrorGroupRoutes } from "./error-groups.ts";

export function addClientRoutes(server: HttpServer, context: ClientsContext): void {
  addClientAccountRoutes(server, context);
  addErrorGroupRoutes(server, context);
}
