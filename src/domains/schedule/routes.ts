import type { HttpServer } from "../../platform/http/server.ts";
import type { ScheduleContext } from "./context.ts";
import { addSessionRoutes } from "./sessions/routes.ts";
import { addTrialRoutes } from "./trials/routes.ts";

export function addScheduleRoutes(server: HttpServer, context: ScheduleContext): void {
  addSessionRoutes(server, context);
  addTrialRoutes(server, context);
}
