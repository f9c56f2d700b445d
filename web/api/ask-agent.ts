/** Sends a question to the agent and reads the streamed answer. */
import { type AgentContext, type AgentEvent, type AgentMessage, readEvent } from "./agent-event.ts";
import { ApiError, fromAnswer, fromThrown } from "./api-error.ts";
import { readChosenAccount } from "./chosen-account.ts";
import { api, RequestTimeout, send } from "./client.ts";
import { readLines } from "./read-lines.ts";

export interface AgentQuestion {
  readonly accountId: string;
  readonly messages: readonly AgentMessage[];
  readonly context: AgentContext | null;
  readonly signal: AbortSignal;
}

/** Maximum length of a line. A tool result has up to 20,000 characters, encoded as JSON. */
const maxLineLength = 1_000_000;

export interface AgentAnswer {
  readonly requestId: string | null;
  readonly events: AsyncGenerator<AgentEvent>;
}

function request({ accountId, messages, context, signal }: AgentQuestion): Promise<Response> {
  const account = readChosenAccount();
  return fetch(`/accounts/${accountId}/ai/agents/stream`, {
    method: "POST",
    headers: {
      accept: "text/event-stream",
      "content-type": "application/json",
      ...(account !== null && { "x-service-account": account }),
    },
    body: JSON.stringify({
      messages,
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      ...(context !== null && { context }),
    }),
    signal,
  });
}

/**
 * Sends a question. Throws an `ApiError`, or an `AbortError` if the user has stopped the request.
 */
export async function askAgent(question: AgentQuestion): Promise<AgentAnswer> {
  const timeout = new RequestTimeout(question.signal);
  timeout.start();
  let response: Response;
  try {
    response = await request({ ...question, signal: timeout.signal });
    timeout.end();
  } catch (error) {
    if (question.signal.aborted) throw error;
    throw fromThrown(error);
  }
  if (!response.ok || response.body === null) {
    // The shared client notifies the application that the session has ended; `fetch` does not.
    if (response.status === 401) await send(api.GET("/v1/users/me"));
    throw fromAnswer(response, await response.json().catch(() => null));
  }
  const requestId = response.headers.get("x-request-id");
  return { requestId, events: readEvents(response.body, { ...question, requestId }) };
}

async function* readEvents(
  body: ReadableStream<Uint8Array>,
  { signal, requestId }: { readonly signal: AbortSignal; readonly requestId: string | null },
): AsyncGenerator<AgentEvent> {
  let isWhole = false;
  try {
    for await (const line of readLines(body, maxLineLength)) {
      isWhole ||= line === "data: [DONE]";
      const event = readEvent(line);
      if (event !== null) yield event;
    }
  } catch (error) {
    if (signal.aborted) throw error;
    throw fromThrown(error);
  }
  if (isWhole || signal.aborted) return;
  const message = "The connection was cut before the answer was over.";
  throw new ApiError({ kind: "unreachable", message, requestId });
}

export function confirmAction(accountId: string, token: string) {
  const params = { path: { accountId } };
  return send(api.POST("/accounts/{accountId}/ai/confirmations", { params, body: { token } }));
}

export async function declineAction(accountId: string, confirmationId: string): Promise<void> {
  const params = { path: { accountId, confirmationId } };
  await send(api.DELETE("/accounts/{accountId}/ai/confirmations/{confirmationId}", { params }));
}
