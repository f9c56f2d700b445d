import type { LatencyFigure } from "../../reading/question.ts";

export const figureNames: Readonly<Record<LatencyFigure, string>> = {
  avg: "average",
  p50: "median (P50)",
  p95: "P95",
  p99: "P99",
  max: "maximum",
};
