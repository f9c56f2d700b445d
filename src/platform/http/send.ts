import { createHash } from "node:crypto";
import { finished, Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { Type } from "typebox";
import { KnownError } from "../errors.ts";

/**
 * Returns the ETag of a resource with a version. If the resource includes other resources, the tag
 * also contains the number and the sum of their versions. Every change then yields a new tag: a
 * change of the list of included resources raises the version of the resource, a change of an
 * included resource raises the sum, and a deletion lowers the number.
 */
export function tagVersion(version: number, shownVersions: readonly number[] = []): string {
  if (shownVersions.length === 0) return `"${version}"`;
  const sum = shownVersions.reduce((total, one) => total + one, 0);
  return `"${version}-${shownVersions.length}-${sum}"`;
}

/** Returns the ETag of a resource that has no version: a hash of its editable content. */
export function tagContent(content: readonly unknown[]): string {
  const hash = createHash("sha256").update(JSON.stringify(content, sortKeys));
  return `"${hash.digest("base64url").slice(0, 22)}"`;
}

/** Sorts the keys of objects, because PostgreSQL does not preserve the key order of JSON. */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

export interface TaggedReply {
  readonly header: (name: string, value: string) => unknown;
}

/** Sends a resource with its ETag, so that the client can send If-Match with a change. */
export function sendTagged<Body>(reply: TaggedReply, tag: string, body: Body): Body {
  reply.header("etag", tag);
  return body;
}

export const IfMatchHeaders = Type.Object({
  "if-match": Type.Optional(
    Type.String({
      maxLength: 1_000,
      description: "Apply the change only if the current ETag is one of these.",
    }),
  ),
});

/** Rejects a change that is based on an older version of the resource. */
export function assertMatch(ifMatch: string | undefined, currentTag: string): void {
  if (ifMatch === undefined || ifMatch.trim() === "*") return;
  // A weak tag never matches, because it does not prove that the resource is unchanged.
  const wanted = ifMatch.split(",").map((tag) => tag.trim());
  if (!wanted.includes(currentTag)) throw new KnownError("preconditionFailed");
}

/** Name and data of an event, and optionally an id from which a client can resume the stream. */
export type NamedEvent = readonly [name: string, data: object, id?: string];

const forms = {
  events: {
    type: "text/event-stream",
    write: ([name, data, id]: NamedEvent) =>
      `${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`,
  },
  lines: {
    type: "application/x-ndjson",
    write: ([name, data, id]: NamedEvent) =>
      `${JSON.stringify({ event: name, ...(id !== undefined && { id }), ...data })}\n`,
  },
} as const;

async function* writeEvents(
  events: AsyncIterable<NamedEvent>,
  write: (event: NamedEvent) => string,
): AsyncGenerator<string> {
  try {
    for await (const event of events) yield write(event);
  } catch (error) {
    // An AbortError is expected when the reader disconnects or the server stops.
    if (!(error instanceof Error && error.name === "AbortError")) throw error;
  }
}

/** Sends events as they occur: as server-sent events, or as JSON lines if requested. */
export function sendEvents(
  reply: FastifyReply,
  events: AsyncIterable<NamedEvent>,
  accept = "",
): FastifyReply {
  const { type, write } = /\bapplication\/x-ndjson\b/i.test(accept) ? forms.lines : forms.events;
  const headers = { "content-type": type, "cache-control": "no-cache", "x-accel-buffering": "no" };
  // With bytes instead of objects, the buffer is limited in bytes, and a slow reader causes
  // backpressure.
  const pieces = Readable.from(writeEvents(events, write), { objectMode: false });
  return reply.headers(headers).send(pieces);
}

interface Download {
  readonly fileName: string;
  readonly contentType: string;
  readonly pieces: AsyncGenerator<string>;
  /** Called when the download ends, even if the client did not read all of it. */
  readonly onEnd: () => void;
}

/** Streams a file. Waits for the first chunk, so that its failure becomes an error response. */
export async function sendDownload(reply: FastifyReply, download: Download): Promise<FastifyReply> {
  const { fileName, contentType, pieces, onEnd } = download;
  let first: IteratorResult<string>;
  try {
    first = await pieces.next();
  } catch (error) {
    onEnd();
    throw error;
  }
  const body = Readable.from(startWith(first, pieces), { objectMode: false });
  finished(body, onEnd);
  return reply
    .type(contentType)
    .header("content-disposition", `attachment; filename="${fileName}"`)
    .send(body);
}

async function* startWith(
  first: IteratorResult<string>,
  rest: AsyncGenerator<string>,
): AsyncGenerator<string> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

/** Sends text that is already JSON. Fastify sends a string without serializing it. */
export function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.header("content-type", "application/json; charset=utf-8").send(text);
}

/** Sends a response that a library created, with its status and headers. */
export function sendWritten(
  reply: FastifyReply,
  answer: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly text: string;
  },
): FastifyReply {
  return reply.code(answer.status).headers(answer.headers).send(answer.text);
}
