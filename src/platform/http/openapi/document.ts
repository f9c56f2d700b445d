import type { RouteOptions } from "fastify";
import {
  type AnswerHeader,
  answerHeaders,
  Components,
  describeErrorResponses,
  listCommonErrorStatuses,
  referToErrorResponse,
  referToHeaders,
} from "./components.ts";
import { type Direction, type JsonSchema, readShown } from "./json-schema.ts";

declare module "fastify" {
  interface FastifySchema {
    /**
     * Omits the route from the document. Set for HTML pages and other routes that API clients do
     * not call.
     */
    hide?: boolean;
    /** Name of the method in generated clients, made of a verb and a noun. It must never change. */
    operationId?: string;
    tags?: readonly string[];
    summary?: string;
    description?: string;
    /** Media types of a response that is not JSON. */
    produces?: readonly string[];
    /** Response headers of this route, in addition to the headers that all routes have. */
    answerHeaders?: readonly AnswerHeader[];
  }
}

export interface DocumentedRoute {
  readonly method: string;
  readonly url: string;
  readonly isPublic: boolean;
  readonly isUnlimited: boolean;
  readonly schema: NonNullable<RouteOptions["schema"]>;
}

interface DocumentFrame {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly security: readonly object[];
  readonly securitySchemes: object;
  /** Headers by component name. All routes except public ones accept these headers. */
  readonly parameters: Readonly<Record<string, object>>;
  readonly errorSchema: object;
}

/** Writes the OpenAPI document from the same routes and schemas that validate requests. */
class DocumentWriter {
  readonly #frame: DocumentFrame;
  readonly #components = new Components();
  readonly #statuses = new Set<number>();
  readonly #bodies = new Map<string, object>();

  constructor(frame: DocumentFrame) {
    this.#frame = frame;
  }

  write(routes: readonly DocumentedRoute[]) {
    const paths: Record<string, Record<string, object>> = {};
    for (const route of routes) {
      const path = route.url.replaceAll(/:(\w+)/g, "{$1}");
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: this.#writeOperation(route) };
    }
    const { info, tags, securitySchemes, parameters, errorSchema } = this.#frame;
    const error = this.#components.show(errorSchema, "answer");
    return {
      openapi: "3.1.0",
      info,
      servers: [{ url: "/", description: "The server that serves this document." }],
      tags,
      paths,
      components: {
        schemas: this.#components.list(),
        requestBodies: Object.fromEntries([...this.#bodies].sort()),
        responses: describeErrorResponses(this.#statuses, error),
        headers: answerHeaders,
        parameters,
        securitySchemes,
      },
    };
  }

  #writeOperation(route: DocumentedRoute) {
    const { operationId, tags, summary, description, body } = route.schema;
    const parameters = this.#writeParameters(route);
    return {
      operationId,
      tags,
      summary,
      description,
      security: route.isPublic ? [] : this.#frame.security,
      ...(parameters.length > 0 && { parameters }),
      ...(body !== undefined && { requestBody: this.#writeBody(body as JsonSchema) }),
      responses: this.#writeAnswers(route),
    };
  }

  #writeParameters({ schema, isPublic }: DocumentedRoute): object[] {
    const { params, querystring, headers } = schema;
    const everywhere = isPublic ? [] : Object.keys(this.#frame.parameters);
    return [
      ...this.#writePlace("path", params as JsonSchema | undefined),
      ...this.#writePlace("query", querystring as JsonSchema | undefined),
      ...this.#writePlace("header", headers as JsonSchema | undefined),
      ...everywhere.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ];
  }

  #writePlace(place: "path" | "query" | "header", schema: JsonSchema | undefined): object[] {
    return Object.entries(schema?.properties ?? {}).map(([name, field]) => {
      const { description, ...shown } = this.#components.showInPlace(field, "request");
      const isRequired = schema?.required?.includes(name) && field.default === undefined;
      return { name, in: place, description, required: isRequired === true, schema: shown };
    });
  }

  #writeBody(schema: JsonSchema): object {
    const { title, ...shown } = this.#components.showInPlace(schema, "request");
    const example = composeExample(schema, "request");
    const body = {
      required: true,
      ...(shown.description !== undefined && { description: shown.description }),
      content: { "application/json": { schema: shown, example } },
    };
    if (title === undefined) return body;
    this.#bodies.set(title, body);
    return { $ref: `#/components/requestBodies/${title}` };
  }

  #writeAnswers(route: DocumentedRoute): Record<string, object> {
    const { response = {}, body } = route.schema;
    const own = Object.entries(response as Record<string, JsonSchema>);
    const usual = listCommonErrorStatuses({
      hasBody: body !== undefined,
      hasPathParameters: route.url.includes(":"),
    });
    const statuses = new Set([...own.map(([status]) => Number(status)), ...usual]);
    const successes = new Map(own.map(([status, schema]) => [Number(status), schema]));
    return Object.fromEntries(
      [...statuses]
        .sort((one, two) => one - two)
        .map((status) => [status, this.#writeAnswer(route, status, successes.get(status))]),
    );
  }

  #writeAnswer(route: DocumentedRoute, status: number, schema: JsonSchema | undefined): object {
    if (status >= 400 || schema === undefined) {
      this.#statuses.add(status);
      return referToErrorResponse(status);
    }
    const limits = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"] as const;
    const names = [
      "X-Request-Id" as const,
      ...(route.isUnlimited ? [] : limits),
      ...(route.schema.body === undefined ? [] : (["X-Ignored-Fields"] as const)),
      ...(route.schema.answerHeaders ?? []),
    ];
    const answer = {
      description: schema.description ?? "Done.",
      headers: referToHeaders(names),
    };
    return schema.type === "null"
      ? answer
      : { ...answer, content: this.#writeContent(schema, route.schema.produces) };
  }

  #writeContent(schema: JsonSchema, produces: readonly string[] = ["application/json"]): object {
    const parts =
      schema.content ?? Object.fromEntries(produces.map((type) => [type, { schema }] as const));
    return Object.fromEntries(
      Object.entries(parts).map(([type, part]) => [
        type,
        {
          schema: this.#components.show(part.schema, "answer"),
          example: composeExample(part.schema, "answer"),
        },
      ]),
    );
  }
}

type ApiDocument = ReturnType<DocumentWriter["write"]>;

export function writeDocument(
  routes: readonly DocumentedRoute[],
  frame: DocumentFrame,
): ApiDocument {
  return new DocumentWriter(frame).write(routes);
}

const byFormat: Readonly<Record<string, string>> = {
  uuid: "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10",
  "date-time": "2026-11-15T09:30:00.000Z",
  date: "2026-11-15",
  email: "ada@example.com",
};

/**
 * Returns an example value: the example of the field if it has one, otherwise a value derived from
 * the schema. The example of a request contains the required fields without a default, and the
 * fields that have an example.
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
