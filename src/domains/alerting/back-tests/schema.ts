import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, Guid, OrNull } from "../../../platform/http/schema.ts";
import { AlertSettingsSchema } from "../../checks/index.ts";
import type { BackTestReport } from "./actions.ts";

export const BackTestParams = Type.Object({ id: Described(Guid, "The check's id.") });

export const BackTestBody = Type.Object(
  {
    alertSettings: Described(AlertSettingsSchema, "The settings to try."),
    days: Type.Integer({
      description: "How many days of history to look at.",
      minimum: 1,
      maximum: 30,
      default: 7,
    }),
  },
  { title: "BackTestInput" },
);

export const BackTestSchema = Type.Object(
  {
    from: Described(DateTime, "From when on."),
    to: Described(DateTime, "Until when."),
    runs: Type.Integer({ description: "How many runs were looked at.", examples: [1440] }),
    isTruncated: Type.Boolean({
      description: "True: the history was too long, and only its newest part was looked at.",
    }),
    alerts: Type.Array(
      Type.Object({
        kind: Type.String({
          description: "What would have been told.",
          examples: ["ALERT_FAILURE"],
        }),
        at: Described(DateTime, "When."),
        reason: Type.String({
          description: "Why it would have been told.",
          examples: ["2 failing runs in a row"],
        }),
        resultId: Described(OrNull(Guid), "The result that decided; null: none did."),
        minutesToDetect: Described(
          OrNull(Type.Number()),
          "Minutes from the first failing run to the alert; null: it is no alert of a failure.",
          2.5,
        ),
        isReminder: Type.Boolean({ description: "True: it repeats an earlier one." }),
      }),
      { description: "The alerts that it would have raised, the first one first." },
    ),
  },
  { title: "BackTest" },
);

const toWireMoment = (atMs: number) => formatDateTime(new Date(atMs));

export function toWireBackTest(report: BackTestReport) {
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
