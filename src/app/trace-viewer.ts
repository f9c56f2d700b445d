import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { dirname, extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Config } from "../config.ts";
import { errorCatalogue, KnownError } from "../platform/errors.ts";
import type { Log } from "../platform/log.ts";
import { http } from "../platform/node-modules.ts";
import { isUuid } from "../platform/text/patterns.ts";
import { type AssetsContext, answerFile } from "../runs/assets/index.ts";
import { runtimes } from "../sandbox/runtimes/runtime.ts";
import { findRuntimesFolder } from "./runtimes.ts";

type ViewerSettings = Pick<Config, "HOST" | "PORT" | "VIEWER_PORT" | "VIEWER_URL" | "DATA_DIR">;

/**
 * Returns the port of the trace viewer: VIEWER_PORT if it is set, otherwise the port after PORT.
 * Returns `null` if VIEWER_PORT is not set and PORT is 0 or 65535.
 */
export function findViewerPort({ PORT, VIEWER_PORT }: ViewerSettings): number | null {
  if (VIEWER_PORT !== undefined) return VIEWER_PORT;
  return PORT === 0 || PORT === 65_535 ? null : PORT + 1;
}

const loopback: Readonly<Record<string, string>> = {
  "127.0.0.1": "localhost",
  "[::1]": "localhost",
  localhost: "127.0.0.1",
};

/**
 * Returns the origin of the viewer; `null` if none is known. Its host name must differ from the
 * host name of the server, because browsers send cookies to every port of a host. If the server is
 * reached as `localhost`, the viewer uses 127.0.0.1. If the server is reached by a loopback
 * address, the viewer uses `localhost`. Otherwise the operator must configure the origin.
 */
export function decideViewerUrl(
  configured: string | undefined,
  publicUrl: string,
  port: number,
): string | null {
  if (configured !== undefined) return configured.replace(/\/+$/, "");
  const name = loopback[new URL(publicUrl).hostname];
  return name === undefined ? null : `http://${name}:${port}`;
}

const folderInPackage = "lib/vite/traceViewer";

/**
 * Returns the folder of the viewer, which is part of Playwright; `null` if Playwright is not
 * installed. Playwright may be a dependency of this installation or part of a runtime for scripts.
 */
function findViewerFolder(settings: ViewerSettings): string | null {
  const folders = runtimes.map(({ name }) =>
    join(findRuntimesFolder(settings), name, "packages/node_modules/playwright-core"),
  );
  try {
    const found = createRequire(import.meta.url).resolve("playwright-core/package.json");
    folders.unshift(dirname(found));
  } catch {
    // Playwright is a development dependency and may be missing.
  }
  const viewers = folders.map((folder) => join(folder, folderInPackage));
  return viewers.find((folder) => existsSync(join(folder, "index.html"))) ?? null;
}

const mediaTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".ttf": "font/ttf",
  ".webmanifest": "application/manifest+json",
};

/**
 * Content security policy of the viewer and its service worker. The service worker makes all
 * requests of snapshots, so this policy keeps snapshots from loading anything from the monitored
 * host.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  ...["img-src", "font-src", "media-src", "connect-src", "frame-src"].map(
    (source) => `${source} 'self' blob: data:`,
  ),
  "worker-src 'self'",
  "manifest-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

/**
 * Content security policy of a snapshot document. The policy does not restrict the URLs of images,
 * because the service worker intercepts the requests for images and responds from the trace.
 */
const snapshotPolicy =
  "frame-src 'self' blob: data:; connect-src 'self' blob: data:; object-src 'none'; " +
  "worker-src 'none'; form-action 'none'; frame-ancestors 'self'";

/** Runs before the viewer's service worker; adds the policy to each snapshot document. */
const workerPrelude = `{
  const respondWith = FetchEvent.prototype.respondWith;
  const restrict = (response) => {
    const headers = new Headers(response.headers);
    headers.append("content-security-policy", ${JSON.stringify(snapshotPolicy)});
    return new Response(response.body, { status: response.status, headers });
  };
  FetchEvent.prototype.respondWith = function (answer) {
    const isSnapshot = this.request.mode === "navigate" && this.request.url.includes("/snapshot/");
    respondWith.call(this, isSnapshot ? Promise.resolve(answer).then(restrict) : answer);
  };
}
`;

