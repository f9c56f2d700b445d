import type { HttpServer } from "../../platform/http/server.ts";
import type { ScheduleRoutesContext } from "./context.ts";
import { addSessionRoutes } from "./sessions/routes.ts";
import { addTrialRoutes } from "./trials/trials.ts";
import { addTriggerRoutes } from "./triggers/triggers.ts";

export function addScheduleRoutes(server: HttpServer, context: ScheduleRoutesContext): void {
  addSessionRoutes(server, context);
  addTrialRoutes(server, context);
  addTriggerRoutes(server, context);
}
