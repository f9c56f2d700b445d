import type { HttpServer } from "../../platform/http/server.ts";
import { addSessionRoutes } from "./sessions/routes.ts";
import { addTrialRoutes } from "./trials/routes.ts";
import { addTriggerRoutes, type TriggersContext } from "./triggers/triggers.ts";

export function addScheduleRoutes(server: HttpServer, context: TriggersContext): void {
  addSessionRoutes(server, context);
  addTrialRoutes(server, context);
  addTriggerRoutes(server, context);
}
