import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AlertingContext } from "../context.ts";
import { backTestAlerts } from "./actions.ts";
import { BackTestBody, BackTestParams, BackTestSchema, toWireBackTest } from "./schema.ts";

const tags = ["Alert settings"];

export function addBackTestRoutes(server: HttpServer, context: AlertingContext): void {
  server.post(
    "/v1/checks/:id/alert-back-test",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "backTestAlertSettings",
        summary: "Show which alerts proposed settings would have raised in the check's history",
        description: "Nothing is stored and nothing is sent.",
        params: BackTestParams,
        body: BackTestBody,
        response: answers({ 200: BackTestSchema }, "notFound"),
      },
    },
    async ({ caller, params, body }) => {
      const { alertSettings, days } = body;
      const request = { checkId: params.id, alertSettings, days };
      return toWireBackTest(await backTestAlerts(context, caller, request));
    },
  );
}
