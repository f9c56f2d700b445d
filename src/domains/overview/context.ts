import type { RunsContext } from "../runs/index.ts";

export type OverviewContext = Pick<RunsContext, "db" | "clock" | "watchList">;
