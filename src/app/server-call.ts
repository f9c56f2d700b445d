import { setTimeout as wait } from "node:timers/promises";
import { ExplainedError, readCode } from "../platform/errors.ts";

/** URL of a server and an API key for it. */
export interface ServerTarget {
  readonly server: string;
  readonly token: string;
}

interface ServerAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Request body and its media type. */
export interface Upload {
  readonly type: string;
  readonly body: Blob | string;
}

export function toJsonUpload(value: object): Upload {
  return { type: "application/json", body: JSON.stringify(value) };
}

const maxAttempts = 5;
const maxWaitSeconds = 60;

async function send(
  { server, token }: ServerTarget,
  path: string,
  upload: Upload | undefined,
): Promise<Response> {
  const url = new URL(path, server.endsWith("/") ? server : `${server}/`);
  const authorization = `Bearer ${token}`;
  const init =
    upload === undefined
      ? { headers: { authorization } }
      : {
          method: "POST",
          headers: { authorization, "content-type": upload.type },
          body: upload.body,
        };
  try {
    return await fetch(url, init);
  } catch (error) {
    throw new ExplainedError(`Cannot reach ${server}: ${readCode((error as Error).cause)}.`);
  }
}

/** Sends a GET request, or a POST request if there is a body. Retries while the server is busy. */
export async function callServer(
  target: ServerTarget,
  path: string,
  upload?: Upload,
): Promise<ServerAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await send(target, path, upload);
    const answer: unknown = await response.json().catch(() => null);
    const { retryAfter } = (answer ?? {}) as { readonly retryAfter?: unknown };
    const seconds = Number(response.headers.get("retry-after") ?? retryAfter ?? Number.NaN);
    const isBusy = response.status === 429 || response.status === 503 || response.status === 409;
    if (!isBusy || attempt >= maxAttempts || !(seconds <= maxWaitSeconds)) {
      return { status: response.status, body: answer };
    }
    await wait(seconds * 1_000);
  }
}

/** Creates an error with the message of an unsuccessful response. */
export function explainAnswer({ status, body }: ServerAnswer): ExplainedError {
  const { message } = (body ?? {}) as { readonly message?: unknown };
  const text = typeof message === "string" ? message : "no message";
  return new ExplainedError(`The server rejected the request (${status}): ${text}`);
}
