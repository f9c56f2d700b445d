import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Guid, OrNull } from "../../../platform/http/schema.ts";
import type { StatisticsReport } from "./actions.ts";

const Moment = Type.Unsafe<string>({
  type: "string",
  maxLength: 40,
  anyOf: [{ format: "date" }, { format: "date-time" }],
  description: "a date, which is its first moment in UTC, or a date and time",
});

export const StatisticsQuery = Type.Object({
  from: Type.Optional(Moment),
  to: Type.Optional(Moment),
});
export type StatisticsQuery = Type.Static<typeof StatisticsQuery>;

const Count = Type.Integer();
const Seconds = OrNull(Type.Integer());

export const StatisticsSchema = Type.Object({
  from: DateTime,
  to: DateTime,
  count: Count,
  ongoing: Count,
  bySeverity: Type.Object({ CRITICAL: Count, MAJOR: Count, MEDIUM: Count, MINOR: Count }),
  meanDurationSeconds: Seconds,
  medianDurationSeconds: Seconds,
  longestDurationSeconds: Seconds,
  meanTimeToAcknowledgeSeconds: Seconds,
  isTruncated: Type.Boolean({ description: "Only the newest 10,000 incidents were looked at." }),
  services: Type.Array(
    Type.Object({
      id: Guid,
      name: Type.String(),
      uptimePercent: OrNull(Type.Number()),
      downtimeSeconds: Type.Integer(),
      incidents: Count,
    }),
  ),
});

export function fromWireStatisticsQuery(query: StatisticsQuery) {
  return {
    from: query.from === undefined ? undefined : new Date(query.from),
    to: query.to === undefined ? undefined : new Date(query.to),
  };
}

export function toWireStatistics(report: StatisticsReport) {
  const { from, to, services, ...rest } = report;
  return {
    from: formatDateTime(from),
    to: formatDateTime(to),
    ...rest,
    services: services.map((service) => ({ ...service })),
  };
}
