import { readFileSync } from "node:fs";
import { join } from "node:path";
import fastifySwagger from "@fastify/swagger";
import type { FastifySchema } from "fastify";
import { type ApiDocument, renderApiReference } from "../pages/api-reference.ts";
import type { HttpServer } from "../platform/http/server.ts";
import { version } from "./version.ts";

const stylesheetPath = "/docs/api.css";
const stylesheet = readFileSync(join(import.meta.dirname, "../pages/api-reference.css"), "utf8");

const accountHeader = {
  type: "object",
  properties: {
    "x-service-account": {
      type: "string",
      format: "uuid",
      description: "the account to act for; by default the key's own",
    },
  },
};

/** Every route takes the account header and a key, unless it asks for nobody. */
function describeRoute({
  schema,
  url,
  route,
}: {
  schema: FastifySchema;
  url: string;
  route: { config?: { access?: string } };
}) {
  const isPublic = route.config?.access === "public";
  const described = isPublic
    ? { ...schema, security: [] }
    : { ...schema, headers: accountHeader, security: [{ apiKey: [] }] };
  return { schema: described, url };
}

/** Registered before the routes, which it watches; the schemas that validate are those it shows. */
export async function addOpenApi(server: HttpServer): Promise<void> {
  await server.register(fastifySwagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Vedette API",
        version,
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
        description:
          "Monitoring by HTTP: ICMP checks and their results, accounts and keys. " +
          "Send an API key as a bearer token; bodies and answers are JSON.",
      },
      components: {
        securitySchemes: {
          apiKey: { type: "http", scheme: "bearer", description: "an API key" },
        },
      },
    },
    transform: describeRoute as never,
  });
}

export function addReferenceRoutes(server: HttpServer): void {
  const config = { access: "public" } as const;
  const hidden = { config, schema: { hide: true } };
  server.get("/openapi.json", hidden, async () => server.swagger());
  server.get(stylesheetPath, hidden, async (_request, reply) =>
    reply.header("cache-control", "max-age=300").type("text/css; charset=utf-8").send(stylesheet),
  );
  server.get("/docs/api", hidden, async (_request, reply) => {
    const page = renderApiReference(asApiDocument(server.swagger()), stylesheetPath);
    return reply
      .header(
        "content-security-policy",
        "default-src 'none'; style-src 'self'; frame-ancestors 'none'",
      )
      .type("text/html; charset=utf-8")
      .send(page.text);
  });
}

/** The generator's own type spans all versions of OpenAPI; the page reads what 3.1 always has. */
function asApiDocument(document: unknown): ApiDocument {
  return document as ApiDocument;
}
