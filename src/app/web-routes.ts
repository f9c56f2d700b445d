import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";
import { html } from "../pages/html.ts";
import { plainStylesheetPath, renderPlainPage } from "../pages/plain-page.ts";
import { listScreenPaths } from "../pages/screens.ts";
import { writeTokenStyles } from "../pages/tokens.ts";
import { notFound } from "../platform/errors.ts";
import { sendError } from "../platform/http/error-handler.ts";
import type { HttpServer } from "../platform/http/server.ts";

const policy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'";

/** Paths that programs use. Errors on these paths are sent as JSON. */
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

/** Responds with 404, as a page to a browser and as JSON to a program. */
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

/** Serves the style sheet of pages that contain only a message or a form. */
export function addPlainStylesRoute(server: HttpServer): void {
  const hidden = { config: { access: "public" }, schema: { hide: true } } as const;
  server.get(plainStylesheetPath, hidden, async (_request, reply) =>
    reply.header("cache-control", "max-age=300").type("text/css; charset=utf-8").send(stylesheet),
  );
}

/** Output folder of `npm run build`. */
export const webFolder = join(import.meta.dirname, "../../web/dist");

const mediaTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
};

const encodings = ["br", "gzip"] as const;
type Encoding = (typeof encodings)[number];

interface WebFile {
  readonly mediaType: string;
  readonly tag: string;
  readonly body: Buffer;
  /**
   * Compressed versions of the body, by encoding. A version that is not smaller than the body is
   * missing.
   */
  readonly encoded: Readonly<Partial<Record<Encoding, Buffer>>>;
}

const endings = { br: ".br", gzip: ".gz" } as const satisfies Record<Encoding, string>;

function loadWebFile(path: string): WebFile {
  const body = readFileSync(path);
  const encoded = encodings
    .filter((encoding) => existsSync(`${path}${endings[encoding]}`))
    .map((encoding) => [encoding, readFileSync(`${path}${endings[encoding]}`)]);
  return {
    mediaType: mediaTypes[extname(path)] ?? "application/octet-stream",
    tag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 16)}"`,
    body,
    encoded: Object.fromEntries(encoded),
  };
}

/** Returns the built files by path, such as `/assets/main-Dx1.js`; empty without a build. */
export function loadWebFiles(folder: string = webFolder): ReadonlyMap<string, WebFile> {
  const paths = globSync("**/*.*", { cwd: folder }).filter(
    (path) => !path.startsWith(".vite") && extname(path) in mediaTypes,
  );
  return new Map(
    paths.map((path) => [`/${path.replaceAll("\\", "/")}`, loadWebFile(join(folder, path))]),
  );
}

/** Returns the preferred encoding that the client accepts: `br`, then `gzip`; otherwise `null`. */
export function chooseEncoding(accepted: string | undefined): Encoding | null {
  const offers = (accepted ?? "")
    .toLowerCase()
    .split(",")
    .map((part) => part.trim().split(/\s*;\s*q=/))
    .filter(([, weight = "1"]) => Number(weight) > 0)
    .map(([name]) => name);
  return encodings.find((encoding) => offers.includes(encoding)) ?? null;
}

/**
 * Policy of the application: no inline code, nothing from other hosts, no embedding in other pages.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  // Allows videos of browser checks.
  "media-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  // Allows frames with previews of unsaved pages.
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * Routes that serve `index.html`: the path of each section and all paths below it. The application
 * shows the screen of the path, or reports that the screen does not exist.
 */
export const screenRoutes: readonly string[] = [
  ...new Set(
    listScreenPaths().map((path) => {
      const [, section = "", ...rest] = path.split("/");
      return rest.length === 0 ? path : `/${section}/*`;
    }),
  ),
];

/** Whether the name of a file changes with its content, so that the file can be cached forever. */
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

/** Built files. They are read once per process, because tests start many servers in one process. */
let webFiles: ReadonlyMap<string, WebFile> | undefined;

/** Headers of the application on HTTPS. Browsers ignore or report them on plain HTTP. */
const secureHeaders = {
  "strict-transport-security": "max-age=31536000",
  "cross-origin-opener-policy": "same-origin",
};

/**
 * Serves the web application: `index.html` for all screens, and the built files. `isSecure` is
 * whether people open the application with HTTPS.
 */
export function addWebRoutes(server: HttpServer, isSecure: boolean): void {
  webFiles ??= loadWebFiles();
  const files = webFiles;
  const index = files.get("/index.html");
  const hidden = {
    config: { access: "public", isUnlimited: true },
    schema: { hide: true },
  } as const;
  const sendScreen = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header("content-security-policy", contentSecurityPolicy);
    reply.header("cache-control", "no-cache");
    if (isSecure) reply.headers(secureHeaders);
    if (index === undefined) return reply.code(503).type("text/html; charset=utf-8").send(notBuilt);
    return sendFile(request, reply, index);
  };
  for (const path of screenRoutes) server.get(path, hidden, sendScreen);
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
