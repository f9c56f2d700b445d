import { type TObject, type TSchema, Type } from "typebox";
import type { Day } from "../dates.ts";
import { type ErrorName, errorCatalogue, invalid } from "../errors.ts";
import { undescribed } from "./openapi/json-schema.ts";
import { ruleKey } from "./schema-rules.ts";

/** Schemas shared by all modules. */

export const exampleId = "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10";
/** Maximum id of a row, which is the largest PostgreSQL integer. */
export const maxInteger = 2_147_483_647;

/** Returns a copy of a schema with a description and optional examples. */
export function Described<Schema extends TSchema>(
  schema: Schema,
  description: string,
  ...examples: unknown[]
): Schema {
  // TypeBox stores metadata in properties that are not enumerable, which a spread would not copy.
  const hidden = Object.getOwnPropertyDescriptors(schema);
  const copy: Schema = Object.defineProperties({} as Schema, hidden);
  Object.defineProperty(copy, undescribed, { value: schema });
  return Object.assign(copy, { description, ...(examples.length > 0 && { examples }) });
}

export const Guid = Type.String({ format: "uuid" });
export const RowId = Type.Integer({ minimum: 1, maximum: maxInteger });
export const DateTime = Type.String({ format: "date-time" });
/** A date in a response, without time. */
export const DateOnly = Type.Unsafe<Day>({ type: "string", format: "date" });
/** Text that matches `pattern`. `rule` describes the pattern: "must start with a letter". */
export function Matching(
  pattern: string,
  rule: string,
  options: Omit<Type.TStringOptions, "pattern"> = {},
) {
  return Type.String({ ...options, pattern, [ruleKey]: rule });
}

/** Text with at least one character that is not white space. */
export function Filled(options: Omit<Type.TStringOptions, "pattern"> = {}) {
  return Matching("\\S", "must not be empty", { minLength: 1, ...options });
}

export const Name = Filled({ maxLength: 255 });
export const Email = Type.String({ format: "email", maxLength: 254 });
export const Nothing = Type.Null({ description: "no body" });

export function OrNull<Schema extends TSchema>(schema: Schema) {
  const { description } = schema as { description?: string };
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
}

/** Allows an object or `null`. Unlike `OrNull`, it applies the defaults of the object's fields. */
export function ObjectOrNull<Schema extends TObject>(schema: Schema) {
  const { title: _title, ...unnamed } = schema as Schema & { title?: string };
  const { description } = schema as { description?: string };
  return Type.Unsafe<Type.Static<Schema> | null>({
    ...unnamed,
    type: ["object", "null"],
    "x-shown": { ...(description && { description }), anyOf: [schema, { type: "null" }] },
  });
}

export function OneOf<Values extends string[]>(values: readonly [...Values]) {
  return Type.Enum<Values>(values, { type: "string" });
}

/** Fields that have the same meaning in all resources. */
export const CreatedAt = Described(DateTime, "When it was created.");
export const UpdatedAt = Described(OrNull(DateTime), "When it was last changed; `null` if never.");

const Limit = Type.Integer({
  minimum: 1,
  maximum: 100,
  description: "Maximum number of entries to return.",
});

export const CursorQuery = {
  limit: Type.Integer({ ...Limit, default: 20 }),
  nextId: Described(Type.Optional(Guid), "Where to continue: `nextId` of the previous page."),
};

/** Query of a list with page numbers. The response contains the total count in Content-Range. */
export const PageQuery = {
  limit: Type.Integer({ ...Limit, default: 10 }),
  page: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 1,
    description: "Page number, from 1; 0 is treated as 1.",
  }),
};

/** One page of a list. `nextId` requests the next page; it is `null` on the last page. */
export function CursorPage<Entry extends TSchema>(entry: Entry) {
  return Type.Object({
    length: Type.Integer({ description: "Number of entries on this page." }),
    entries: Type.Array(entry, { description: "The entries of this page." }),
    nextId: Described(
      OrNull(Type.String()),
      "Send it as `nextId` to fetch the next page; `null` on the last page.",
      null,
    ),
  });
}

/**
 * Builds a page from the entries that a store has returned. If there are more pages, the store
 * returns one entry more than the limit. The id of this entry is `nextId`.
 */
