import { readFileSync } from "node:fs";
import { join } from "node:path";
import { plainStylesheetPath } from "../pages/plain-page.ts";
import { writeTokenStyles } from "../pages/tokens.ts";
import type { HttpServer } from "../platform/http/server.ts";

const rules = readFileSync(join(import.meta.dirname, "../pages/plain-page.css"), "utf8");
const stylesheet = `${writeTokenStyles()}${rules}`;

/** Serves the style sheet of pages with a single message or form. */
export function addPlainStylesRoute(server: HttpServer): void {
  const hidden = { config: { access: "public" }, schema: { hide: true } } as const;
  server.get(plainStylesheetPath, hidden, async (_request, reply) =>
    reply.header("cache-control", "max-age=300").type("text/css; charset=utf-8").send(stylesheet),
  );
}
