import { answers, sendTotal } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { StatisticsContext } from "../context.ts";
import { countListFacets, createListing, listOverviews } from "./actions.ts";
import {
  FacetQuery,
  FacetSchema,
  OverviewPage,
  OverviewQuery,
  toListQuery,
  toWireFacets,
  toWirePage,
} from "./schema.ts";

const tags = ["Check lists"];

export function addListingRoutes(server: HttpServer, context: StatisticsContext): void {
  const listing = createListing(context);
  server.get(
    "/v1/check-overviews",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listCheckOverviews",
        summary: "List checks with their state, figures and a bar of the last day",
        description:
          "One page of the list. A check must match all filters, and at least one value of each. " +
          "Settings of a group apply to its checks. The total is in the response " +
          "and in `Content-Range`.",
        querystring: OverviewQuery,
        answerHeaders: ["Content-Range"],
        response: answers({ 200: OverviewPage }),
      },
    },
    async ({ caller, query }, reply) => {
      const found = await listOverviews(listing, caller, toListQuery(query));
      sendTotal(reply, query, found.total);
      return toWirePage(found);
    },
  );
  server.get(
    "/v1/check-overviews/facets",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "countCheckFacets",
        summary: "Count checks by state, kind, tag, group and location",
        description:
          "Each facet ignores its own filter, so you can still pick other values of the same facet. " +
          "At most 100 values per facet, those with the most checks first.",
        querystring: FacetQuery,
        response: answers({ 200: FacetSchema }),
      },
    },
    async ({ caller, query }) => toWireFacets(await countListFacets(listing, caller, query)),
  );
}
