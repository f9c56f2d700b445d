import { finished, Readable } from "node:stream";
import type { FastifyReply } from "fastify";

export interface Download {
  readonly fileName: string;
  readonly contentType: string;
  readonly pieces: AsyncGenerator<string>;
  /** Called once, whether the download was read to its end or not. */
  readonly onEnd: () => void;
}

/**
 * Streams a file. It waits for the first piece: if that fails, the response can still be an error.
 */
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
