import { type TObject, type TSchema, Type } from "typebox";
import { type ErrorName, errorCatalogue } from "../errors.ts";
import { undescribed } from "./openapi/json-schema.ts";
import { ruleKey } from "./schema-rules.ts";

/** The pieces of the wire that every room shares. */

export const exampleId = "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10";

/** The same schema with words for the reference, and perhaps a value as it might be. */
export function Described<Schema extends TSchema>(
  schema: Schema,
  description: string,
  ...examples: unknown[]
): Schema {
  // What TypeBox knows of a schema is in hidden properties, which a spread would lose.
  const hidden = Object.getOwnPropertyDescriptors(schema);
  const copy: Schema = Object.defineProperties({} as Schema, hidden);
  Object.defineProperty(copy, undescribed, { value: schema });
  return Object.assign(copy, { description, ...(examples.length > 0 && { examples }) });
}

export const Guid = Type.String({ format: "uuid" });
/** The id of a row that is counted: PostgreSQL's integer. */
export const maxInteger = 2_147_483_647;
export const RowId = Type.Integer({ minimum: 1, maximum: maxInteger });
export const DateTime = Type.String({ format: "date-time" });
/** A text that `pattern` describes; `rule` says so in words: "must start with a letter". */
export function Matching(
  pattern: string,
  rule: string,
  options: Omit<Type.TStringOptions, "pattern"> = {},
) {
  return Type.String({ ...options, pattern, [ruleKey]: rule });
}

/** A text with at least one character that is not white space. */
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

/** Like OrNull, for an object whose fields have defaults: those are lost inside a union. */
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

/** Fields that mean the same wherever they are. */
export const CreatedAt = Described(DateTime, "When it was created.");
export const UpdatedAt = Described(OrNull(DateTime), "When it was last changed; null: never.");

const Limit = Type.Integer({ minimum: 1, maximum: 100, description: "How many entries to show." });

export const CursorQuery = {
  limit: Type.Integer({ ...Limit, default: 20 }),
  nextId: Described(Type.Optional(Guid), "Where to go on: `nextId` of the page before."),
};

/** The other style: pages by number, with the total in Content-Range. */
export const PageQuery = {
  limit: Type.Integer({ ...Limit, default: 10 }),
  page: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 1,
    description: "Which page, from 1; 0 is the same as 1.",
  }),
};

/** A page in the cursor style of the API: `nextId` asks for the next one, null ends. */
export function CursorPage<Entry extends TSchema>(entry: Entry) {
  return Type.Object({
    length: Type.Integer({ description: "How many entries are on this page." }),
    entries: Type.Array(entry, { description: "The entries of this page." }),
    nextId: Described(
      OrNull(Type.String()),
      "Send it as `nextId` for the next page; null on the last one.",
      null,
    ),
  });
}

/** Stores are asked for one more than a page holds; that one tells where the next page begins. */
export function toCursorPage<Entry extends { readonly id: string }>(
  entries: readonly Entry[],
  limit: number,
): { length: number; entries: Entry[]; nextId: string | null } {
  const page = entries.slice(0, limit);
  return { length: page.length, entries: page, nextId: entries[limit]?.id ?? null };
}

/** Lists in pages tell the total in Content-Range, where clients look for it. */
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
    statusCode: Type.Integer({ description: "The status of the answer." }),
    error: Type.String({ description: "The status in words." }),
    message: Type.String({ description: "What is wrong, for people." }),
    reason: Type.Optional(
      Described(
        OneOf(["second-factor-needed", "proof-needed"]),
        "With some 403: what to do before the request is sent again.",
      ),
    ),
    attributes: Type.Optional(Type.Object({}, { description: "Empty; with 401 and 429." })),
    validation: Type.Optional(
      Type.Object(
        {
          source: Described(
            OneOf(["body", "querystring", "params", "headers"]),
            "Which part of the request is at fault.",
          ),
          keys: Type.Array(Type.String(), { description: "The fields, as `a.b`." }),
        },
        { description: "With 400: where the fault is, and every field that is at fault." },
      ),
    ),
    hint: Type.Optional(
      Type.String({
        description: "What to do about it, where the message does not say.",
        examples: ["This address has no slash at its end: /v1/checks"],
      }),
    ),
    fieldErrors: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description:
          "With 400 and where a value is taken: what each field at fault needs, by its key; the " +
          "words follow the field's name.",
        examples: [{ "request.port": "must be between 1 and 65535" }],
      }),
    ),
  },
  { title: "Error", description: "Why a request was refused." },
);

function errorAnswers(names: readonly ErrorName[]): Record<number, TSchema> {
  return Object.fromEntries(
    names.map((name) => {
      return [errorCatalogue[name].statusCode, ErrorSchema];
    }),
  );
}

/** What a route with a key can answer: its own successes, the usual refusals, and those named. */
export function answers<const Success extends Record<number, TSchema>>(
  success: Success,
  ...errors: ErrorName[]
): Success {
  const usual: ErrorName[] = ["invalidRequest", "badToken", "forbidden", "tooManyRequests"];
  return { ...success, ...errorAnswers([...usual, ...errors]) };
}

/** The same for a route that asks for no key. */
export function publicAnswers<const Success extends Record<number, TSchema>>(
  success: Success,
  ...errors: ErrorName[]
): Success {
  return { ...success, ...errorAnswers(["tooManyRequests", ...errors]) };
}

/** The query of a list that comes in pages. */
export const paging = {
  limit: Type.Integer({
    description: "How many entries to show.",
    minimum: 1,
    maximum: 100,
    default: 10,
  }),
  page: Type.Integer({
    description: "Which page, from 1; 0 is the same as 1.",
    minimum: 0,
    maximum: 1_000_000,
    default: 1,
  }),
};
