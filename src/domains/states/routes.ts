import type { HttpServer } from "../../platform/http/server.ts";
import { addBadgeRoutes } from "./badges/routes.ts";
import type { StatesContext } from "./current-status.ts";
import { addPlaceRoutes } from "./places/routes.ts";
import { addStateChangeRoutes } from "./state-changes/routes.ts";
import { addStatusRoutes } from "./statuses/routes.ts";

export function addStateRoutes(server: HttpServer, context: StatesContext): void {
  addStatusRoutes(server, context);
  addStateChangeRoutes(server, context);
  addBadgeRoutes(server, context);
  addPlaceRoutes(server, context);
}
