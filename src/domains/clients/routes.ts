import type { HttpServer } from "../../platform/http/server.ts";
import { addClientAccountRoutes } from "./accounts.ts";
import { addAssetRoutes } from "./assets.ts";
import { addBundleRoutes } from "./bundles.ts";
import type { ClientsContext } from "./context.ts";
import { addErrorGroupRoutes } from "./error-groups.ts";
import { addTestSessionRoutes } from "./test-sessions/routes.ts";

export function addClientRoutes(
  server: HttpServer,
  { accounts, testSessions }: ClientsContext,
): void {
  addClientAccountRoutes(server, accounts);
  addErrorGroupRoutes(server, accounts);
  addTestSessionRoutes(server, testSessions);
  addAssetRoutes(server, testSessions);
  addBundleRoutes(server, testSessions);
}
