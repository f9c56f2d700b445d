/**
 * Variant of `outbound.ts` that streams the response, with the same protection: the host name is
 * resolved only once, the connection goes to a validated address, and the size is limited.
 * Redirects are not followed.
 */
import type { ClientRequest, IncomingMessage } from "node:http";
import { findReachable, type OutboundOptions, prepareHeaders, startRequest } from "./outbound.ts";
import { checkUrl } from "./outbound-guard.ts";

interface StreamedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly signal: AbortSignal;
}

export interface OutboundFetchOptions extends OutboundOptions {
  readonly maxResponseBytes: number;
  /** Called if the response ends before it is complete. */
  readonly onBreak: (error: OutboundError) => void;
}

/** An error whose message contains neither a part of the URL nor of the response. */
export class OutboundError extends Error {}

function waitForHead(request: ClientRequest, body: string | null): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on("response", resolve);
    request.on("error", (error: NodeJS.ErrnoException) => {
      const code = /^[A-Z][A-Z0-9_]{1,60}$/.test(error.code ?? "") ? ` (${error.code})` : "";
      reject(new OutboundError(`The connection failed.${code}`));
    });
    request.end(body ?? undefined);
  });
}

/**
 * Streams the response body. If the connection breaks, the body ends normally and `onBreak` is
 * called. The reader therefore receives all data that has arrived; an error in the body would
 * discard unread data.
 */
function readBody(
  response: IncomingMessage,
  maxBytes: number,
  onBreak: (error: OutboundError) => void,
): ReadableStream<Uint8Array> {
  let byteCount = 0;
  let isOver = false;
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const finish = (message: string | null) => {
          if (isOver) return;
          isOver = true;
          if (message !== null) onBreak(new OutboundError(message));
          controller.close();
          response.destroy();
        };
        response.on("data", (chunk: Buffer) => {
          byteCount += chunk.length;
          if (byteCount > maxBytes) finish("The response exceeds the size limit.");
          if (isOver) return;
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) response.pause();
        });
        response.on("end", () => finish(null));
        response.on("error", () => finish("The connection was interrupted."));
        response.on("close", () => finish("The connection was interrupted."));
      },
      pull: () => void response.resume(),
      cancel: () => {
        isOver = true;
        response.destroy();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 65_536 }),
  );
}

function listHeaders(response: IncomingMessage): [string, string][] {
  return Object.entries(response.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat().join(", ")] as [string, string]],
  );
}

/**
 * Sends a request and returns the response, as `fetch` does. If the request fails or the response
 * is a redirect, throws an `OutboundError`.
 */
export async function fetchGuarded(
  options: OutboundFetchOptions,
  address: string,
  sending: StreamedRequest,
): Promise<Response> {
  const { method, headers, signal } = sending;
  const checked = checkUrl(address);
  if (checked.kind === "refused") throw new OutboundError(checked.message);
  const { url } = checked;
  const addresses = await findReachable(options, url, signal);
  if (!Array.isArray(addresses)) throw new OutboundError(addresses.message);
  const prepared = prepareHeaders(options, headers);
  const request = startRequest({ url, addresses, method, headers: prepared, signal });
  const response = await waitForHead(request, sending.body);
  const status = response.statusCode ?? 0;
  if (status < 200 || (status >= 300 && status < 400)) {
    request.destroy();
    throw new OutboundError("The response is a redirect, and redirects are not followed.");
  }
  const body = readBody(response, options.maxResponseBytes, options.onBreak);
  const isEmpty = status === 204 || status === 205;
  return new Response(isEmpty ? null : body, { status, headers: listHeaders(response) });
}
