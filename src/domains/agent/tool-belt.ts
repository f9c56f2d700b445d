import type { Caller } from "../accounts/index.ts";
import type { ProposedConfirmation } from "./confirmations/actions.ts";
import { hashInput } from "./confirmations/confirmation.ts";
import type { AgentContext } from "./context.ts";
import { runTool } from "./run-tool.ts";
import { isWriteTool, type Tool, type ToolResult } from "./tool.ts";
import type { ToolFailure } from "./tool-shapes/shape.ts";

export interface BeltLimits {
  readonly toolCalls: number;
  /** Maximum length of one result for an external model. */
  readonly toolResultChars: number;
  /** Maximum length of all results: each step sends them again. */
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

  /** Lists proposals in the order of the calls. The model never sees these. */
  listProposed(): ProposedConfirmation[] {
    const inOrder = this.#confirmations.toSorted((one, other) => one.place - other.place);
    return inOrder.map(({ confirmation }) => confirmation);
  }

  async call(tool: Tool, input: unknown): Promise<ToolResult> {
    this.#callCount += 1;
    if (this.#callCount > this.#limits.toolCalls)
      return fail("too-many", "No further calls are allowed.");
    if (!isWriteTool(tool)) return this.#fit(await this.#run(tool, input));
    // The same call twice is one proposal, which the user confirms once.
    const name = `${tool.name} ${hashInput(input ?? {})}`;
    const result = this.#proposed.get(name) ?? this.#run(tool, input);
    this.#proposed.set(name, result);
    return this.#fit(await result);
  }

  async #run(tool: Tool, input: unknown): Promise<ToolResult> {
    // Several calls of one step run concurrently and end in any order.
    const place = this.#callCount;
    const call = { tool, input, via: "stream" } as const;
    try {
      const { result, confirmation } = await runTool(this.#context, this.#caller, call);
      if (confirmation !== null) this.#confirmations.push({ place, confirmation });
      return result;
    } catch (error) {
      // Internal errors are not shown to a model.
      const { requestId } = this.#caller;
      this.#context.log.error({ err: error, requestId, tool: tool.name }, "tool failed");
      return fail("failed", "The tool failed. See the server's log for the reason.");
    }
  }

  /** An external model is paid by the token; the planner reads everything. */
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
