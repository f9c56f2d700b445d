import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { type Guide, readGuide, type Section, searchSections } from "../pages/docs/guide.ts";
import {
  docsOutline,
  docsScriptPath,
  docsStylesheetPath,
  renderContents,
  renderDocsPage,
  renderHits,
} from "../pages/docs/page.ts";
import type { Markup } from "../pages/html.ts";
import { writeTokenStyles } from "../pages/tokens.ts";
import type { HttpServer } from "../platform/http/server.ts";
import { chooseEncoding, sendMissingPage } from "./web-routes.ts";

const pagesFolder = join(import.meta.dirname, "../pages/docs");
const guidesFolder = join(import.meta.dirname, "../../docs");
const rules = readFileSync(join(pagesFolder, "docs.css"), "utf8");
const stylesheet = `${writeTokenStyles()}${rules}`;
const script = readFileSync(join(pagesFolder, "try-it.js"), "utf8");

/**
 * Policy of the docs pages: no inline code and nothing from other hosts. The examples of the API
 * reference may send requests to this server.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) };
const options = { br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }, gzip: { level: 6 } };

export async function sendDocsPage(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
): Promise<FastifyReply> {
  const encoding = chooseEncoding(request.headers["accept-encoding"]);
  reply
    .header("content-security-policy", contentSecurityPolicy)
    .header("vary", "accept-encoding")
    .type("text/html; charset=utf-8");
  if (encoding === null) return reply.send(text);
  const body = await compress[encoding](text, options[encoding]);
  return reply.header("content-encoding", encoding).send(body);
}

function readGuideFile(name: string): Guide {
  return readGuide(name, readFileSync(join(guidesFolder, `${name}.md`), "utf8"));
}

/**
 * Returns a function that reads the guides at its first call, because most servers never serve a
 * guide.
 */
function createLibrary() {
  let guides: ReadonlyMap<string, Guide> | null = null;
  return () => {
    guides ??= new Map(
      docsOutline.flatMap((section) => section.guides).map((name) => [name, readGuideFile(name)]),
    );
    return guides;
  };
}

/** Returns the guides by name. Reads them at the first call. */
export const readLibrary = createLibrary();

/**
 * Returns a function that reads the decision notes at its first call. The search does not include
 * these notes, because they do not help with a task.
 */
function createNotes() {
  let notes: ReadonlyMap<string, Guide> | null = null;
  return () => {
    notes ??= new Map(
      globSync("*.md", { cwd: join(guidesFolder, "decisions") })
        .map((file) => basename(file, ".md"))
        .map((name) => [name, readGuideFile(`decisions/${name}`)]),
    );
    return notes;
  };
}

/**
 * Returns a function that reads all pictures at its first call. Pictures that are added to the
 * folder after this call are not served.
 */
function createPictures() {
  let pictures: ReadonlyMap<string, Buffer> | null = null;
  const folder = join(guidesFolder, "pictures");
  return () => {
    pictures ??= new Map(
      globSync("*.png", { cwd: folder }).map((name) => [name, readFileSync(join(folder, name))]),
    );
    return pictures;
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
const ofPicture = {
  ...hidden,
  schema: { hide: true, params: Type.Object({ picture: Type.String({ maxLength: 100 }) }) },
} as const;
const ofGuide = {
  ...hidden,
  schema: { hide: true, params: Type.Object({ guide: Type.String({ maxLength: 100 }) }) },
} as const;

/** Serves the guides of `docs/` as pages, with a search over guides and API operations. */
export function addDocsRoutes(server: HttpServer, listOperations: () => readonly Section[]): void {
  const readNotes = createNotes();
  const readPictures = createPictures();
  const write = (page: { title: string; name?: string; search?: string; body: Markup }) =>
    renderDocsPage({ name: null, search: "", ...page, guides: readLibrary() }).text;
  const cache = (reply: FastifyReply) => reply.header("cache-control", "max-age=300");
  server.get(docsStylesheetPath, hidden, async (_request, reply) =>
    cache(reply).type("text/css; charset=utf-8").send(stylesheet),
  );
  server.get(docsScriptPath, hidden, async (_request, reply) =>
    cache(reply).type("text/javascript; charset=utf-8").send(script),
  );
  server.get("/docs", ofContents, async (request, reply) => {
    const search = request.query.search.trim();
    const guides = readLibrary();
    if (search === "") {
      const body = renderContents(guides);
      return sendDocsPage(request, reply, write({ title: "Vedette docs", body }));
    }
    const sections = [...guides.values()].flatMap((guide) => guide.sections);
    const hits = searchSections([...sections, ...listOperations()], search);
    const body = renderHits(search, hits);
    const title = `${search} – Vedette docs`;
    return sendDocsPage(request, reply, write({ title, search, body }));
  });
  server.get("/docs/:guide", ofGuide, async (request, reply) => {
    const name = request.params.guide;
    const guide = readLibrary().get(name);
    if (guide === undefined) return sendMissingPage(request, reply);
    const title = `${guide.title} – Vedette docs`;
    return sendDocsPage(request, reply, write({ title, name, body: guide.markup }));
  });
  server.get("/docs/decisions/:guide", ofGuide, async (request, reply) => {
    const note = readNotes().get(request.params.guide);
    if (note === undefined) return sendMissingPage(request, reply);
    const title = `${note.title} – Vedette docs`;
    return sendDocsPage(request, reply, write({ title, name: "decisions", body: note.markup }));
  });
  server.get("/docs/pictures/:picture", ofPicture, async (request, reply) => {
    const picture = readPictures().get(request.params.picture);
    if (picture === undefined) return sendMissingPage(request, reply);
    return cache(reply).type("image/png").send(picture);
  });
}
