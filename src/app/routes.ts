import { addAccountRoutes } from "../domains/accounts/index.ts";
import { addAgentRoutes } from "../domains/agent/index.ts";
import { addChannelRoutes } from "../domains/alert-channels/index.ts";
import { addAlertingRoutes } from "../domains/alerting/index.ts";
import { addCheckRoutes, findCheckThatTriggers, holdChecks } from "../domains/checks/index.ts";
import { addDashboardRoutes } from "../domains/dashboards/index.ts";
import { addIncidentRoutes } from "../domains/incidents/index.ts";
import { addLocationRoutes } from "../domains/locations/index.ts";
import { addWindowRoutes } from "../domains/maintenance/index.ts";
import { addPublicPageRoutes } from "../domains/public-pages/index.ts";
import { addRunRoutes, listSilentChecks } from "../domains/runs/index.ts";
import { addRuntimeRoutes } from "../domains/runtimes/index.ts";
import { addStatisticsRoutes } from "../domains/statistics/index.ts";
import { addStatusPageRoutes } from "../domains/status-pages/index.ts";
import { addSubscriberRoutes } from "../domains/subscribers/index.ts";
import type { HttpServer } from "../platform/http/server.ts";
import type { AppContext } from "./foundation.ts";

/** One line per room. */
export function addRoutes(server: HttpServer, context: AppContext): void {
  addAccountRoutes(server, context);
  addLocationRoutes(server, context);
  addRuntimeRoutes(server);
  addChannelRoutes(server, context);
  addStatusPageRoutes(server, {
    ...context,
    checksOfServices: { hold: holdChecks, findThatTriggers: findCheckThatTriggers },
  });
  addSubscriberRoutes(server, context);
  addCheckRoutes(server, {
    ...context,
    listSilentIds: async (accountId) =>
      (await listSilentChecks(context, accountId)).map(({ checkId }) => checkId),
  });
  addRunRoutes(server, context);
  addStatisticsRoutes(server, context);
  addIncidentRoutes(server, context);
  addWindowRoutes(server, context);
  addAlertingRoutes(server, context);
  addPublicPageRoutes(server, context);
  addDashboardRoutes(server, context);
  addAgentRoutes(server, context);
}
