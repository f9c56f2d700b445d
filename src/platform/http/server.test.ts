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
  const patience = {
    headersMs: 500,
    requestMs: 1_000,
    silenceMs: 1_000,
    idleMs: 60_000,
    checkEveryMs: 50,
  };
  const { log } = captureLog();
  server = createHttpServer({ log, metrics: createMetrics(), trustedProxies: [], patience });
  server.post("/", async () => ({ status: "received" }));
  server.get("/large", async (_request, reply) => reply.send(Buffer.alloc(64 * 1024 * 1024)));
  await server.listen({ port: 0, host: "127.0.0.1" });
  port = (server.server.address() as AddressInfo).port;
});
after(() => server.close());

/** Everything heard until the server hangs up. */
async function hear(socket: Socket): Promise<string> {
  let heard = "";
  socket.on("data", (chunk) => {
    heard += chunk.toString("latin1");
  });
  // What drips on while the server hangs up is an error after the answer.
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("close", resolve));
  return heard;
}

test("a client that never finishes its headers is answered 408 and cut off", async () => {
  const socket = connect(port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n");
  const drip = setInterval(() => socket.write("X-Slow: 1\r\n"), 40);
  const heard = await hear(socket);
  clearInterval(drip);
  assert.match(heard, /^HTTP\/1\.1 408 Request Timeout/);
  assert.ok(heard.includes('"error":"Request Timeout"'));
});

test("a client that never finishes its body is answered 408 and cut off", async () => {
  const socket = connect(port, "127.0.0.1");
  const headers = "Host: x\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n";
  socket.write(`POST / HTTP/1.1\r\n${headers}\r\n`);
  const drip = setInterval(() => socket.write(" "), 40);
  const heard = await hear(socket);
  clearInterval(drip);
  assert.match(heard, /^HTTP\/1\.1 408 Request Timeout/);
});

test("a client that sends on and reads nothing after its 408 is cut off too", async () => {
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

test("a request knows who sent it after its connection is gone, behind a proxy too", async (t) => {
  for (const trustedProxies of [[], ["127.0.0.0/8"]]) {
    const { log } = captureLog();
    const own = createHttpServer({ log, metrics: createMetrics(), trustedProxies });
    t.after(() => own.close());
    const seen = new Promise<readonly string[]>((resolve) => {
      own.get("/", async (request) => {
        request.raw.socket.destroy();
        await once(request.raw.socket, "close");
        // As Node.js does when a body was not read to its end.
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

test("a client that does not read its answer is cut off, and the server goes on", async () => {
  const socket = connect(port, "127.0.0.1");
  socket.pause();
  socket.write("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  // A paused socket notices the hang-up only once it reads again.
  const [serverSide] = (await once(server.server, "request")) as [{ socket: Socket }];
  await once(serverSide.socket, "close");
  socket.destroy();
  const answer = await fetch(`http://127.0.0.1:${port}/nowhere`);
  assert.equal(answer.status, 404);
});
