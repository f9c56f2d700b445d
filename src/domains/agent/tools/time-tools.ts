import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { defineReadTool } from "../tool.ts";
import { CurrentTimeSchema } from "../tool-shapes/directory-data.ts";

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

export const currentTimeTool = defineReadTool({
  name: "current_time",
  title: "Current time",
  description:
    "Current time of the server, in UTC. Times may also be given relative to it, such as -24h.",
  InputSchema: Type.Object({}, { additionalProperties: false }),
  DataSchema: CurrentTimeSchema,
  run: async (context) => {
    const now = context.clock.now();
    const data = {
      now: formatDateTime(now),
      weekday: weekdays[now.getUTCDay()] ?? "",
      unixSeconds: Math.floor(now.getTime() / 1_000),
      timeZone: "UTC",
    } as const;
    return { data, sources: [] };
  },
});
