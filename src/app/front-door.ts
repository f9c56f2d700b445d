import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findDashboardByName } from "../domains/dashboards/index.ts";
import { findStatusPageByUrl } from "../domains/status-pages/index.ts";
import { plainStylesheetPath, renderWelcome, type WelcomeLink } from "../pages/plain-page.ts";
import type { Database } from "../platform/database.ts";
import type { HttpServer } from "../platform/http/server.ts";
import { examplePaths } from "./example.ts";
import { version } from "./version.ts";

const stylesheet = readFileSync(join(import.meta.dirname, "../pages/plain-page.css"), "utf8");

/** The example's pages while they exist and are public; pages of users are never listed. */
async function listExamplePages(db: Database): Promise<WelcomeLink[]> {
  const paths = examplePaths;
  const nameOf = (path: string) => path.split("/").at(-1) ?? "";
  const [page, dashboard] = await Promise.all([
    findStatusPageByUrl(db, nameOf(paths.statusPage)),
    findDashboardByName(db, nameOf(paths.dashboard)),
  ]);
  return [
    ...(page?.isPrivate === false
      ? [
          {
            path: paths.statusPage,
            name: "Status page",
            words: "What the public sees of this machine.",
          },
        ]
      : []),
    ...(dashboard?.settings.isPrivate === false
      ? [
          {
            path: paths.dashboard,
            name: "Dashboard",
            words: "The same checks, live, for a screen.",
          },
        ]
      : []),
  ];
}

/** The start page for browsers, and the style sheet of our plain pages. */
export function addFrontDoorRoutes(server: HttpServer, { db }: { readonly db: Database }): void {
  const hidden = { config: { access: "public" }, schema: { hide: true } } as const;
  server.get("/", hidden, async (_request, reply) => {
    // Without its database the server still says where its documentation is.
    const pages = await listExamplePages(db).catch(() => []);
    return reply
      .header(
        "content-security-policy",
        "default-src 'none'; style-src 'self'; frame-ancestors 'none'",
      )
      .type("text/html; charset=utf-8")
      .send(renderWelcome(version, pages).text);
  });
  server.get(plainStylesheetPath, hidden, async (_request, reply) =>
    reply.header("cache-control", "max-age=300").type("text/css; charset=utf-8").send(stylesheet),
  );
}
