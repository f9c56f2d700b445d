import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import { defineReadTool, type Tool } from "../tool.ts";
import { CurrentTimeSchema } from "../tool-shapes/directory-data.ts";
import { listAlertsTool, listDeliveriesTool, listMaintenanceTool } from "./alerting-tools.ts";
import {
  getCheckTool,
  getStatusTool,
  listChecksTool,
  listStateChangesTool,
} from "./check-tools.ts";
import { createCheckTool } from "./create-check-tool.ts";
import {
  listChannelsTool,
  listDashboardsTool,
  listGroupsTool,
  listLocationsTool,
  listMembersTool,
  listNamesTool,
  listServicesTool,
  listStatusPagesTool,
} from "./directory-tools.ts";
import { searchDocsTool } from "./docs-tools.ts";
import {
  draftIncidentTool,
  getIncidentTool,
  listIncidentsTool,
  postIncidentUpdateTool,
} from "./incident-tools.ts";
import {
  escalateAlertTool,
  pageMemberTool,
  reassignAlertTool,
  snoozeAlertTool,
  whoIsOnCallTool,
} from "./on-call-tools.ts";
import { listEscalationPoliciesTool } from "./policy-tools.ts";
import { getResultTool, listResultsTool } from "./result-tools.ts";
import { compareWindowsTool, getStatisticsTool } from "./statistics-tools.ts";
import { acknowledgeAlertTool, muteCheckTool, runCheckTool } from "./write-tools.ts";

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const currentTimeTool = defineReadTool({
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

/** All tools of the agent and the MCP server. */
export const allTools: readonly Tool[] = [
  listChecksTool,
  getCheckTool,
  getStatusTool,
  listResultsTool,
  getResultTool,
  getStatisticsTool,
  compareWindowsTool,
  listStateChangesTool,
  listIncidentsTool,
  getIncidentTool,
  draftIncidentTool,
  listAlertsTool,
  listDeliveriesTool,
  listMaintenanceTool,
  listLocationsTool,
  listGroupsTool,
  listServicesTool,
  listStatusPagesTool,
  listChannelsTool,
  listMembersTool,
  listDashboardsTool,
  listNamesTool,
  listEscalationPoliciesTool,
  whoIsOnCallTool,
  searchDocsTool,
  currentTimeTool,
  postIncidentUpdateTool,
  acknowledgeAlertTool,
  muteCheckTool,
  createCheckTool,
  runCheckTool,
  pageMemberTool,
  snoozeAlertTool,
  reassignAlertTool,
  escalateAlertTool,
];

const byName: ReadonlyMap<string, Tool> = new Map(allTools.map((tool) => [tool.name, tool]));

export function findTool(name: string): Tool | null {
  return byName.get(name) ?? null;
}
