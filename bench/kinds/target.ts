/**
 * The probed servers for HTTP, HTTPS, TCP and DNS, in a separate process. On request, it delays the
 * phases of a request by exactly `delayMs`.
 */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import { setPriority } from "node:os";
import tls from "node:tls";
import { makeCertificate } from "../../test/support/certificates/make-certificate.ts";
import { delayMs, type Ports } from "./ports.ts";

// Raises the priority, because inexact delays beside a busy main thread would count as our error.
try {
  setPriority(-15);
} catch {
  process.stderr.write("Without the right to raise its priority the server is less exact.\n");
}

/** Busy-waits at the end, because a timer is late by up to a millisecond. */
function delay(then: () => void): void {
  const endMs = performance.now() + delayMs;
  setTimeout(() => {
    while (performance.now() < endMs) {}
    then();
  }, delayMs - 3);
}

const page = "A page as long as many health checks are.\n".repeat(12);

function answer(request: http.IncomingMessage, reply: http.ServerResponse): void {
  const isSlow = request.url === "/slow";
  const length = Buffer.byteLength(page);
  const head = { "content-type": "text/plain", "content-length": length };
  if (!isSlow) {
    reply.writeHead(200, head).end(page);
    return;
  }
  delay(() => {
    reply.writeHead(200, head).write(page.slice(0, 10));
    delay(() => reply.end(page.slice(10)));
  });
}

async function portOf(server: net.Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Answers every query with one address. A DNS response repeats the query. */
function answerName(query: Buffer): Buffer {
  const questionEnd = query.indexOf(0, 12) + 5;
  const record = Buffer.from("c00c0001000100000000000" + "47f000001", "hex");
  const reply = Buffer.concat([query.subarray(0, questionEnd), record]);
  reply.writeUInt16BE(0x8180, 2);
  reply.writeUInt16BE(1, 6);
  reply.writeUInt16BE(0, 8);
  reply.writeUInt16BE(0, 10);
  return reply;
}

async function startDns(): Promise<number> {
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const send = () => socket.send(answerName(query), from.port, from.address);
    // A name whose first label starts with "slow" is answered with a delay.
    if (query.subarray(13, 17).toString("latin1") === "slow") delay(send);
    else send();
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return socket.address().port;
}

const { cert, key } = makeCertificate({ names: ["localhost", "*.bench.example", "127.0.0.1"] });
const context = tls.createSecureContext({ cert, key });
const SNICallback = (name: string, done: (error: null, context: tls.SecureContext) => void) => {
  if (name.startsWith("slow")) delay(() => done(null, context));
  else done(null, context);
};

const ports: Ports = {
  http: await portOf(http.createServer(answer)),
  https: await portOf(https.createServer({ cert, key, SNICallback }, answer)),
  tcp: await portOf(net.createServer((socket) => socket.on("error", () => {}).resume())),
  dns: await startDns(),
};
process.send?.(ports);
