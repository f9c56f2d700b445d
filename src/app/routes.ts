import { addAccountRoutes } from "../domains/accounts/index.ts";
import { addChannelRoutes } from "../domains/alert-channels/index.ts";
import { addAlertingRoutes } from "../domains/alerting/index.ts";
import { addCheckRoutes } from "../domains/checks/index.ts";
import { addLocationRoutes } from "../domains/locations/index.ts";
import { addRunRoutes } from "../domains/runs/index.ts";
import { addRuntimeRoutes } from "../domains/runtimes/index.ts";
import type { HttpServer } from "../platform/http/server.ts";
import type { AppContext } from "./foundation.ts";

/** One line per room. */
export function addRoutes(server: HttpServer, context: AppContext): void {
  addAccountRoutes(server, context);
  addLocationRoutes(server, context);
  addRuntimeRoutes(server);
  addChannelRoutes(server, context);
  addCheckRoutes(server, context);
  addRunRoutes(server, context);
  addAlertingRoutes(server, context);
}
