import type { TObject, TSchema, Type } from "typebox";
import type { Caller } from "../accounts/index.ts";
import type { AgentContext } from "./context.ts";
import { NeedsConfirmationSchema } from "./tool-shapes/outcome-data.ts";
import type { DataOf } from "./tool-shapes/shape.ts";

export interface Source {
  readonly id: string;
  readonly label: string;
  readonly url: string;
}

/**
 * `data` is JSON for models and the planner; `sources` are what an answer may cite. A model is
 * shown both, as one JSON object with these two fields.
 */
export interface ToolResult {
  readonly data: unknown;
  readonly sources: readonly Source[];
}

/** One thing that the agent and the MCP server can do: an action of another room. */
export interface Tool<Input = unknown> {
  readonly name: string;
  /** As people call it: two or three words. */
  readonly title: string;
  readonly description: string;
  /** What writes runs only after the caller has confirmed exactly this call. */
  readonly access: "read" | "write";
  /** Of the input. Unknown fields are refused. */
  readonly InputSchema: TObject;
  /** Of `data`, unless the tool cannot answer. For what writes, of the proposal. */
  readonly DataSchema: TSchema;
  /** The account is the caller's: no input can name another. */
  readonly run: (context: AgentContext, caller: Caller, input: Input) => Promise<ToolResult>;
}

/** One thing that a write would change, in words for people; null: there is nothing. */
export interface ProposedChange {
  readonly what: string;
  readonly before: string | null;
  readonly after: string | null;
}

export interface Proposal {
  /** One sentence that says exactly what would be done. */
  readonly summary: string;
  /** What it would make, as far as that can be shown. */
  readonly proposal: unknown;
  /** The same, piece by piece, for whoever is asked to confirm it. */
  readonly changes: readonly ProposedChange[];
}

/** A tool that writes says first what it would do, and refuses what it could not do. */
export interface WriteTool<Input = unknown> extends Tool<Input> {
  readonly access: "write";
  /** The right that the caller must have for the action behind it. */
  readonly right: "run" | "write";
  readonly propose: (context: AgentContext, caller: Caller, input: Input) => Promise<Proposal>;
}

type InputOf<Schema extends TObject> = Type.Static<Schema>;

type DataResult<Schema extends TSchema> = {
  readonly data: DataOf<Schema>;
  readonly sources: readonly Source[];
};

/**
 * Inputs are validated against the schema before a tool runs, so that what the schema says of a
 * type holds; a list of tools cannot say so of each.
 */
export function defineReadTool<Schema extends TObject, Data extends TSchema>(
  tool: Omit<Tool, "access" | "InputSchema" | "DataSchema" | "run"> & {
    readonly InputSchema: Schema;
    readonly DataSchema: Data;
    readonly run: (
      context: AgentContext,
      caller: Caller,
      input: InputOf<Schema>,
    ) => Promise<DataResult<Data>>;
  },
): Tool {
  return { ...tool, access: "read" } as unknown as Tool;
}

export function defineWriteTool<Schema extends TObject>(
  tool: Omit<WriteTool<InputOf<Schema>>, "access" | "InputSchema" | "DataSchema"> & {
    readonly InputSchema: Schema;
  },
): WriteTool {
  return { ...tool, access: "write", DataSchema: NeedsConfirmationSchema } as unknown as WriteTool;
}

export function isWriteTool(tool: Tool): tool is WriteTool {
  return tool.access === "write";
}
