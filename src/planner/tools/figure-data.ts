import type { StatusCounts } from "./check-data.ts";

/** Statistics over a time window; `null` if nothing was measured. A kind adds its own fields. */
export interface Figures {
  readonly runs: StatusCounts;
  readonly availabilityPercent: number | null;
  readonly latencyMs: Readonly<Record<"avg" | "p50" | "p95" | "p99" | "max", number | null>>;
}

export interface CheckFigures extends Figures {
  readonly checkId: string;
  readonly checkType: string;
  readonly name: string;
  readonly tags: readonly string[];
  readonly byLocation?: readonly ({ readonly location: string } & Figures)[];
}

export interface GetStatisticsData {
  readonly from: string;
  readonly to: string;
  readonly checks: readonly CheckFigures[];
  readonly total: number;
  readonly notFound: readonly string[];
}

export interface CompareWindowsData {
  readonly from: string;
  readonly to: string;
  readonly previousFrom: string;
  readonly previousTo: string;
  readonly checks: readonly {
    readonly checkId: string;
    readonly checkType: string;
    readonly name: string;
    readonly now: Figures;
    readonly before: Figures;
    readonly change: Readonly<
      Record<"availabilityPercent" | "latencyAvgMs" | "latencyP95Ms", number | null>
    >;
  }[];
  readonly total: number;
  readonly notFound: readonly string[];
}
