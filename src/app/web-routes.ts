import type { FastifyReply, FastifyRequest } from "fastify";
import { html } from "../pages/html.ts";
import { renderPlainPage } from "../pages/plain-page.ts";
import { notFound } from "../platform/errors.ts";
import type { HttpServer } from "../platform/http/server.ts";
import { chooseEncoding, loadWebFiles, type WebFile } from "./web-files.ts";

/** Nothing inline, nothing from another host, and never inside another page. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  // Previews of unsaved pages.
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** Screens of the application; each is `index.html`, which reads the path itself. */
export const screens = [
  "/",
  "/checks",
  "/checks/*",
  "/groups",
  "/groups/*",
  "/alerts",
  "/alerts/*",
  "/incidents",
  "/incidents/*",
  "/status-pages",
  "/status-pages/*",
  "/locations",
  "/locations/*",
  "/dashboards",
  "/edit-dashboard/*",
  "/settings",
  "/settings/*",
  "/sign-in",
  "/invite",
  "/reset-password",
  "/confirm-email",
];

/** Whether the file's name changes with its content. */
const isHashed = (path: string) => path.startsWith("/assets/");

function sendFile(request: FastifyRequest, reply: FastifyReply, file: WebFile): FastifyReply {
  reply.header("etag", file.tag).header("vary", "accept-encoding");
  if (request.headers["if-none-match"] === file.tag) return reply.code(304).send();
  const encoding = chooseEncoding(request.headers["accept-encoding"]);
  const encoded = encoding && file.encoded[encoding];
  if (encoded) reply.header("content-encoding", encoding);
  return reply.type(file.mediaType).send(encoded ?? file.body);
}

const notBuilt = renderPlainPage(
  "The web application is not built",
  html`<p>Run <code>npm run build</code> and restart the server. The API works without it:
<a href="/docs/api">see its reference</a>.</p>`,
).text;

/** Serves the web application: one document for all screens, and its files. */
export function addWebRoutes(server: HttpServer): void {
  const files = loadWebFiles();
  const index = files.get("/index.html");
  const hidden = {
    config: { access: "public", isUnlimited: true },
    schema: { hide: true },
  } as const;
  const sendScreen = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header("content-security-policy", contentSecurityPolicy);
    reply.header("cache-control", "no-cache");
    if (index === undefined) return reply.code(503).type("text/html; charset=utf-8").send(notBuilt);
    return sendFile(request, reply, index);
  };
  for (const path of screens) server.get(path, hidden, sendScreen);
  for (const [path, file] of files) {
    if (isHashed(path) || path === "/index.html") continue;
    server.get(path, hidden, async (request, reply) =>
      sendFile(request, reply.header("cache-control", "max-age=300"), file),
    );
  }
  server.get("/assets/*", hidden, async (request, reply) => {
    const file = files.get(request.url.split("?")[0] ?? "");
    if (file === undefined) throw notFound();
    reply.header("cache-control", "public, max-age=31536000, immutable");
    return sendFile(request, reply, file);
  });
}
