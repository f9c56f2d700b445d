import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, Guid, OrNull } from "../../../platform/http/schema.ts";
import type { StatisticsReport } from "./actions.ts";

const DateOrDateTime = Type.Unsafe<string>({
  type: "string",
  maxLength: 40,
  anyOf: [{ format: "date" }, { format: "date-time" }],
  description: "a date (midnight UTC) or a date and time",
});

export const StatisticsQuery = Type.Object({
  from: Described(
    Type.Optional(DateOrDateTime),
    "Start of the period: a date (midnight UTC) or a date and time.",
  ),
  to: Described(
    Type.Optional(DateOrDateTime),
    "End of the period: a date (midnight UTC) or a date and time.",
  ),
});
export type StatisticsQuery = Type.Static<typeof StatisticsQuery>;

const Count = Type.Integer();
const Seconds = OrNull(Type.Integer());
const BySeverity = Type.Object(
  {
    CRITICAL: Described(Count, "Number of CRITICAL incidents."),
    MAJOR: Described(Count, "Number of MAJOR incidents."),
    MEDIUM: Described(Count, "Number of MEDIUM incidents."),
    MINOR: Described(Count, "Number of MINOR incidents."),
  },
  { description: "Number of incidents by severity." },
);

export const StatisticsSchema = Type.Object(
  {
    from: Described(DateTime, "Start of the period."),
    to: Described(DateTime, "Until when."),
    count: Described(Count, "Number of incidents that started in the period."),
    ongoing: Described(Count, "Number of these that are ongoing."),
    bySeverity: BySeverity,
    meanDurationSeconds: Described(Seconds, "Mean duration; `null` if there are no incidents."),
    medianDurationSeconds: Described(Seconds, "Median duration; `null` if there are no incidents."),
    longestDurationSeconds: Described(
      Seconds,
      "Longest duration; `null` if there are no incidents.",
    ),
    meanTimeToAcknowledgeSeconds: Described(
      Seconds,
      "Mean time until a person responded; `null` if nobody did.",
    ),
    isTruncated: Type.Boolean({
      description: "Whether only the newest 10,000 incidents were counted.",
    }),
    byMonth: Type.Array(
      Type.Object({
        month: Type.String({ description: "Year and month, in UTC.", examples: ["2026-11"] }),
        count: Described(Count, "Number of incidents that started in the month."),
        bySeverity: BySeverity,
        meanDurationSeconds: Described(Seconds, "Mean duration; `null` if there are none."),
      }),
      { description: "Every month of the period, oldest first." },
    ),
    services: Type.Array(
      Type.Object({
        id: Described(Guid, "Its id."),
        name: Type.String({ description: "Its name.", examples: ["Payments"] }),
        uptimePercent: Described(
          OrNull(Type.Number()),
          "Uptime in percent; `null` without data.",
          99.95,
        ),
        downtimeSeconds: Type.Integer({ description: "Seconds of downtime." }),
        incidents: Described(Count, "Number of incidents that affected the service."),
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
