import type { HttpServer } from "../../platform/http/server.ts";
import { addAnalyticsRoutes } from "./analytics/routes.ts";
import { addSeriesRoutes } from "./check-series/routes.ts";
import type { StatisticsContext } from "./context.ts";
import { addListingRoutes } from "./listings/routes.ts";

export function addStatisticsRoutes(server: HttpServer, context: StatisticsContext): void {
  addAnalyticsRoutes(server, context);
  addSeriesRoutes(server, context);
  addListingRoutes(server, context);
}
