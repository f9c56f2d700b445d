import type { FastifyTypeProvider } from "fastify";
import type { Static, TSchema } from "typebox";

/** Accepts read-only values in responses, because serializing does not change them. */
type Shown<Value> = Value extends readonly (infer Item)[]
  ? readonly Shown<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Shown<Value[Key]> }
    : Value;

/** Types of requests and responses from their TypeBox schemas. */
export interface SchemaTypes extends FastifyTypeProvider {
  readonly validator: this["schema"] extends TSchema ? Static<this["schema"]> : unknown;
  readonly serializer: this["schema"] extends TSchema ? Shown<Static<this["schema"]>> : unknown;
}
