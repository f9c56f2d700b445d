import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";
import { html } from "../pages/html.ts";
import { plainStylesheetPath, renderPlainPage } from "../pages/plain-page.ts";
import { writeTokenStyles } from "../pages/tokens.ts";
import { notFound } from "../platform/errors.ts";
import { sendError } from "../platform/http/error-handler.ts";
import type { HttpServer } from "../platform/http/server.ts";

const policy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'";

/** Paths used by programs, which receive the JSON error body. */
const apiPath = /^\/(v\d+|accounts|mcp|ping|openapi\.json|assets)(\/|\?|$)/;

const page = renderPlainPage(
  "Page not found",
  html`<p>This page does not exist.</p>
<p><a href="/">Open Vedette</a> or <a href="/docs">search the docs</a>.</p>`,
).text;

function isBrowser({ method, url, headers }: FastifyRequest): boolean {
  const isRead = method === "GET" || method === "HEAD";
  return isRead && !apiPath.test(url) && (headers.accept ?? "").includes("text/html");
}

/** Responds with 404: a page for a browser, JSON for a program. */
export function sendMissingPage(
  request: FastifyRequest,
  reply: FastifyReply,
  hint?: string,
): FastifyReply {
  if (!isBrowser(request)) return sendError(notFound(hint), request, reply);
  return reply
    .code(404)
    .header("content-security-policy", policy)
    .type("text/html; charset=utf-8")
    .send(page);
}

const rules = readFileSync(join(import.meta.dirname, "../pages/plain-page.css"), "utf8");
const stylesheet = `${writeTokenStyles()}${rules}`;

/** Serves the style sheet of pages with a single message or form. */
export function addPlainStylesRoute(server: HttpServer): void {
  const hidden = { config: { access: "public" }, schema: { hide: true } } as const;
  server.get(plainStylesheetPath, hidden, async (_request, reply) =>
    reply.header("cache-control", "max-age=300").type("text/css; charset=utf-8").send(stylesheet),
  );
}
