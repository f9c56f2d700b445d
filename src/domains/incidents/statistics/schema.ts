import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, Guid, OrNull } from "../../../platform/http/schema.ts";
import type { StatisticsReport } from "./actions.ts";

const Moment = Type.Unsafe<string>({
  type: "string",
  maxLength: 40,
  anyOf: [{ format: "date" }, { format: "date-time" }],
  description: "a date, which is its first moment in UTC, or a date and time",
});

export const StatisticsQuery = Type.Object({
  from: Described(
    Type.Optional(Moment),
    "Begin of the window: a date, which is its first moment in UTC, or a date and time.",
  ),
  to: Described(
    Type.Optional(Moment),
    "End of the window: a date, which is its first moment in UTC, or a date and time.",
  ),
});
export type StatisticsQuery = Type.Static<typeof StatisticsQuery>;

const Count = Type.Integer();
const Seconds = OrNull(Type.Integer());
const BySeverity = Type.Object(
  {
    CRITICAL: Described(Count, "Incidents of this severity."),
    MAJOR: Described(Count, "Incidents of this severity."),
    MEDIUM: Described(Count, "Incidents of this severity."),
    MINOR: Described(Count, "Incidents of this severity."),
  },
  { description: "How many of each severity." },
);

export const StatisticsSchema = Type.Object(
  {
    from: Described(DateTime, "From when on."),
    to: Described(DateTime, "Until when."),
    count: Described(Count, "How many incidents began in the window."),
    ongoing: Described(Count, "How many of them go on."),
    bySeverity: BySeverity,
    meanDurationSeconds: Described(Seconds, "The mean duration; null: none has ended."),
    medianDurationSeconds: Described(Seconds, "The median duration; null: none has ended."),
    longestDurationSeconds: Described(Seconds, "The longest duration; null: none has ended."),
    meanTimeToAcknowledgeSeconds: Described(
      Seconds,
      "The mean time until somebody answered; null: nobody did.",
    ),
    isTruncated: Type.Boolean({ description: "Only the newest 10,000 incidents were looked at." }),
    byMonth: Type.Array(
      Type.Object({
        month: Type.String({ description: "Year and month, in UTC.", examples: ["2026-11"] }),
        count: Described(Count, "How many incidents began in it."),
        bySeverity: BySeverity,
        meanDurationSeconds: Described(Seconds, "Their mean duration; null: none began."),
      }),
      { description: "Every month of the window, oldest first, with what began in it." },
    ),
    services: Type.Array(
      Type.Object({
        id: Described(Guid, "Its id."),
        name: Type.String({ description: "Its name.", examples: ["Payments"] }),
        uptimePercent: Described(
          OrNull(Type.Number()),
          "Uptime in percent; null: too little data.",
          99.95,
        ),
        downtimeSeconds: Type.Integer({ description: "Seconds of downtime." }),
        incidents: Described(Count, "How many incidents affected it."),
      }),
      { description: "Every service of the account." },
    ),
  },
  { title: "IncidentStatistics" },
);

export function toWireStatistics(report: StatisticsReport) {
  const { from, to, services, byMonth, ...rest } = report;
  return {
    from: formatDateTime(from),
    to: formatDateTime(to),
    ...rest,
    byMonth: byMonth.map((month) => ({ ...month })),
    services: services.map((service) => ({ ...service })),
  };
}
