import pino from "pino";
import { addAboutRoutes } from "../../../src/app/about.ts";
import { addDoctorRoutes } from "../../../src/app/doctor/doctor.ts";
import { addOpenApi } from "../../../src/app/openapi.ts";
import { addRoutes } from "../../../src/app/routes.ts";
import { addServerRoutes, addServiceRoutes } from "../../../src/app/server-routes.ts";
import type { JsonSchema } from "../../../src/platform/http/openapi/json-schema.ts";
import { createHttpServer } from "../../../src/platform/http/server.ts";
import { createMetrics } from "../../../src/platform/metrics.ts";

/**
 * Replaces every dependency of the route handlers, because the routes are only registered here and
 * never called.
 */
const nothing: never = new Proxy(() => nothing, {
  get: (_target, key) => (key === Symbol.toPrimitive ? () => 1 : nothing),
}) as never;

export interface RouteSchemas {
  readonly name: string;
  readonly isHidden: boolean;
  readonly body?: JsonSchema;
  readonly querystring?: JsonSchema;
  readonly params?: JsonSchema;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

interface Media {
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface Body {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
}

export interface ApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly requestBodies: Readonly<Record<string, Body>>;
    readonly responses: Readonly<Record<string, Body>>;
  };
}

interface WrittenDocument {
  readonly document: ApiDocument;
  readonly routes: readonly RouteSchemas[];
}

let written: Promise<WrittenDocument> | undefined;

/** Returns the OpenAPI document of the real routes, without a database or a listening server. */
export function writeApiDocument(): Promise<WrittenDocument> {
  written ??= describeRoutes();
  return written;
}

async function describeRoutes(): Promise<WrittenDocument> {
  const log = pino({ level: "silent" });
  const server = createHttpServer({ log, metrics: createMetrics(), trustedProxies: [] });
  const routes: RouteSchemas[] = [];
  server.addHook("onRoute", ({ method, url, schema }) => {
    if (schema === undefined || method === "HEAD") return;
    const { body, querystring, params } = schema as Partial<Record<string, JsonSchema>>;
    const isHidden = schema.hide === true;
    routes.push({
      name: `${String(method)} ${url}`,
      isHidden,
      ...(body && { body }),
      ...(querystring && { querystring }),
      ...(params && { params }),
    });
  });
  addOpenApi(server);
  addRoutes(server, nothing);
  addServiceRoutes(server, nothing);
  addServerRoutes(server, nothing);
  addAboutRoutes(server, nothing);
  addDoctorRoutes(server, nothing);
  await server.ready();
  const answer = await server.inject({ url: "/openapi.json" });
  return { document: answer.json(), routes };
}

/** Returns the component that a `$ref` points to, or `part` itself if it has no `$ref`. */
export function resolve<Part extends object>(document: ApiDocument, part: Part): Part {
  const { $ref } = part as { $ref?: string };
  if ($ref === undefined) return part;
  const steps = $ref.slice(2).split("/");
  return steps.reduce<unknown>(
    (found, step) => (found as Record<string, unknown>)[step],
    document,
  ) as Part;
}

export function listOperations(document: ApiDocument): [string, Operation][] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method} ${path}`,
      operation,
    ]),
  );
}

export interface Place {
  readonly path: string;
  readonly schema: JsonSchema;
  readonly isField: boolean;
}

/** Lists all nested schemas with their paths, such as `request.assertions[].target`. */
export function listPlaces(
  schema: JsonSchema,
  path = "",
  follow: (schema: JsonSchema) => JsonSchema = (one) => one,
): Place[] {
  const whole = follow(schema);
  const { anyOf = [], oneOf = [], items, properties = {}, additionalProperties } = whole;
  const fields = Object.entries(properties).flatMap(([name, field]) => {
    const place = path === "" ? name : `${path}.${name}`;
    const [own, ...inner] = listPlaces(field, place, follow);
    return own === undefined
      ? []
      : [{ ...own, schema: { ...follow(field), ...field }, isField: true }, ...inner];
  });
  return [
    { path, schema: whole, isField: false },
    ...fields,
    ...[...anyOf, ...oneOf].flatMap((branch) => listPlaces(branch, path, follow).slice(0)),
    ...(items === undefined ? [] : listPlaces(items, `${path}[]`, follow)),
    ...(typeof additionalProperties === "object"
      ? listPlaces(additionalProperties, `${path}{}`, follow)
      : []),
  ];
}
