import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { Caller } from "../../accounts/index.ts";
import {
  checkPageDomain,
  getPageDomain,
  PageDomainSchema,
  toWirePageDomain,
} from "../../sites/index.ts";
import { getStatusPage } from "../actions.ts";
import type { StatusPagesContext } from "../context.ts";
import { PageParams } from "../keys/schema.ts";
import { referToPage } from "../status-page.ts";

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
        summary: "Read what proves the domain of a status page, and whether it is seen",
        description: "A page without `customDomain` is answered with 404.",
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
        summary: "Look at the DNS records of a status page's domain now",
        description:
          "The answer says what was seen; the name is served from then on if it is proved. " +
          "Up to 20 looks a minute and account.",
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
