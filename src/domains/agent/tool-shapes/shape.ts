import { type TProperties, type TSchema, Type } from "typebox";
import { OneOf, OrNull } from "../../../platform/http/schema.ts";

type DeepReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
    : Value;

/** Read-only type of a schema. */
export type DataOf<Schema extends TSchema> = DeepReadonly<Type.Static<Schema>>;

/** Rejects unlisted fields, so that tests find a field without a description. */
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

/** Result of a tool that cannot answer. */
const ToolFailureSchema = shape({
  error: OneOf(["not-found", "invalid", "forbidden", "too-many", "failed"]),
  message: text("one sentence; for `invalid` it names the field"),
});

export type ToolFailure = DataOf<typeof ToolFailureSchema>;

/**
 * Result of a write tool that was not confirmed: nothing was done. The token that confirms it is
 * never part of this; the caller receives it separately, so that no model can send it.
 */
export const NeedsConfirmationSchema = shape({
  needsConfirmation: Type.Literal(true, { description: "nothing was done; a person must confirm" }),
  action: text("the tool"),
  summary: text("one sentence that describes exactly what would be done"),
  proposal: Type.Unknown({ description: "the input as it would be executed" }),
});

export type NeedsConfirmationData = DataOf<typeof NeedsConfirmationSchema>;

/** Result of a write tool after confirmation. */
export interface WriteDoneData {
  readonly done: true;
  readonly action: string;
  readonly summary: string;
  /** Id of the created or changed object: a check, an update, a check session. */
  readonly targetId: string;
}
