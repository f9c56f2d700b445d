import { answers, sendTotal } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { StatesContext } from "../current-status.ts";
import { getDecision, listStatuses } from "./actions.ts";
import {
  StatusList,
  StatusParams,
  StatusQuery,
  StatusWithDecision,
  toWireDecision,
  toWireStatus,
} from "./schema.ts";

const tags = ["Statuses"];

export function addStatusRoutes(server: HttpServer, context: StatesContext): void {
  server.get(
    "/v1/check-statuses",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listCheckStatuses",
        summary: "List the status of every check that has run",
        description:
          "Based on the newest run of each check, in id order. Alerts follow separate " +
          "rules, which may be slower. The total is in `Content-Range`.",
        querystring: StatusQuery,
        response: answers({ 200: StatusList }),
      },
    },
    async ({ caller, query }, reply) => {
      const { states, total, part } = await listStatuses(context, caller, query);
      sendTotal(reply, part, total);
      return states.map(toWireStatus);
    },
  );
  server.get(
    "/v1/check-statuses/:checkId",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getCheckStatus",
        summary: "Get the status of a check and its explanation",
        description:
          "Contains the thresholds, the vote of each location and the deciding runs. A check that " +
          "has not run yet is unknown.",
        params: StatusParams,
        response: answers({ 200: StatusWithDecision }, "notFound"),
      },
    },
    async ({ caller, params }) =>
      toWireDecision(await getDecision(context, caller, params.checkId)),
  );
}
