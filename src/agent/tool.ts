import { type TObject, type TProperties, type TSchema, Type } from "typebox";
import type { Caller } from "../access/accounts/index.ts";
import { OneOf, OrNull } from "../platform/http/schema.ts";
import type { AgentContext } from "./context.ts";

type DeepReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
    : Value;

/** TypeScript type of the values that match a schema, with read-only fields. */
export type DataOf<Schema extends TSchema> = DeepReadonly<Type.Static<Schema>>;

/**
 * Defines an object schema that rejects unlisted fields, so that tests detect fields that the
 * schema does not describe.
 */
export function shape<Properties extends TProperties>(
  properties: Properties,
  description?: string,
) {
  const options = description === undefined ? {} : { description };
  return Type.Object(properties, { ...options, additionalProperties: false });
}

export const text = (description?: string) =>
  Type.String(description === undefined ? {} : { description });

export const time = (description: string) => Type.String({ format: "date-time", description });

export const flag = (description: string) => Type.Boolean({ description });

export const count = (description: string) => Type.Integer({ description });

export const figure = (description: string) => OrNull(Type.Number({ description }));

export const listOf = <Item extends TSchema>(item: Item, description: string) =>
  Type.Array(item, { description });

export const orNull = OrNull;

/** Result of a tool call that failed. */
const ToolFailureSchema = shape({
  error: OneOf(["not-found", "invalid", "forbidden", "too-many", "failed"]),
  message: text("one sentence; for `invalid` it names the field"),
});

export type ToolFailure = DataOf<typeof ToolFailureSchema>;

/**
 * Result of a write tool that waits for confirmation. Nothing has been changed. The result does not
 * contain the confirmation token, because a model could send it. The caller receives the token
 * separately.
 */
const NeedsConfirmationSchema = shape({
  needsConfirmation: Type.Literal(true, { description: "nothing was done; a person must confirm" }),
  action: text("the tool"),
  summary: text("one sentence that describes exactly what would be done"),
  proposal: Type.Unknown({ description: "the input as it would be executed" }),
});

export type NeedsConfirmationData = DataOf<typeof NeedsConfirmationSchema>;

/** Result of a write tool after its execution. */
export interface WriteDoneData {
  readonly done: true;
  readonly action: string;
  readonly summary: string;
  /** Id of the created or changed object, such as a check, an update or a check session. */
  readonly targetId: string;
}

export interface Source {
  readonly id: string;
  readonly label: string;
  readonly url: string;
}

/**
 * Result of a tool. `data` is JSON for models and for answers without one. `sources` are links that an answer
 * may cite. A model receives both fields as one JSON object.
 */
export interface ToolResult {
  readonly data: unknown;
  readonly sources: readonly Source[];
}

/** A tool of the agent and of the MCP server. It calls actions of other modules. */
export interface Tool<Input = unknown> {
  readonly name: string;
  /** Display name of two or three words. */
  readonly title: string;
  readonly description: string;
  /** Access that the tool needs. For a write tool, a person must also confirm each call. */
  readonly access: "read" | "write";
  /** Schema of the tool's input. Unknown fields are rejected. */
  readonly InputSchema: TObject;
  /** Schema of `data` if the call succeeds. The `data` of a write tool is a proposal. */
  readonly DataSchema: TSchema;
  /** Executes the tool for the caller's account. The input cannot name another account. */
  readonly run: (context: AgentContext, caller: Caller, input: Input) => Promise<ToolResult>;
}

/**
 * One change that a write tool would make, as text for people. `before` or `after` is `null` if
 * there is no value.
 */
export interface ProposedChange {
  readonly what: string;
  readonly before: string | null;
  readonly after: string | null;
}

interface Proposal {
  /** One sentence that describes exactly what the tool would do. */
  readonly summary: string;
  /** The object as it would be after the change, without parts that must not be shown. */
  readonly proposal: unknown;
  /** The individual changes, for the person who confirms them. */
  readonly changes: readonly ProposedChange[];
}

/** A write tool. It first proposes an action, and rejects input that could not be executed. */
export interface WriteTool<Input = unknown> extends Tool<Input> {
  readonly access: "write";
  /** Permission that the caller needs for the action. */
  readonly right: "run" | "write";
  readonly propose: (context: AgentContext, caller: Caller, input: Input) => Promise<Proposal>;
}

type InputOf<Schema extends TObject> = Type.Static<Schema>;

type DataResult<Schema extends TSchema> = {
  readonly data: DataOf<Schema>;
  readonly sources: readonly Source[];
};

/**
 * Defines a read tool with a typed input. A list of tools cannot keep the input type of each tool,
 * so the type is cast. This is safe, because each input is validated against the schema first.
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
