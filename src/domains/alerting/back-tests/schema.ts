import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Guid, OrNull } from "../../../platform/http/schema.ts";
import { AlertSettingsSchema } from "../../checks/index.ts";
import type { BackTestReport } from "./actions.ts";

export const BackTestParams = Type.Object({ id: Guid });

export const BackTestBody = Type.Object({
  alertSettings: AlertSettingsSchema,
  days: Type.Integer({ minimum: 1, maximum: 30, default: 7 }),
});

export const BackTestSchema = Type.Object({
  from: DateTime,
  to: DateTime,
  runs: Type.Integer(),
  isTruncated: Type.Boolean(),
  alerts: Type.Array(
    Type.Object({
      kind: Type.String(),
      at: DateTime,
      reason: Type.String(),
      resultId: OrNull(Guid),
      minutesToDetect: OrNull(Type.Number()),
      isReminder: Type.Boolean(),
    }),
  ),
});

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
