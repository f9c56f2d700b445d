import type { FastifyReply } from "fastify";
import { Type } from "typebox";
import type { Caller } from "../../access/accounts/index.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { notFound } from "../../platform/errors.ts";
import { answers, DateTime, Described, Guid, OneOf, OrNull } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  findPageImage,
  hasPageAccess,
  imageRoles,
  listPageImages,
  type PageImageState,
  readVisitor,
  type Visitor,
} from "../publishing/index.ts";
import { getStatusPage } from "./actions.ts";
import type { StatusPagesContext } from "./context.ts";
import { findStatusPageByUrl } from "./public-store.ts";
import { referToPage } from "./status-page.ts";

/** Content security policy of images. An SVG that is opened directly loads nothing. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
const yearSeconds = 31_536_000;

const ImageParams = Type.Object({
  url: Type.String({ description: "The page's address.", minLength: 1, maxLength: 63 }),
  role: Described(OneOf(imageRoles), "Which picture."),
});
const ImageQuery = Type.Object({
  v: Type.Optional(Type.String({ maxLength: 64, description: "The picture's hash." })),
  key: Type.Optional(Type.String({ maxLength: 64, description: "Key of a private page." })),
});

const ImagesParams = Type.Object({ statusPageId: Described(Guid, "The status page's id.") });
const ImageStateList = Type.Array(
  Type.Object({
    role: Described(OneOf(imageRoles), "Which picture.", "logo"),
    hash: OrNull(Type.String({ description: "Hash of the image; `null` if there is none." })),
    fault: OrNull(
      Type.String({ description: "Why the last fetch failed; `null` if it succeeded." }),
    ),
    fetchedAt: Described(OrNull(DateTime), "Time of the last fetch; `null` if never fetched."),
    nextAttemptAt: Described(
      OrNull(DateTime),
      "Time of the next attempt; `null` if there is none.",
    ),
  }),
);

function toWireImageState(image: PageImageState) {
  const { role, hash, fault, fetchedAt, nextAttemptAt } = image;
  return {
    role,
    hash,
    fault,
    fetchedAt: fetchedAt && formatDateTime(fetchedAt),
    nextAttemptAt: nextAttemptAt && formatDateTime(nextAttemptAt),
  };
}

type ShownImage = Awaited<ReturnType<typeof getStatusPageImage>>;

/**
 * Finds an image of a page for a visitor. If the page is private and the visitor has no access to
 * the page, throws the same error as for a missing image.
 */
async function getStatusPageImage(
  context: StatusPagesContext,
  request: { readonly url: string; readonly role: (typeof imageRoles)[number] },
  visitor: Visitor,
) {
  const page = await findStatusPageByUrl(context.db, request.url);
  if (page === null) throw notFound();
  const { isPrivate } = page;
  const place = referToPage(page.id);
  if (isPrivate && !(await hasPageAccess(context, place, visitor))) throw notFound();
  const image = await findPageImage(context.db, { ...place, role: request.role });
  if (image === null) throw notFound();
  // Proxies must not cache an image of a private page.
  return { ...image, isPrivate };
}

async function listStatusPageImages(
  context: StatusPagesContext,
  caller: Caller,
  statusPageId: string,
): Promise<PageImageState[]> {
  const { id: pageId } = await getStatusPage(context, caller, statusPageId);
  return listPageImages(context.db, referToPage(pageId));
}

/** Returns the cache header: a year for a public image whose URL contains its hash. */
function decideCaching(isPrivate: boolean, isNamed: boolean): string {
  if (isPrivate) return "private, no-cache";
  return isNamed ? `public, max-age=${yearSeconds}, immutable` : "public, no-cache";
}

function sendImage(
  reply: FastifyReply,
  image: ShownImage,
  request: { readonly version: string | undefined; readonly ifNoneMatch: string | undefined },
): FastifyReply {
  const tag = `"${image.hash}"`;
  reply
    .header("content-security-policy", policy)
    .header("cache-control", decideCaching(image.isPrivate, request.version === image.hash))
    .header("etag", tag);
  const tags = request.ifNoneMatch?.split(",").map((one) => one.trim().replace(/^W\//, "")) ?? [];
  if (tags.includes(tag) || tags.includes("*")) return reply.code(304).send();
  return reply.type(image.contentType).send(image.bytes);
}

export function addImageRoutes(server: HttpServer, context: StatusPagesContext): void {
  server.get(
    "/v1/status-pages/:statusPageId/images",
    {
      config: { access: "read" },
      schema: {
        tags: ["Status pages"],
        operationId: "listStatusPageImages",
        summary: "List the images of a status page",
        description:
          "Images are fetched once and stored on this server. Shows when each was fetched, or " +
          "why it failed.",
        params: ImagesParams,
        response: answers({ 200: ImageStateList }, "notFound"),
      },
    },
    async ({ caller, params }) =>
      (await listStatusPageImages(context, caller, params.statusPageId)).map(toWireImageState),
  );
  server.get(
    "/status/:url/images/:role",
    {
      config: { access: "public" },
      schema: { hide: true, params: ImageParams, querystring: ImageQuery },
    },
    async (request, reply): Promise<FastifyReply> => {
      const { headers, params, query } = request;
      const image = await getStatusPageImage(context, params, readVisitor(request));
      const cacheQuery = { version: query.v, ifNoneMatch: headers["if-none-match"] };
      return sendImage(reply, image, cacheQuery);
    },
  );
}
