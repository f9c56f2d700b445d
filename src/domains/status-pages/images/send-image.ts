import type { FastifyReply } from "fastify";
import type { ShownImage } from "./actions.ts";

/** An SVG opened directly may contain styles, and nothing else. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
const yearSeconds = 31_536_000;

/** A URL with a content hash always returns the same bytes. */
function decideCaching(isPrivate: boolean, isNamed: boolean): string {
  if (isPrivate) return "private, no-cache";
  return isNamed ? `public, max-age=${yearSeconds}, immutable` : "public, no-cache";
}

export function sendImage(
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
