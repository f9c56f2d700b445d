import { type AccountsContext, addAccountRoutes } from "../domains/accounts/index.ts";
import { addLocationRoutes } from "../domains/locations/index.ts";
import { addRuntimeRoutes } from "../domains/runtimes/index.ts";
import type { HttpServer } from "../platform/http/server.ts";

/** One line per room. */
export function addRoutes(server: HttpServer, context: AccountsContext): void {
  addAccountRoutes(server, context);
  addLocationRoutes(server, context);
  addRuntimeRoutes(server);
}
