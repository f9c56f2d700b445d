/**
 * Sends the requests of the application to the server of the open screen, with the screen's
 * cookies.
 */
import type { ServedApp } from "../apps/served-app.ts";
import { pageOrigin } from "./window.ts";

export interface Connection {
  readonly app: ServedApp;
  /** Cookies by name. Responses change the cookies as in a browser. */
  readonly cookies: Map<string, string>;
  /** Method and path of each request, oldest first. */
  readonly requested: string[];
  /** Paths whose next response is lost after the server has handled the request. */
  readonly lost: Set<string>;
  /** Faults that replace the responses to matching requests. */
  readonly faults: Fault[];
}

export interface Fault {
  /** Pattern for method and path, such as `DELETE /v1/variables/TOKEN`. */
  readonly pattern: RegExp;
  readonly status: number;
  readonly message: string;
}

let connection: Connection | null = null;

export function connect(next: Connection | null): void {
  connection = next;
}

const { fetch: fetchAnywhere, Request: NodeRequest } = globalThis;

/** Request that accepts a path, which the `Request` of Node does not. */
class PageRequest extends NodeRequest {
  constructor(input: RequestInfo | URL, init?: RequestInit) {
    super(typeof input === "string" ? new URL(input, pageOrigin) : input, init);
  }
}

function storeCookies({ cookies }: Connection, response: Response): void {
  for (const line of response.headers.getSetCookie()) {
    const [pair = ""] = line.split(";");
    const [name = "", ...value] = pair.split("=");
    const isRemoved = /;\s*max-age=0/i.test(line) || value.join("=") === "";
    if (isRemoved) cookies.delete(name);
    else cookies.set(name, value.join("="));
  }
}

/** Request id in every fault response. */
export const faultRequestId = "01999999-0000-7000-8000-000000000500";

/**
 * Returns the response of a fault. Its `retry-after` is 0, so that automatic retries follow
 * immediately.
 */
function respondWith({ status, message }: Fault): Response {
  const headers = { "x-request-id": faultRequestId, "retry-after": "0" };
  return Response.json({ statusCode: status, error: "Fault", message }, { status, headers });
}

async function fetchFromPage(request: Request): Promise<Response> {
  const open = connection;
  if (open === null) throw new TypeError("The screen is closed.");
  const { pathname, search } = new URL(request.url);
  const line = `${request.method} ${pathname}${search}`;
  open.requested.push(line);
  const fault = open.faults.find(({ pattern }) => pattern.test(line));
  if (fault !== undefined) return respondWith(fault);
  const headers = new Headers(request.headers);
  headers.set("origin", open.app.url);
  headers.set("sec-fetch-site", "same-origin");
  headers.set("cookie", [...open.cookies].map(([name, value]) => `${name}=${value}`).join("; "));
  const { method, signal } = request;
  const body = request.body === null ? null : await request.arrayBuffer();
  const target = `${open.app.url}${pathname}${search}`;
  const response = await fetchAnywhere(target, { method, headers, body, signal });
  storeCookies(open, response);
  if (open.lost.delete(pathname)) throw new TypeError("The response was lost.");
  return response;
}

globalThis.Request = PageRequest;
globalThis.fetch = async (input, init) => {
  const request = new PageRequest(input, init);
  const isOfPage = new URL(request.url).origin === pageOrigin;
  return isOfPage ? fetchFromPage(request) : fetchAnywhere(input, init);
};
