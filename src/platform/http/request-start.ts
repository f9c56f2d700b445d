import type { FastifyRequest } from "fastify";

const ignore = () => {};

/**
 * Stores the client's address, and the host that a trusted proxy names, on the request. Fastify
 * derives both from the socket on each access, and throws once the socket is gone: after an
 * `await`, in an error handler, or when the response has been sent.
 */
function storeOrigin(request: FastifyRequest, hasTrustedProxies: boolean): void {
  Object.defineProperty(request, "ip", { value: request.ip ?? "" });
  if (hasTrustedProxies) Object.defineProperty(request, "host", { value: request.host });
}

/**
 * Prepares the body of a request before anything reads it. A content type without a length means
 * that there is no body: Fastify would wait for the end of a stream that Node.js has ended already.
 */
function prepareBody({ raw }: FastifyRequest): void {
  const { headers } = raw;
  const { "content-length": length, "transfer-encoding": encoding } = headers;
  if (encoding === undefined && (length === undefined || length === "0")) {
    if (headers["content-type"] !== undefined) delete headers["content-type"];
    return;
  }
  // A client may disconnect after the reader of the body has removed its error listener, for
  // example because the body was too long. Without a listener that error would end the process.
  raw.on("error", ignore);
}

/** Runs first, in the same tick in which Node.js emits the request. */
export function startRequest(request: FastifyRequest, hasTrustedProxies: boolean): void {
  storeOrigin(request, hasTrustedProxies);
  prepareBody(request);
}
