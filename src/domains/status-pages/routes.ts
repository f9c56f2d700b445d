import type { HttpServer } from "../../platform/http/server.ts";
import type { ServicesContext } from "./context.ts";
import { addDomainRoutes } from "./domains/routes.ts";
import { addImageRoutes } from "./images/routes.ts";
import { addPageKeyRoutes } from "./keys/routes.ts";
import { addPageRoutes } from "./page-routes.ts";
import { addServiceRoutes } from "./services/routes.ts";

export function addStatusPageRoutes(server: HttpServer, context: ServicesContext): void {
  addServiceRoutes(server, context);
  addPageRoutes(server, context);
  addPageKeyRoutes(server, context);
  addImageRoutes(server, context);
  addDomainRoutes(server, context);
}
