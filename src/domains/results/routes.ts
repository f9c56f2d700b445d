import { answers, toCursorPage } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { getResult, listCheckResults, type ResultsContext } from "./actions.ts";
import {
  ResultPage,
  ResultParams,
  ResultsParams,
  ResultsQuery,
  toWireResult,
  toWireWholeResult,
  WholeResult,
} from "./schema.ts";

const tags = ["Results"];

export function addResultRoutes(server: HttpServer, context: ResultsContext): void {
  server.get(
    "/v2/check-results/:checkId",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listCheckResults",
        summary: "List a check's results, newest first",
        description:
          "Cursor pagination: pass `nextId` of a response to get the next page. Single packets are in " +
          "the single result only.",
        params: ResultsParams,
        querystring: ResultsQuery,
        response: answers({ 200: ResultPage }, "notFound"),
      },
    },
    async ({ caller, params, query }) => {
      const request = { ...query, checkId: params.checkId, limit: query.limit + 1 };
      const { check, rows } = await listCheckResults(context, caller, request);
      const entries = rows.map((row) => toWireResult(row, check));
      return toCursorPage(entries, query.limit);
    },
  );
  server.get(
    "/v1/check-results/:checkId/:resultId",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getCheckResult",
        summary: "Get one result with all packets",
        description:
          "Round trip, TTL and ICMP type of each packet, and the figures derived " + "from them.",
        params: ResultParams,
        response: answers({ 200: WholeResult }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      const { check, row } = await getResult(context, caller, params);
      return toWireWholeResult(row, check);
    },
  );
}
