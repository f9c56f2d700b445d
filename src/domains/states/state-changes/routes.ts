import { answers, parseBounds, toCursorPage } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { StatesContext } from "../current-status.ts";
import { listStateHistory } from "./history.ts";
import { HistoryParams, HistoryQuery, StateChangePage, toWireChange } from "./schema.ts";

export function addStateChangeRoutes(server: HttpServer, context: StatesContext): void {
  server.get(
    "/v1/check-state-changes/:checkId",
    {
      config: { access: "read" },
      schema: {
        tags: ["Statuses"],
        operationId: "listCheckStateChanges",
        summary: "List when a check's status changed and why, newest first",
        description:
          "Cursor pagination: pass `nextId` of a response to get the next page. Each change contains " +
          "the verdict of every location at that time and the reasons of the deciding run.",
        params: HistoryParams,
        querystring: HistoryQuery,
        response: answers({ 200: StateChangePage }, "notFound"),
      },
    },
    async ({ caller, params, query }) => {
      const { from = null, to = null } = parseBounds(query);
      const changes = await listStateHistory(context, caller, {
        checkId: params.checkId,
        from,
        to,
        limit: query.limit + 1,
        nextId: query.nextId ?? null,
      });
      return toCursorPage(changes.map(toWireChange), query.limit);
    },
  );
}
