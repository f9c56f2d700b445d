import type { StatesContext } from "../states/index.ts";

export type OverviewContext = StatesContext;
