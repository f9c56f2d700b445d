import { answers } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import type { Caller } from "../accounts/index.ts";
import {
  checkPageDomain,
  getPageDomain,
  PageDomainSchema,
  toWirePageDomain,
} from "../sites/index.ts";
import { getStatusPage } from "./actions.ts";
import type { StatusPagesContext } from "./context.ts";
import { PageParams } from "./keys.ts";
import { referToPage } from "./status-page.ts";

const tags = ["Status pages"];

export function addDomainRoutes(server: HttpServer, context: StatusPagesContext): void {
  const refer = async (caller: Caller, statusPageId: string) =>
    referToPage((await getStatusPage(context, caller, statusPageId)).id);
  server.get(
    "/v1/status-pages/:statusPageId/domain",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getStatusPageDomain",
        summary: "Get the DNS records that verify the domain of a status page",
        description:
          "Includes whether the records were found. 404 for a page without `customDomain`.",
        params: PageParams,
        response: answers({ 200: PageDomainSchema }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      const page = await refer(caller, params.statusPageId);
      return toWirePageDomain(await getPageDomain(context, caller, page));
    },
  );
  server.post(
    "/v1/status-pages/:statusPageId/domain/check",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "checkStatusPageDomain",
        summary: "Verify the domain of a status page now",
        description:
          "Queries the DNS records and returns the result. Once verified, the domain is served. " +
          "At most 20 requests per minute and account.",
        params: PageParams,
        response: answers({ 200: PageDomainSchema }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      const page = await refer(caller, params.statusPageId);
      return toWirePageDomain(await checkPageDomain(context, caller, page));
    },
  );
}
