import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { answers, DateTime, Described, Guid, OrNull } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { AlertSettingsSchema } from "../../checks/index.ts";
import type { AlertingContext } from "../context.ts";
import { type BackTestReport, backTestAlerts } from "./actions.ts";

const BackTestParams = Type.Object({ id: Described(Guid, "The check's id.") });

const BackTestBody = Type.Object(
  {
    alertSettings: Described(AlertSettingsSchema, "The settings to try."),
    days: Type.Integer({
      description: "Number of days of history to evaluate.",
      minimum: 1,
      maximum: 30,
      default: 7,
    }),
  },
  { title: "BackTestInput" },
);

const BackTestSchema = Type.Object(
  {
    from: Described(DateTime, "Where the history begins."),
    to: Described(DateTime, "Where the history ends."),
    runs: Type.Integer({ description: "Number of runs evaluated.", examples: [1440] }),
    isTruncated: Type.Boolean({
      description: "True if the history was too long and only its oldest part was evaluated.",
    }),
    alerts: Type.Array(
      Type.Object({
        kind: Type.String({
          description: "The kind of alert.",
          examples: ["ALERT_FAILURE"],
        }),
        at: Described(DateTime, "When it would have been sent."),
        reason: Type.String({
          description: "Why it would have been sent.",
          examples: ["run-threshold-reached"],
        }),
        resultId: Described(OrNull(Guid), "The result that caused it; `null` if no result did."),
        minutesToDetect: Described(
          OrNull(Type.Number()),
          "Minutes from the first failing run to the alert; `null` if it reports no new problem.",
          2.5,
        ),
        isReminder: Type.Boolean({ description: "True if it repeats an earlier alert." }),
      }),
      { description: "The alerts that the settings would have raised, oldest first." },
    ),
  },
  { title: "BackTest" },
);

const toWireMoment = (atMs: number) => formatDateTime(new Date(atMs));

function toWireBackTest(report: BackTestReport) {
  return {
    from: toWireMoment(report.fromMs),
    to: toWireMoment(report.toMs),
    runs: report.runs,
    isTruncated: report.isTruncated,
    alerts: report.alerts.map((alert) => ({
      kind: alert.kind,
      at: toWireMoment(alert.atMs),
      reason: alert.reason,
      resultId: alert.resultId,
      minutesToDetect: alert.minutesToDetect,
      isReminder: alert.isReminder,
    })),
  };
}

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
