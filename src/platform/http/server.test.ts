import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { captureLog } from "../../../test/support/apps/log.ts";
import { createMetrics } from "../metrics.ts";
import { createHttpServer, type HttpServer } from "./server.ts";

let server: HttpServer;
let port: number;
before(async () => {
  const timeouts = {
    headersMs: 500,
    requestMs: 1_000,
    silenceMs: 1_000,
    idleMs: 60_000,
    checkEveryMs: 50,
  };
  const { log } = captureLog();
  server = createHttpServer({ log, metrics: createMetrics(), trustedProxies: [], timeouts });
  server.post("/", async () => ({ status: "received" }));
  server.get("/large", async (_request, reply) => reply.send(Buffer.alloc(64 * 1024 * 1024)));
  await server.listen({ port: 0, host: "127.0.0.1" });
  port = (server.server.address() as AddressInfo).port;
});
after(() => server.close());

/** Reads everything until the server closes the connection. */
async function readAll(socket: Socket): Promise<string> {
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
  });
  // Data sent after the server has closed causes an error after the response.
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("close", resolve));
  return received;
}

test("a client that never completes its headers receives 408 and is disconnected", async () => {
  const socket = connect(port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n");
  const drip = setInterval(() => socket.write("X-Slow: 1\r\n"), 40);
  const received = await readAll(socket);
  clearInterval(drip);
  assert.match(received, /^HTTP\/1\.1 408 Request Timeout/);
  assert.ok(received.includes('"error":"Request Timeout"'));
});

test("a client that sends nothing is disconnected without a response to a request it might send", async () => {
  const socket = connect(port, "127.0.0.1");
  assert.equal(await readAll(socket), "");
});

test("a client that never completes its body receives 408 and is disconnected", async () => {
  const socket = connect(port, "127.0.0.1");
  const headers = "Host: x\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n";
  socket.write(`POST / HTTP/1.1\r\n${headers}\r\n`);
  const drip = setInterval(() => socket.write(" "), 40);
  const received = await readAll(socket);
  clearInterval(drip);
  assert.match(received, /^HTTP\/1\.1 408 Request Timeout/);
});

test("a client that keeps sending and does not read its 408 is disconnected too", async () => {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => {});
  const headers = "Host: x\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n";
  socket.write(`POST / HTTP/1.1\r\n${headers}\r\n`);
  const [serverSide] = (await once(server.server, "request")) as [{ socket: Socket }];
  const drip = setInterval(() => socket.write(" "), 40);
  await once(serverSide.socket, "close");
  clearInterval(drip);
  socket.destroy();
});

test("a request has its client's address after the connection has closed, also behind a proxy", async (t) => {
  for (const trustedProxies of [[], ["127.0.0.0/8"]]) {
    const { log } = captureLog();
    const own = createHttpServer({ log, metrics: createMetrics(), trustedProxies });
    t.after(() => own.close());
    const seen = new Promise<readonly string[]>((resolve) => {
      own.get("/", async (request) => {
        request.raw.socket.destroy();
        await once(request.raw.socket, "close");
        // Node.js does this if a body was not read to its end.
        Object.defineProperty(request.raw, "socket", { value: null });
        resolve([request.ip, request.host]);
      });
    });
    await own.listen({ port: 0, host: "127.0.0.1" });
    const socket = connect((own.server.address() as AddressInfo).port, "127.0.0.1");
    socket.on("error", () => {});
    const forwarded = "X-Forwarded-For: 192.0.2.7\r\nX-Forwarded-Host: status.example.com\r\n";
    socket.write(`GET / HTTP/1.1\r\nHost: own\r\n${forwarded}\r\n`);
    const isTrusted = trustedProxies.length > 0;
    const expected = isTrusted ? ["192.0.2.7", "status.example.com"] : ["127.0.0.1", "own"];
    assert.deepEqual(await seen, expected);
  }
});

test("a client that does not read its response is disconnected, and the server continues", async () => {
  const socket = connect(port, "127.0.0.1");
  socket.pause();
  socket.write("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  // A paused socket notices the close only once it reads again.
  const [serverSide] = (await once(server.server, "request")) as [{ socket: Socket }];
  await once(serverSide.socket, "close");
  socket.destroy();
  const answer = await fetch(`http://127.0.0.1:${port}/nowhere`);
  assert.equal(answer.status, 404);
});
