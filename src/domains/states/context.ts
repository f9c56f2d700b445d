import type { ScheduleContext } from "../schedule/index.ts";

/** Dependencies of the actions. */
export type StatesContext = Pick<ScheduleContext, "db" | "clock" | "watchList">;
