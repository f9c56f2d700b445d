import type { Tool } from "../tool.ts";
import { listAlertsTool, listDeliveriesTool, listMaintenanceTool } from "./alerting-tools.ts";
import { getCheckTool, listChecksTool } from "./check-tools.ts";
import { createCheckTool } from "./create-check-tool.ts";
import {
  listChannelsTool,
  listGroupsTool,
  listServicesTool,
  listStatusPagesTool,
} from "./directory-tools.ts";
import { draftIncidentTool } from "./draft-tool.ts";
import { getIncidentTool, listIncidentsTool, postIncidentUpdateTool } from "./incident-tools.ts";
import { listLocationsTool } from "./location-tools.ts";
import { listNamesTool } from "./name-tools.ts";
import { listDashboardsTool, listMembersTool } from "./people-tools.ts";
import { getResultTool, listResultsTool } from "./result-tools.ts";
import { compareWindowsTool, getStatisticsTool } from "./statistics-tools.ts";
import { getStatusTool, listStateChangesTool } from "./status-tools.ts";
import { currentTimeTool } from "./time-tools.ts";
import { acknowledgeAlertTool, muteCheckTool, runCheckTool } from "./write-tools.ts";

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
  currentTimeTool,
  postIncidentUpdateTool,
  acknowledgeAlertTool,
  muteCheckTool,
  createCheckTool,
  runCheckTool,
];

const byName: ReadonlyMap<string, Tool> = new Map(allTools.map((tool) => [tool.name, tool]));

export function findTool(name: string): Tool | null {
  return byName.get(name) ?? null;
}
