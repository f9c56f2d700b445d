/** Derives form fields from the JSON Schema of a channel type. */
import { mask } from "../parts/secrets.ts";
import { findFieldWords } from "./field-words.ts";

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

export type FieldShape = "text" | "long-text" | "secret" | "number" | "choice" | "entries";

export interface Field {
  readonly key: string;
  readonly label: string;
  readonly hint: string;
  readonly placeholder: string;
  readonly shape: FieldShape;
  readonly isRequired: boolean;
  readonly isNullable: boolean;
  readonly choices: readonly string[];
  /** Maps each choice to its label. Only fields whose choices are ids have labels. */
  readonly labels?: ReadonlyMap<string, string>;
  readonly maxLength: number | undefined;
  readonly byDefault: unknown;
}

const longTextFrom = 5_000;
/** Fields of the schema that the form does not show, because they exist for other API clients. */
const hiddenFields = new Set(["webhookType"]);

/** Formats a field name as a label: `webhookSecret` becomes "Webhook secret". */
export function labelOf(key: string): string {
  const parted = key.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  const spelled = parted
    .replace(/\burl\b/, "URL")
    .replace(/\bid\b/, "ID")
    .replace(/\bapi\b/, "API");
  return spelled.charAt(0).toUpperCase() + spelled.slice(1);
}

/**
 * Returns the schema of a field without its `null` alternative, and whether it had this
 * alternative.
 */
function unwrap(schema: JsonSchema): { readonly inner: JsonSchema; readonly isNullable: boolean } {
  const inner = schema.anyOf?.find((one) => one.type !== "null");
  return inner === undefined ? { inner: schema, isNullable: false } : { inner, isNullable: true };
}

function shapeOf(inner: JsonSchema, isSecret: boolean): FieldShape {
  if (isSecret) return "secret";
  if (inner.enum !== undefined) return "choice";
  if (inner.type === "integer" || inner.type === "number") return "number";
  if (inner.type === "array") return "entries";
  return (inner.maxLength ?? 0) >= longTextFrom ? "long-text" : "text";
}

/**
 * Returns the form fields of a schema. The labels come from this application, because the schema's
 * descriptions are written for API clients.
 */
export function listFields(
  schema: JsonSchema,
  secretFields: readonly string[],
  type = "",
): readonly Field[] {
  return Object.entries(schema.properties ?? {})
    .filter(([key]) => !hiddenFields.has(key))
    .map(([key, property]) => {
      const { inner, isNullable } = unwrap(property);
      const words = findFieldWords(type, key);
      const [example] = property.examples ?? inner.examples ?? [];
      return {
        key,
        label: words?.label ?? labelOf(key),
        hint: words?.hint ?? "",
        placeholder: typeof example === "string" ? example : "",
        shape: shapeOf(inner, secretFields.includes(key)),
        isRequired: schema.required?.includes(key) ?? false,
        isNullable,
        choices: (inner.enum ?? []).map(String),
        maxLength: inner.maxLength,
        byDefault: property.default ?? inner.default,
      };
    });
}

export type Config = Readonly<Record<string, unknown>>;

/**
 * Builds the `config`. An empty optional field is `null` if the schema allows it; otherwise it is
 * omitted.
 */
export function writeConfig(fields: readonly Field[], config: Config): Config {
  const known = fields.flatMap(({ key, isRequired, isNullable }) => {
    const value = config[key];
    const isEmpty = value === undefined || value === "" || value === null;
    if (!isEmpty) return [[key, value]];
    if (isRequired) return [[key, ""]];
    return isNullable ? [[key, null]] : [];
  });
  return Object.fromEntries(known);
}

/**
 * Replaces secrets with empty strings, because secrets must not be stored in the browser. A mask is
 * only a placeholder for a secret that the server stores, so masks are retained.
 */
export function withoutSecrets(fields: readonly Field[], config: Config): Config {
  const kept = Object.entries(config).map(([key, value]) => {
    const shape = fields.find((field) => field.key === key)?.shape;
    const isMask = typeof value === "string" && value.endsWith(mask);
    if (shape === "secret" && !isMask) return [key, ""];
    if (shape !== "entries" || !Array.isArray(value)) return [key, value];
    const isSecret = (entry: Entry) => entry.locked && entry.value !== mask;
    return [key, value.map((entry: Entry) => (isSecret(entry) ? { ...entry, value: "" } : entry))];
  });
  return Object.fromEntries(kept);
}

export interface Entry {
  readonly key: string;
  readonly value: string;
  readonly locked: boolean;
}
