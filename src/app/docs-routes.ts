import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyReply } from "fastify";
import { Type } from "typebox";
import { type Guide, readGuide, type Section } from "../pages/docs/guide.ts";
import {
  docsScriptPath,
  docsStylesheetPath,
  renderContents,
  renderDocsPage,
  renderHits,
} from "../pages/docs/page.ts";
import { searchSections } from "../pages/docs/search.ts";
import { shelf } from "../pages/docs/shelf.ts";
import type { Markup } from "../pages/html.ts";
import { writeTokenStyles } from "../pages/tokens.ts";
import { notFound } from "../platform/errors.ts";
import type { HttpServer } from "../platform/http/server.ts";

const pagesFolder = join(import.meta.dirname, "../pages/docs");
const guidesFolder = join(import.meta.dirname, "../../docs");
const rules = readFileSync(join(pagesFolder, "docs.css"), "utf8");
const stylesheet = `${writeTokenStyles()}${rules}`;
const script = readFileSync(join(pagesFolder, "try-it.js"), "utf8");

/** Nothing inline, nothing from another host. The reference sends requests to this server. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

export function sendDocsPage(reply: FastifyReply, text: string): FastifyReply {
  return reply
    .header("content-security-policy", contentSecurityPolicy)
    .type("text/html; charset=utf-8")
    .send(text);
}

/** Read when somebody first asks: most who start a server never do. */
function createLibrary() {
  let guides: ReadonlyMap<string, Guide> | null = null;
  return () => {
    guides ??= new Map(
      shelf
        .flatMap((part) => part.guides)
        .map((name) => [
          name,
          readGuide(name, readFileSync(join(guidesFolder, `${name}.md`), "utf8")),
        ]),
    );
    return guides;
  };
}

const hidden = { config: { access: "public" }, schema: { hide: true } } as const;
const ofContents = {
  ...hidden,
  schema: {
    hide: true,
    querystring: Type.Object({ search: Type.String({ default: "", maxLength: 200 }) }),
  },
} as const;
const ofGuide = {
  ...hidden,
  schema: { hide: true, params: Type.Object({ guide: Type.String({ maxLength: 100 }) }) },
} as const;

/** The guides of `docs/` as pages with a search over them and the operations of the API. */
export function addDocsRoutes(server: HttpServer, listOperations: () => readonly Section[]): void {
  const readLibrary = createLibrary();
  const write = (page: { title: string; name?: string; search?: string; body: Markup }) =>
    renderDocsPage({ name: null, search: "", ...page, guides: readLibrary() }).text;
  const cache = (reply: FastifyReply) => reply.header("cache-control", "max-age=300");
  server.get(docsStylesheetPath, hidden, async (_request, reply) =>
    cache(reply).type("text/css; charset=utf-8").send(stylesheet),
  );
  server.get(docsScriptPath, hidden, async (_request, reply) =>
    cache(reply).type("text/javascript; charset=utf-8").send(script),
  );
  server.get("/docs", ofContents, async ({ query }, reply) => {
    const search = query.search.trim();
    const guides = readLibrary();
    if (search === "") {
      return sendDocsPage(reply, write({ title: "Vedette docs", body: renderContents(guides) }));
    }
    const sections = [...guides.values()].flatMap((guide) => guide.sections);
    const hits = searchSections([...sections, ...listOperations()], search);
    const body = renderHits(search, hits);
    return sendDocsPage(reply, write({ title: `${search} – Vedette docs`, search, body }));
  });
  server.get("/docs/:guide", ofGuide, async ({ params: { guide: name } }, reply) => {
    const guide = readLibrary().get(name);
    if (guide === undefined) throw notFound();
    const title = `${guide.title} – Vedette docs`;
    return sendDocsPage(reply, write({ title, name, body: guide.markup }));
  });
}