export function toCursorPage<Entry extends { readonly id: string }>(
  entries: readonly Entry[],
  limit: number,
): { length: number; entries: Entry[]; nextId: string | null } {
  const page = entries.slice(0, limit);
  return { length: page.length, entries: page, nextId: entries[limit]?.id ?? null };
}

/** Sends the total of a paginated list in Content-Range. */
export function sendTotal(
  reply: { header: (name: string, value: string) => unknown },
  query: { readonly limit: number; readonly page: number },
  total: number,
): void {
  const first = Math.max(0, query.page - 1) * query.limit;
  const last = Math.min(first + query.limit, total) - 1;
  reply.header("content-range", `items ${last < first ? "*" : `${first}-${last}`}/${total}`);
}

export const ErrorSchema = Type.Object(
  {
    statusCode: Type.Integer({ description: "HTTP status code." }),
    error: Type.String({ description: "HTTP status text." }),
    message: Type.String({ description: "Human-readable description of the error." }),
    reason: Type.Optional(
      Described(
        OneOf(["second-factor-needed", "proof-needed"]),
        "For some 403 responses: what is required before the request is repeated.",
      ),
    ),
    attributes: Type.Optional(
      Type.Object({}, { description: "Always empty; present for 401 and 429." }),
    ),
    validation: Type.Optional(
      Type.Object(
        {
          source: Described(
            OneOf(["body", "querystring", "params", "headers"]),
            "Part of the request that is invalid.",
          ),
          keys: Type.Array(Type.String(), { description: "The invalid fields, as `a.b`." }),
        },
        { description: "For 400: where the fault is, and all invalid fields." },
      ),
    ),
    hint: Type.Optional(
      Type.String({
        description: "What to do about it, if the message does not include that.",
        examples: ["This path has no trailing slash: /v1/checks"],
      }),
    ),
    fieldErrors: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description:
          "For 400 and for values already in use: the violated rule of each field, by key; the " +
          "text follows the field's name.",
        examples: [{ "request.port": "must be between 1 and 65535" }],
      }),
    ),
  },
  { title: "Error", description: "Why a request was rejected." },
);

function errorAnswers(names: readonly ErrorName[]): Record<number, TSchema> {
  return Object.fromEntries(
    names.map((name) => {
      return [errorCatalogue[name].statusCode, ErrorSchema];
    }),
  );
}

/**
 * Returns the responses of a route that requires a key: its successful responses, the errors of all
 * such routes, and the given errors.
 */
export function answers<const Success extends Record<number, TSchema>>(
  success: Success,
  ...errors: ErrorName[]
): Success {
  const usual: ErrorName[] = ["invalidRequest", "badToken", "forbidden", "tooManyRequests"];
  return { ...success, ...errorAnswers([...usual, ...errors]) };
}

/** Returns the responses of a route that requires no key, in the same way as `answers`. */
export function publicAnswers<const Success extends Record<number, TSchema>>(
  success: Success,
  ...errors: ErrorName[]
): Success {
  return { ...success, ...errorAnswers(["tooManyRequests", ...errors]) };
}

/** Query of a list with page numbers. */
export const paging = {
  limit: Type.Integer({
    description: "Maximum number of entries to return.",
    minimum: 1,
    maximum: 100,
    default: 10,
  }),
  page: Type.Integer({
    description: "Page number, from 1; 0 is treated as 1.",
    minimum: 0,
    maximum: 1_000_000,
    default: 1,
  }),
};

/**
 * Parses a timestamp of a query; `null` if it is missing. Rejects leap seconds: the schema accepts
 * their format, but they are not supported.
 */
export function parseTimestamp(key: string, text: string | undefined): number | null {
  const timestamp = text === undefined ? null : Date.parse(text);
  if (Number.isNaN(timestamp)) throw invalid(key, "must be an existing time", "querystring");
  return timestamp;
}

interface WireBounds {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Converts `from` and `to` of a query from text to dates. A missing bound stays missing. */
export function parseBounds<Query extends WireBounds>(query: Query) {
  const { from, to, ...rest } = query;
  const fromMs = parseTimestamp("from", from);
  const toMs = parseTimestamp("to", to);
  return {
    ...rest,
    ...(fromMs !== null && { from: new Date(fromMs) }),
    ...(toMs !== null && { to: new Date(toMs) }),
  };
}