const common = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
};

/**
 * Serves the trace viewer and signed links to files on a separate port. The separate origin
 * protects the application from the content of monitored sites. This port has no sign-in and reads
 * no cookies.
 */
export class TraceViewer {
  readonly #settings: ViewerSettings;
  #folder: string | null = null;
  #port: number | null = null;

  constructor(settings: ViewerSettings) {
    this.#settings = settings;
  }

  /**
   * Returns the origin of the viewer; `null` if the viewer does not run, is not installed or has no
   * origin.
   */
  findUrl(publicUrl: string): string | null {
    if (this.#port === null || this.#findFolder() === null) return null;
    return decideViewerUrl(this.#settings.VIEWER_URL, publicUrl, this.#port);
  }

  /** Starts the viewer. If its port is in use, the product runs without the viewer. */
  async start(context: AssetsContext, log: Log): Promise<() => Promise<void>> {
    const port = findViewerPort(this.#settings);
    if (port === null) return async () => {};
    const server = http.createServer((request, response) => {
      this.#answer(context, request, response).catch((error) => {
        if (!(error instanceof KnownError)) log.warn({ err: error }, "the trace viewer failed");
        sendFailure(response, error);
      });
    });
    server.maxConnections = 256;
    server.requestTimeout = 30_000;
    server.listen(port, this.#settings.HOST);
    try {
      await once(server, "listening");
    } catch (error) {
      log.warn({ err: error, port }, "the trace viewer cannot use its port: set VIEWER_PORT");
      return async () => {};
    }
    this.#port = (server.address() as AddressInfo).port;
    return async () => {
      server.closeAllConnections();
      server.close();
    };
  }

  async #answer(
    context: AssetsContext,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { method = "", url = "" } = request;
    if (method !== "GET" && method !== "HEAD") throw new KnownError("methodNotAllowed");
    if (!URL.canParse(url, "http://viewer")) throw new KnownError("notFound");
    const { pathname, searchParams } = new URL(url, "http://viewer");
    const [, asset = ""] = /^\/v1\/assets\/([^/]+)\/[^/]+$/.exec(pathname) ?? [];
    if (isUuid(asset)) {
      const signature = searchParams.get("signature") ?? "";
      const link = { id: asset, expires: Number(searchParams.get("expires")), signature };
      const { range } = request.headers;
      const { status, headers, body } = await answerFile(context, { ...link, range });
      response.writeHead(status, { ...common, ...headers });
      if (body === null || method === "HEAD") {
        body?.destroy();
        response.end();
      } else await pipeline(body, response);
      return;
    }
    const [, path = ""] = /^\/viewer\/((?:assets\/)?[\w.-]+)$/.exec(pathname) ?? [];
    const content = await this.#read(path);
    if (content === null) throw new KnownError("notFound");
    response.writeHead(200, {
      ...common,
      "content-type": mediaTypes[extname(path)] ?? "application/octet-stream",
      "content-security-policy": policy,
      "cache-control": "no-cache",
    });
    response.end(method === "HEAD" ? undefined : content);
  }

  async #read(path: string): Promise<Buffer | null> {
    const folder = this.#findFolder();
    if (folder === null || !(extname(path) in mediaTypes)) return null;
    const content = await readFile(join(folder, path)).catch(() => null);
    if (content === null || !path.startsWith("sw.bundle")) return content;
    return Buffer.concat([Buffer.from(workerPrelude), content]);
  }

  #findFolder(): string | null {
    this.#folder ??= findViewerFolder(this.#settings);
    return this.#folder;
  }
}

function sendFailure(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { errorName, message } =
    error instanceof KnownError ? error : { errorName: "internal" as const, message: "" };
  const { statusCode, error: name } = errorCatalogue[errorName];
  response.writeHead(statusCode, { ...common, "content-type": "text/plain; charset=utf-8" });
  response.end(message || name);
}
