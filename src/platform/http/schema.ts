import { type TObject, type TSchema, Type } from "typebox";
import { type ErrorName, errorCatalogue } from "../errors.ts";

/** The pieces of the wire that every room shares. */

export const Guid = Type.String({ format: "uuid" });
export const DateTime = Type.String({ format: "date-time" });
export const Name = Type.String({ minLength: 1, maxLength: 255, pattern: "\\S" });
export const Email = Type.String({ format: "email", maxLength: 254 });
export const Nothing = Type.Null({ description: "no body" });

export function OrNull<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}

/** Like OrNull, for an object whose fields have defaults: those are lost inside a union. */
export function ObjectOrNull<Schema extends TObject>(schema: Schema) {
  return Type.Unsafe<Type.Static<Schema> | null>({ ...schema, type: ["object", "null"] });
}

export function OneOf<Values extends string[]>(values: readonly [...Values]) {
  return Type.Enum<Values>(values, { type: "string" });
}

export const CursorQuery = {
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
  nextId: Type.Optional(Guid),
};

/** A page in the cursor style of the API: `nextId` asks for the next one, null ends. */
export function CursorPage<Entry extends TSchema>(entry: Entry) {
  return Type.Object({
    length: Type.Integer(),
    entries: Type.Array(entry),
    nextId: OrNull(Type.String()),
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

const ErrorSchema = Type.Object({
  statusCode: Type.Integer(),
  error: Type.String(),
  message: Type.String(),
  attributes: Type.Optional(Type.Object({})),
  validation: Type.Optional(
    Type.Object({ source: Type.String(), keys: Type.Array(Type.String()) }),
  ),
});

function errorAnswers(names: readonly ErrorName[]): Record<number, TSchema> {
  return Object.fromEntries(
    names.map((name) => {
      const { statusCode, error } = errorCatalogue[name];
      return [statusCode, Type.Object(ErrorSchema.properties, { description: error })];
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
