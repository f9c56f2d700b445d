/** A scripted probe, which sends exactly the frames that the test specifies. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { TestContext } from "node:test";
import { WebSocket } from "ws";
import type { FromServer, Hello } from "../../../src/contract/link.ts";
import type { SignedOrder } from "../../../src/contract/order.ts";
import { findLinkUrl } from "../../../src/probe/server-link.ts";
import { waitUntil } from "../time/wait-until.ts";

export function makeHello(more: Partial<Hello> = {}): Hello {
  return {
    version: 1,
    name: "client",
    instanceId: randomUUID(),
    programVersion: "0.1.0",
    startedAtMs: 1,
    ipv4Sources: ["192.0.2.7"],
    ipv6Sources: [],
    isSuspect: false,
    limitations: [],
    spoolDepth: 0,
    droppedResults: 0,
    maxOpen: 100,
    clockSkewMs: null,
    sentAtMs: 5,
    ...more,
  };
}

export class ProbeClient {
  readonly socket: WebSocket;
  readonly heard: FromServer[] = [];
  /** Close code that the server sent; `null` while the connection is open. */
  closed: number | null = null;

  constructor(url: string, token: string) {
    const headers = { authorization: `Bearer ${token}` };
    this.socket = new WebSocket(findLinkUrl(url), { headers });
    this.socket.on("message", (data) => this.heard.push(JSON.parse(String(data))));
    this.socket.on("error", () => {});
    this.socket.on("close", (code) => {
      this.closed = code;
    });
  }

  send(frame: unknown): void {
    this.socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  find<Type extends FromServer["type"]>(type: Type): Extract<FromServer, { type: Type }>[] {
    return this.heard.filter((one) => one.type === type) as Extract<FromServer, { type: Type }>[];
  }

  get orders(): SignedOrder[] {
    return this.find("orders").flatMap(({ orders }) => orders as SignedOrder[]);
  }

  async waitFor(type: FromServer["type"], count = 1): Promise<void> {
    await waitUntil(`the server sends ${type}`, () => this.find(type).length >= count);
  }
}

/** Connects as a probe, sends a hello, and waits for the server's welcome. */
export async function connectClient(
  t: TestContext,
  { url, token, hello = {} }: { url: string; token: string; hello?: Partial<Hello> },
): Promise<ProbeClient> {
  const client = new ProbeClient(url, token);
  t.after(() => client.socket.terminate());
  await once(client.socket, "open");
  client.send({ type: "hello", hello: makeHello(hello) });
  await client.waitFor("welcome");
  return client;
}

/** Returns the HTTP status with which the server rejects a connection. */
export async function findRejection(url: string, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(findLinkUrl(url), { headers });
  socket.on("error", () => {});
  const [request, response] = await once(socket, "unexpected-response");
  request.destroy();
  return response.statusCode;
}
