import { type Caller, isAllowed } from "../access/accounts/index.ts";
import { type ErrorName, invalid, KnownError } from "../platform/errors.ts";
import { parseJsonBody } from "../platform/http/json-body.ts";
import { findSchemaFault } from "../platform/http/validation.ts";
import { type ProposedConfirmation, requestConfirmation } from "./confirmations/actions.ts";
import { type ConfirmationWay, hashInput } from "./confirmations/confirmations.ts";
import type { AgentContext } from "./context.ts";
import type { NeedsConfirmationData, ToolFailure } from "./tool.ts";
import { isWriteTool, type Tool, type ToolResult, type WriteTool } from "./tool.ts";
import { resolveInput } from "./tools/resolve-input.ts";

export interface ToolCall {
  readonly tool: Tool;
  readonly input: unknown;
  readonly via: ConfirmationWay;
}

export interface ToolOutcome {
  readonly result: ToolResult;
  /** The confirmation with its token. Only the caller may receive it, never a model. */
  readonly confirmation: ProposedConfirmation | null;
}

const failureOf: Partial<Readonly<Record<ErrorName, ToolFailure["error"]>>> = {
  notFound: "not-found",
  invalidRequest: "invalid",
  conflict: "invalid",
  forbidden: "forbidden",
  hiddenValues: "forbidden",
  tooManyRequests: "too-many",
};

function failWith(error: ToolFailure["error"], message: string): ToolResult {
  const data: ToolFailure = { error, message };
  return { data, sources: [] };
}

/**
 * Converts a known error, such as invalid input, to a tool result. Internal errors are rethrown.
 */
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

/** Runs a tool. A write tool only creates a proposal, whatever its input contains. */
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

/**
 * Validates the input from a model. Like a request body of the API, the input must not be nested
 * too deeply or contain invalid text. It must also match the schema of the tool.
 */
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

export interface BeltLimits {
  readonly toolCalls: number;
  /** Maximum length of one tool result for an external model. */
  readonly toolResultChars: number;
  /**
   * Maximum length of all tool results of an answer together, because each step sends all of them
   * again.
   */
  readonly toolCharsTogether: number;
}

function fail(error: ToolFailure["error"], message: string): ToolResult {
  const data: ToolFailure = { error, message };
  return { data, sources: [] };
}

/** Runs the tool calls of one answer, within limits. */
export class ToolBelt {
  readonly #context: AgentContext;
  readonly #caller: Caller;
  readonly #limits: BeltLimits;
  readonly #proposed = new Map<string, Promise<ToolResult>>();
  readonly #confirmations: {
    readonly place: number;
    readonly confirmation: ProposedConfirmation;
  }[] = [];
  #callCount = 0;
  #charCount = 0;

  constructor(context: AgentContext, caller: Caller, limits: BeltLimits) {
    this.#context = context;
    this.#caller = caller;
    this.#limits = limits;
  }

  /** Lists the proposals in the order of the tool calls. The model never receives this list. */
  listProposed(): ProposedConfirmation[] {
    const inOrder = this.#confirmations.toSorted((one, other) => one.place - other.place);
    return inOrder.map(({ confirmation }) => confirmation);
  }

  async call(tool: Tool, input: unknown): Promise<ToolResult> {
    this.#callCount += 1;
    if (this.#callCount > this.#limits.toolCalls)
      return fail("too-many", "No further calls are allowed.");
    if (!isWriteTool(tool)) return this.#fit(await this.#run(tool, input));
    // Identical calls create only one proposal, so that the user confirms only once.
    const name = `${tool.name} ${hashInput(input ?? {})}`;
    const result = this.#proposed.get(name) ?? this.#run(tool, input);
    this.#proposed.set(name, result);
    return this.#fit(await result);
  }

  async #run(tool: Tool, input: unknown): Promise<ToolResult> {
    // Position of the call. It is needed because calls of one step run concurrently and end in any
    // order.
    const place = this.#callCount;
    const call = { tool, input, via: "stream" } as const;
    try {
      const { result, confirmation } = await runTool(this.#context, this.#caller, call);
      if (confirmation !== null) this.#confirmations.push({ place, confirmation });
      return result;
    } catch (error) {
      // The model must not receive details of internal errors.
      const { requestId } = this.#caller;
      this.#context.log.error({ err: error, requestId, tool: tool.name }, "tool failed");
      return fail("failed", "The tool failed. See the server's log for the reason.");
    }
  }

  /**
   * Replaces a result that is too large with an error. Applies only to external models, because
   * they cost money per token.
   */
  #fit(result: ToolResult): ToolResult {
    if (this.#context.agentSettings.endpoint === null) return result;
    const { length } = JSON.stringify(result);
    const isTooMuch = this.#charCount + length > this.#limits.toolCharsTogether;
    if (length > this.#limits.toolResultChars || isTooMuch) {
      const message = "The result is too large. Request less: fewer checks, a shorter period.";
      return fail("too-many", message);
    }
    this.#charCount += length;
    return result;
  }
}
