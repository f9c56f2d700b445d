import { readFileSync } from "node:fs";
import { join } from "node:path";
import { plainStylesheetPath, renderWelcome } from "../pages/plain-page.ts";
import type { HttpServer } from "../platform/http/server.ts";
import { version } from "./version.ts";

const stylesheet = readFileSync(join(import.meta.dirname, "../pages/plain-page.css"), "utf8");

/** The address itself, for whoever opens it in a browser, and the look of our plain pages. */
export function addFrontDoorRoutes(server: HttpServer): void {
  const hidden = { config: { access: "public" }, schema: { hide: true } } as const;
  server.get("/", hidden, async (_request, reply) =>
    reply
      .header(
        "content-security-policy",
        "default-src 'none'; style-src 'self'; frame-ancestors 'none'",
      )
      .type("text/html; charset=utf-8")
      .send(renderWelcome(version).text),
  );
  server.get(plainStylesheetPath, hidden, async (_request, reply) =>
    reply.header("cache-control", "max-age=300").type("text/css; charset=utf-8").send(stylesheet),
  );
}
