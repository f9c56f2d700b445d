import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import { DateTime, Described, Guid, OneOf, OrNull } from "../../platform/http/schema.ts";
import type { listTrends } from "./actions.ts";

const dayMs = 86_400_000;

const TrendSchema = Type.Object(
  {
    type: Described(
      OneOf(["latency", "loss", "failures", "certificate"]),
      "Slower, more packet loss, fewer passing runs, or an expiring certificate.",
    ),
    checkId: Described(Guid, "The check's id."),
    name: Type.String({ description: "The check's name.", examples: ["checkout"] }),
    earlier: Described(
      OrNull(Type.Number()),
      "Figure of the seven days before: P95 in milliseconds or percent; `null` for a certificate.",
      180,
    ),
    recent: Type.Number({
      description: "Figure of the last day; for a certificate the remaining days.",
      examples: [240],
    }),
    unit: Described(OneOf(["milliseconds", "percent", "days"]), "Unit of the figures."),
    runs: Described(
      OrNull(Type.Integer()),
      "Runs of the last day; `null` for a certificate.",
      1_440,
    ),
    host: Described(
      OrNull(Type.String()),
      "Host of the certificate; `null` if there is none.",
      "shop.example",
    ),
    expiresAt: Described(
      OrNull(DateTime),
      "When the certificate expires; `null` if there is none.",
    ),
  },
  { title: "Trend" },
);

export const TrendsSchema = Type.Object(
  {
    asOf: Described(DateTime, "End of the last day; updated every ten minutes."),
    trends: Type.Array(TrendSchema, {
      description: "Certificates by expiry, then figures by the largest increase.",
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
