export const apiKey = "faults-key-0123456789abcdef";

const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
const timeoutMs = 30_000;

export interface Answer {
  /** Status of the response; `null` if the connection broke or timed out. */
  readonly status: number | null;
  readonly body: string;
}

export async function ask(url: string, method = "GET", body?: unknown): Promise<Answer> {
  try {
    const answer = await fetch(url, {
      method,
      headers,
      signal: AbortSignal.timeout(timeoutMs),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.text() };
  } catch (error) {
    return { status: null, body: String(error) };
  }
}

/** Sends a request and returns the response body. Fails if the request is not successful. */
export async function create<Body>(url: string, body: unknown, method = "POST"): Promise<Body> {
  const answer = await ask(url, method, body);
  if (answer.status === null || answer.status >= 300) {
    throw new Error(`${url}: ${answer.status} ${answer.body}`);
  }
  return JSON.parse(answer.body) as Body;
}
