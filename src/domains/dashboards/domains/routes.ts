import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { Caller } from "../../accounts/index.ts";
import {
  checkPageDomain,
  getPageDomain,
  PageDomainSchema,
  toWirePageDomain,
} from "../../sites/index.ts";
import { getDashboard, referTo } from "../actions.ts";
import type { DashboardsContext } from "../context.ts";
import { DashboardParams } from "../schema.ts";

const tags = ["Dashboards"];

export function addDomainRoutes(server: HttpServer, context: DashboardsContext): void {
  const refer = async (caller: Caller, value: string) =>
    referTo((await getDashboard(context, caller, { by: "dashboardId", value })).dashboardId);
  server.get(
    "/v1/dashboards/:dashboardId/domain",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getDashboardDomain",
        summary: "Get the DNS records that verify the domain of a dashboard",
        description:
          "Includes whether the records were found. 404 for a dashboard without `customDomain`.",
        params: DashboardParams,
        response: answers({ 200: PageDomainSchema }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      const page = await refer(caller, params.dashboardId);
      return toWirePageDomain(await getPageDomain(context, caller, page));
    },
  );
  server.post(
    "/v1/dashboards/:dashboardId/domain/check",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "checkDashboardDomain",
        summary: "Verify the domain of a dashboard now",
        description:
          "Queries the DNS records and returns the result. Once verified, the domain is served. " +
          "At most 20 requests per minute and account.",
        params: DashboardParams,
        response: answers({ 200: PageDomainSchema }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      const page = await refer(caller, params.dashboardId);
      return toWirePageDomain(await checkPageDomain(context, caller, page));
    },
  );
}
