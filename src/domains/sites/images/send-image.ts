import type { FastifyReply } from "fastify";
import type { PageImage } from "./image-store.ts";

/** An SVG opened on its own may style itself, and do nothing else. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
const yearSeconds = 31_536_000;

/** An address that names the bytes themselves never changes what it answers. */
function decideCaching(isPrivate: boolean, isNamed: boolean): string {
  if (isPrivate) return "private, no-cache";
  return isNamed ? `public, max-age=${yearSeconds}, immutable` : "public, no-cache";
}

export function sendImage(
  reply: FastifyReply,
  image: PageImage & { readonly isPrivate: boolean },
  asked: { readonly version: string | undefined; readonly ifNoneMatch: string | undefined },
): FastifyReply {
  const tag = `"${image.hash}"`;
  reply
    .header("content-security-policy", policy)
    .header("cache-control", decideCaching(image.isPrivate, asked.version === image.hash))
    .header("etag", tag);
  const known = asked.ifNoneMatch?.split(",").map((one) => one.trim().replace(/^W\//, "")) ?? [];
  if (known.includes(tag) || known.includes("*")) return reply.code(304).send();
  return reply.type(image.contentType).send(image.bytes);
}
