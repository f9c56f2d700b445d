import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Request that the external model has received. */
export interface ModelRequest {
  readonly headers: IncomingMessage["headers"];
  readonly path: string;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asks any request for any field.
  readonly body: any;
}

export interface ToolCallInput {
  readonly name: string;
  readonly input: unknown;
}

/** Response of the model to one request, sent in pieces. */
export interface ModelReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Response body that replaces the stream of pieces. */
  readonly rawBody?: string;
  readonly pieces?: readonly string[];
  readonly toolCalls?: readonly ToolCallInput[];
  readonly finishReason?: string;
  /** Closes the connection after the pieces, in the middle of a line. */
  readonly isBroken?: boolean;
  /** Leaves the connection open after the pieces without sending anything more. */
  readonly isSilent?: boolean;
  /** Waits some milliseconds before sending each piece. */
  readonly isDripping?: boolean;
  /** Promise to await before sending each piece. */
  readonly beforePiece?: (index: number) => Promise<void>;
}

export type ModelBehaviour = (
  request: ModelRequest,
  index: number,
) => ModelReply | Promise<ModelReply>;

export interface ModelServer {
  readonly url: string;
  readonly requests: ModelRequest[];
  /** Returns the number of connections that the client closed before the end of the response. */
  readonly abandoned: () => number;
  behave: (behaviour: ModelBehaviour) => void;
  readonly stop: () => Promise<void>;
}

async function readRequest(request: IncomingMessage): Promise<ModelRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  return { headers: request.headers, path: request.url ?? "", text, body: JSON.parse(text) };
}

function toLine(delta: unknown, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  const chunk = { id: "answer", object: "chat.completion.chunk", created: 1, model: "m", choices };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function* toolCallLines(calls: readonly ToolCallInput[]): Generator<string> {
  for (const [index, { name, input }] of calls.entries()) {
    const text = JSON.stringify(input);
    const half = Math.ceil(text.length / 2);
    const id = `call-${index}-${name}`;
    const opened = { name, arguments: text.slice(0, half) };
    yield toLine({ tool_calls: [{ index, id, type: "function", function: opened }] });
    yield toLine({ tool_calls: [{ index, function: { arguments: text.slice(half) } }] });
  }
}

async function sendReply(response: ServerResponse, reply: ModelReply): Promise<void> {
  const { pieces = [], toolCalls = [], rawBody } = reply;
  if (rawBody !== undefined) {
    response.writeHead(reply.status ?? 500, {
      "content-type": "application/json",
      ...reply.headers,
    });
    response.end(rawBody);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream", ...reply.headers });
  response.flushHeaders();
  for (const [index, content] of pieces.entries()) {
    if (reply.isDripping === true) await new Promise((resolve) => setTimeout(resolve, 20));
    await reply.beforePiece?.(index);
    if (response.destroyed) return;
    response.write(toLine({ role: "assistant", content }));
  }
  for (const line of toolCallLines(toolCalls)) response.write(line);
  if (reply.isSilent) return;
  if (reply.isBroken) {
    const half = 'data: {"id":"answer","choices":[{"index":0,"delta":{"content":"half a';
    response.write(half, () => response.socket?.destroy());
    return;
  }
  const byDefault = toolCalls.length > 0 ? "tool_calls" : "stop";
  response.write(toLine({}, reply.finishReason ?? byDefault));
  response.end("data: [DONE]\n\n");
}

/** Starts a real server that implements the chat-completions protocol with scripted responses. */
export async function startModelServer(): Promise<ModelServer> {
  let behaviour: ModelBehaviour = () => ({ pieces: ["Nothing was asked of me."] });
  let abandonedCount = 0;
  const requests: ModelRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const request = await readRequest(incoming);
    requests.push(request);
    response.on("close", () => {
      if (!response.writableFinished) abandonedCount += 1;
    });
    await sendReply(response, await behaviour(request, requests.length - 1));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    abandoned: () => abandonedCount,
    behave: (next) => {
      behaviour = next;
      requests.length = 0;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
