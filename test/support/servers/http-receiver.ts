import http from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  /** Request body as received. */
  readonly bytes: Buffer;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

type Respond = (
  request: ReceivedRequest,
  response: http.ServerResponse,
) => Answer | undefined | Promise<Answer | undefined>;

export interface HttpReceiver {
  readonly url: string;
  readonly port: number;
  /** All received requests, oldest first. */
  readonly requests: ReceivedRequest[];
  /**
   * Produces the responses to the next requests. Returns `undefined` if the function has sent the
   * response itself.
   */
  respond: Respond;
}

async function readBytes(request: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/**
 * Starts a real server on a loopback address that records its requests. It stops at the end of the
 * test.
 */
export async function startHttpReceiver(
  t: Pick<TestContext, "after">,
  respond: Respond = () => ({}),
  where: { readonly host?: string; readonly port?: number } = {},
): Promise<HttpReceiver> {
  const requests: ReceivedRequest[] = [];
  const server = http.createServer(async (incoming, response) => {
    const { method = "", url: path = "", headers } = incoming;
    const bytes = await readBytes(incoming);
    const received = { method, path, headers, body: bytes.toString("utf8"), bytes };
    requests.push(received);
    const answer = await receiver.respond(received, response);
    if (answer === undefined) return;
    response.writeHead(answer.status ?? 200, { ...answer.headers });
    response.end(answer.body ?? "ok");
  });
  const host = where.host ?? "127.0.0.1";
  await new Promise<void>((resolve) => server.listen(where.port ?? 0, host, resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const receiver: HttpReceiver = { url: `http://${host}:${port}`, port, requests, respond };
  return receiver;
}
