import { type TProperties, type TSchema, Type } from "typebox";
import { OrNull } from "../../platform/http/schema.ts";
import { clipText } from "../../platform/text/clip.ts";
import { roundFigure } from "./figures.ts";

/** A field that the agent's tools return: its schema, and the function that reads its value. */
interface ToolField<Input, Value = unknown> {
  readonly schema: TSchema;
  read(input: Input): Value;
}

export type ToolFields<Input> = Readonly<Record<string, ToolField<Input>>>;

/** Type of the object that the agent's tools return for these fields. */
export type DataOf<Fields extends ToolFields<never>> = {
  readonly [Name in keyof Fields]: ReturnType<Fields[Name]["read"]>;
};

/** Like `DataOf`, for a run in a list of runs: every field is `null` if nothing was measured. */
export type ResultDataOf<Fields extends ToolFields<never>> = {
  readonly [Name in keyof Fields]: ReturnType<Fields[Name]["read"]> | null;
};

export function field<Input, Value>(
  schema: TSchema,
  read: (input: Input) => Value,
): ToolField<Input, Value> {
  return { schema, read };
}

/**
 * Creates a field for a number, which is rounded to three decimals; `null` if there is no number.
 */
export function figure<Input>(
  description: string,
  read: (input: Input) => number | null | undefined,
): ToolField<Input, number | null> {
  return {
    schema: OrNull(Type.Number({ description })),
    read: (input) => roundFigure(read(input) ?? null),
  };
}

export function textOrNull<Input>(
  description: string,
  read: (input: Input) => string | null | undefined,
): ToolField<Input, string | null> {
  return {
    schema: OrNull(Type.String({ description })),
    read: (input) => read(input) ?? null,
  };
}

/** Maximum length of a text in tool results. Longer texts would fill a model's context. */
export const maxShownLength = 500;

/** Creates a field for the beginning of a text that comes from outside this service. */
export function beginning<Input>(
  description: string,
  read: (input: Input) => string | null | undefined,
): ToolField<Input, string> {
  return {
    schema: Type.String({ description }),
    read: (input) => clipText(read(input) ?? "", maxShownLength),
  };
}

export function schemasOf(fields: ToolFields<never>): TProperties {
  return mapValues(fields, ({ schema }) => schema);
}

export function readFields<Input>(fields: ToolFields<Input>, input: Input): object {
  return mapValues(fields, (each) => each.read(input));
}

/** Reads the fields of a measurement. Every field is `null` if nothing was measured. */
export function readResult<Measurement>(
  fields: ToolFields<Measurement>,
  measurement: Measurement | null,
): object {
  return mapValues(fields, (each) => (measurement === null ? null : each.read(measurement)));
}

function mapValues<Value, Mapped>(
  values: Readonly<Record<string, Value>>,
  map: (value: Value) => Mapped,
): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}
