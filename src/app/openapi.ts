import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { listOperationSections, renderApiReference } from "../pages/docs/api-reference.ts";
import { type DocumentedRoute, writeDocument } from "../platform/http/openapi/document.ts";
import { ErrorSchema } from "../platform/http/schema.ts";
import { sendJson } from "../platform/http/send.ts";
import type { HttpServer } from "../platform/http/server.ts";
import { apiTags } from "./api-tags.ts";
import { addDocsRoutes, sendDocsPage } from "./docs-routes.ts";
import { sendMissingPage } from "./missing-page.ts";
import { version } from "./version.ts";

const frame = {
  info: {
    title: "Vedette API",
    version,
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    description:
      "Monitoring by HTTP: checks and their results, alerts, incidents, status pages and " +
      "dashboards. Send an API key as a bearer token; requests and responses are JSON. A method that " +
      "a path does not support yields 405, and `Allow` lists the supported ones.",
  },
  tags: apiTags,
  security: [{ apiKey: [] }, { session: [] }],
  securitySchemes: {
    apiKey: { type: "http", scheme: "bearer", description: "An API key." },
    session: {
      type: "apiKey",
      in: "cookie",
      name: "vedette_session",
      description: "Session cookie, set by signing in; for browsers.",
    },
  },
  parameters: {
    Account: {
      name: "x-service-account",
      in: "header",
      required: false,
      description: "Account to act for; the key's own by default.",
      schema: { type: "string", format: "uuid" },
    },
  },
  errorSchema: ErrorSchema,
} as const;

const ofTag = {
  config: { access: "public" },
  schema: { hide: true, params: Type.Object({ tag: Type.String({ maxLength: 100 }) }) },
} as const;

/**
 * Must be called before the routes are added, because it collects them. The document is written on
 * request.
 */
export function addOpenApi(server: HttpServer): void {
  const routes: DocumentedRoute[] = [];
  server.addHook("onRoute", ({ method, url, schema, config }) => {
    if (schema === undefined || schema.hide === true || method === "HEAD") return;
    const isPublic = config?.access === "public";
    const isUnlimited = config?.isUnlimited === true;
    routes.push({ method: String(method), url, schema, isPublic, isUnlimited });
  });
  let text: string | null = null;
  let pages: ReadonlyMap<string, string> | null = null;
  const write = () => writeDocument(routes, frame);
  const hidden = { config: { access: "public" }, schema: { hide: true } } as const;
  server.get("/openapi.json", hidden, async (_request, reply) => {
    text ??= JSON.stringify(write());
    return sendJson(reply, text);
  });
  const sendReference = (request: FastifyRequest, reply: FastifyReply, name: string) => {
    pages ??= renderApiReference(write());
    const page = pages.get(name);
    if (page === undefined) return sendMissingPage(request, reply);
    return sendDocsPage(request, reply, page);
  };
  server.get("/docs/api", hidden, async (request, reply) => sendReference(request, reply, ""));
  server.get("/docs/api/:tag", ofTag, async (request, reply) =>
    sendReference(request, reply, request.params.tag),
  );
  addDocsRoutes(server, () => listOperationSections(write()));
}
