import { type Direction, type JsonSchema, readShown } from "./json-schema.ts";

const byFormat: Readonly<Record<string, string>> = {
  uuid: "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10",
  "date-time": "2026-11-15T09:30:00.000Z",
  date: "2026-11-15",
  email: "ada@example.com",
};

/**
 * Returns an example value: the one given beside a field, or else one derived from its schema. A
 * request example has the required fields and those with their own example.
 */
export function composeExample(schema: JsonSchema, direction: Direction): unknown {
  const shown = readShown(schema);
  if (shown.examples !== undefined) return shown.examples[0];
  if (shown.const !== undefined) return shown.const;
  if (shown.enum !== undefined) return shown.default ?? shown.enum[0];
  const branch = (shown.anyOf ?? shown.oneOf)?.find(({ type }) => type !== "null");
  if (branch !== undefined && shown.type !== "string") return composeExample(branch, direction);
  const [type] = [shown.type ?? "object"].flat();
  if (type === "object") return composeObject(shown, direction);
  if (type === "array") return composeArray(shown, direction);
  return shown.default ?? composeScalar(shown, type);
}

function composeObject(schema: JsonSchema, direction: Direction): unknown {
  const { properties = {}, required = [] } = schema;
  const isShown = (name: string, field: JsonSchema) =>
    direction === "answer" ||
    (required.includes(name) && field.default === undefined) ||
    (readShown(field).examples?.[0] ?? null) !== null;
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name, field]) => isShown(name, field))
      .map(([name, field]) => [name, composeExample(field, direction)]),
  );
}

function composeArray({ items, maxItems }: JsonSchema, direction: Direction): unknown[] {
  return items === undefined || maxItems === 0 ? [] : [composeExample(items, direction)];
}

function composeScalar(schema: JsonSchema, type: string | undefined): unknown {
  switch (type) {
    case "boolean":
      return false;
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "null":
      return null;
    default:
      return byFormat[schema.format ?? ""] ?? "text";
  }
}
