import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import { DateTime, Described, Guid, OneOf, OrNull } from "../../platform/http/schema.ts";
import type { listTrends } from "./actions.ts";

const dayMs = 86_400_000;

const TrendSchema = Type.Object(
  {
    type: Described(
      OneOf(["latency", "loss", "failures", "certificate"]),
      "Slower, more packets lost, more runs not passing, or a certificate that expires.",
    ),
    checkId: Described(Guid, "The check's id."),
    name: Type.String({ description: "The check's name.", examples: ["checkout"] }),
    earlier: Described(
      OrNull(Type.Number()),
      "The figure of the seven days before: P95 in milliseconds, or percent; null: a certificate.",
      180,
    ),
    recent: Type.Number({
      description: "The figure of the last day; of a certificate the days that are left.",
      examples: [240],
    }),
    unit: Described(OneOf(["milliseconds", "percent", "days"]), "What the figures are."),
    runs: Described(OrNull(Type.Integer()), "Runs of the last day; null: a certificate.", 1_440),
    host: Described(OrNull(Type.String()), "Whose certificate it is; null: none.", "shop.example"),
    expiresAt: Described(OrNull(DateTime), "When the certificate expires; null: none."),
  },
  { title: "Trend" },
);

export const TrendsSchema = Type.Object(
  {
    asOf: Described(DateTime, "The last day ends here; renewed every ten minutes."),
    trends: Type.Array(TrendSchema, {
      description: "Certificates, the first to expire first; then figures, the steepest first.",
    }),
  },
  { title: "Trends" },
);

export function toWireTrends({
  trends,
  certificates,
  now,
  asOf,
}: Awaited<ReturnType<typeof listTrends>>) {
  return {
    asOf: formatDateTime(asOf),
    trends: [
      ...certificates.map(({ checkId, name, host, expiresAt }) => ({
        type: "certificate" as const,
        checkId,
        name,
        earlier: null,
        recent: Math.floor((expiresAt.getTime() - now.getTime()) / dayMs),
        unit: "days" as const,
        runs: null,
        host,
        expiresAt: formatDateTime(expiresAt),
      })),
      ...trends.map((trend) => ({
        ...trend,
        unit: trend.type === "latency" ? ("milliseconds" as const) : ("percent" as const),
        host: null,
        expiresAt: null,
      })),
    ],
  };
}
