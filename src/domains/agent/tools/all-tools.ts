import type { Tool } from "../tool.ts";
import { listDeliveriesTool, listMaintenanceTool } from "./alerting-tools.ts";
import { getCheckTool, listChecksTool } from "./check-tools.ts";
import { getIncidentTool, listIncidentsTool, postIncidentUpdateTool } from "./incident-tools.ts";
import { listLocationsTool } from "./location-tools.ts";
import { getResultTool, listResultsTool } from "./result-tools.ts";
import { compareWindowsTool, getStatisticsTool } from "./statistics-tools.ts";
import { getStatusTool, listStateChangesTool } from "./status-tools.ts";
import { createCheckTool, muteCheckTool, runCheckTool } from "./write-tools.ts";

/** Everything that the agent and the MCP server can do. */
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
  listDeliveriesTool,
  listMaintenanceTool,
  listLocationsTool,
  postIncidentUpdateTool,
  muteCheckTool,
  createCheckTool,
  runCheckTool,
];

const byName: ReadonlyMap<string, Tool> = new Map(allTools.map((tool) => [tool.name, tool]));

export function findTool(name: string): Tool | null {
  return byName.get(name) ?? null;
}
