import buildSerializer from "fast-json-stringify";

type Serialize = (value: unknown) => string;

const built = new WeakMap<object, Serialize>();

/** Routes share the schemas of their errors, and so their serializers. */
function buildOnce(schema: object): Serialize {
  const known = built.get(schema) ?? buildSerializer(schema);
  built.set(schema, known);
  return known;
}

/**
 * Builds the serializer on first use: building all of them is a large part of the start-up time.
 */
export function compileSerializer({ schema }: { readonly schema: object }): Serialize {
  let serialize: Serialize | null = null;
  return (value) => {
    serialize ??= buildOnce(schema);
    return serialize(value);
  };
}
