import type { HttpServer } from "../../platform/http/server.ts";
import { addAcknowledgementRoutes } from "./acknowledgements/routes.ts";
import { addBackTestRoutes } from "./back-tests/routes.ts";
import type { AlertingContext } from "./context.ts";
import { addNotificationRoutes } from "./notifications/routes.ts";
import { addParentRoutes } from "./parents/routes.ts";
import { addAlertSettingsRoutes } from "./settings/routes.ts";
import { addStoryRoutes } from "./stories/routes.ts";

export function addAlertingRoutes(server: HttpServer, context: AlertingContext): void {
  addNotificationRoutes(server, context);
  addStoryRoutes(server, context);
  addAcknowledgementRoutes(server, context);
  addAlertSettingsRoutes(server, context);
  addParentRoutes(server, context);
  addBackTestRoutes(server, context);
}
