import type { RunsContext } from "../runs/index.ts";

export type StatisticsContext = Pick<RunsContext, "db" | "clock" | "log" | "watchList">;
