import { type TProperties, type TSchema, Type } from "typebox";
import { OrNull } from "../../../platform/http/schema.ts";

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
