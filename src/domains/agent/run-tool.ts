import { type ErrorName, invalid, KnownError } from "../../platform/errors.ts";
import { parseJsonBody } from "../../platform/http/json-body.ts";
import { findSchemaFault } from "../../platform/http/validation.ts";
import { type Caller, isAllowed } from "../accounts/index.ts";
import { type ProposedConfirmation, requestConfirmation } from "./confirmations/actions.ts";
import type { ConfirmationWay } from "./confirmations/confirmation.ts";
import type { AgentContext } from "./context.ts";
import { isWriteTool, type Tool, type ToolResult, type WriteTool } from "./tool.ts";
import type { NeedsConfirmationData, ToolFailure } from "./tool-shapes/shape.ts";
import { resolveInput } from "./tools/resolve-input.ts";

export interface ToolCall {
  readonly tool: Tool;
  readonly input: unknown;
  readonly via: ConfirmationWay;
}

export interface ToolOutcome {
  readonly result: ToolResult;
  /** For the caller only: it must never reach a model. */
  readonly confirmation: ProposedConfirmation | null;
}

const failureOf: Partial<Readonly<Record<ErrorName, ToolFailure["error"]>>> = {
  notFound: "not-found",
  invalidRequest: "invalid",
  conflict: "invalid",
  forbidden: "forbidden",
  tooManyRequests: "too-many",
};

function failWith(error: ToolFailure["error"], message: string): ToolResult {
  const data: ToolFailure = { error, message };
  return { data, sources: [] };
}

/** A caller's mistake becomes an answer for the model; internal errors stay exceptions. */
export async function explainFailure(run: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await run();
  } catch (error) {
    const name = error instanceof KnownError ? failureOf[error.errorName] : undefined;
    if (name === undefined) throw error;
    if (name === "not-found") return failWith(name, "It does not exist in this account.");
    return failWith(name, (error as KnownError).message);
  }
}

export function mayUse(caller: Caller, tool: Tool): boolean {
  const access = isWriteTool(tool) ? tool.right : "read";
  return isAllowed(access, caller.role, caller.type === "SESSION");
}

/** Runs a tool that reads; a tool that writes is only proposed, whatever the input contains. */
export async function runTool(
  context: AgentContext,
  caller: Caller,
  { tool, input, via }: ToolCall,
): Promise<ToolOutcome> {
  context.agentMetrics.toolCalls.inc({ tool: tool.name, via });
  if (!mayUse(caller, tool)) {
    const message = `This API key or member may not use ${tool.name}.`;
    return { result: failWith("forbidden", message), confirmation: null };
  }
  let confirmation: ProposedConfirmation | null = null;
  const result = await explainFailure(async () => {
    const own = await resolveInput(context, caller, parseInput(tool, input));
    if (!isWriteTool(tool)) return tool.run(context, caller, own);
    const proposed = await proposeCall(context, caller, { tool, input: own, via });
    confirmation = proposed.confirmation;
    return proposed.result;
  });
  return { result, confirmation };
}

/** Validates a model's input like a request body, and then against the tool's schema. */
function parseInput(tool: Tool, input: unknown): unknown {
  const own: unknown = parseJsonBody(Buffer.from(JSON.stringify(input ?? {})));
  const fault = findSchemaFault(tool.InputSchema, own);
  if (fault !== null) throw invalid(fault.key, fault.rule);
  return own;
}

async function proposeCall(
  context: AgentContext,
  caller: Caller,
  { tool, input, via }: ToolCall & { readonly tool: WriteTool },
): Promise<ToolOutcome> {
  const { summary, proposal, changes } = await tool.propose(context, caller, input);
  const pending = await requestConfirmation(context, caller, {
    tool: tool.name,
    input,
    summary,
    via,
  });
  const confirmation = { ...pending, title: tool.title, changes };
  const action = tool.name;
  const data: NeedsConfirmationData = { needsConfirmation: true, action, summary, proposal };
  return { result: { data, sources: [] }, confirmation };
}
