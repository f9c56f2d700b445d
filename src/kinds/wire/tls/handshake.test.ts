/** Servers that do not complete the handshake: each yields a result with a clear reason. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect as connectPlain, createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import {
  createSecureContext,
  createServer as createTlsServer,
  DEFAULT_CIPHERS,
  type TlsOptions,
} from "node:tls";
import { makeCertificate } from "../../../../test/support/certificates/make-certificate.ts";
import { explainHandshake, performHandshake } from "./handshake.ts";

const root = makeCertificate({ name: "Test Root", isAuthority: true });
const leaf = makeCertificate({ names: ["shop.example"], issuer: root });
const ciphers = `${DEFAULT_CIPHERS}:@SECLEVEL=0`;
const secureContext = createSecureContext({ ca: root.cert, ciphers, minVersion: "TLSv1" });

async function listen(t: TestContext, answer: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    t.after(() => socket.destroy());
    answer(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function listenWithTls(t: TestContext, options: TlsOptions = {}): Promise<number> {
  const server = createTlsServer({ cert: leaf.cert, key: leaf.key, ...options });
  server.on("secureConnection", (socket) => socket.on("error", () => {}));
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

function shake(port: number, timeoutMs = 30_000) {
  const order = { address: "127.0.0.1", port, name: "shop.example", timeoutMs, secureContext };
  return performHandshake(order, Date.now);
}

async function troubleOf(port: number, timeoutMs?: number): Promise<string> {
  const result = await shake(port, timeoutMs);
  assert.ok(result.kind === "failed", JSON.stringify(result));
  assert.notEqual(result.connectMs, null, "the connection itself was made");
  const { kind, message } = explainHandshake(result.code, 1_000);
  assert.notEqual(message, "");
  return kind;
}

test("a handshake is timed and returns the certificate", async (t) => {
  const result = await shake(await listenWithTls(t));
  assert.ok(result.kind === "made");
  assert.ok(result.connectMs > 0 && result.handshakeMs > 0);
  assert.equal(result.tls?.trustError, null);
  assert.equal(result.tls.fitsName, true);
});

test("a server that speaks another protocol is reported as such", async (t) => {
  const http = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
  const answers = [http, "220 mail.example ESMTP\r\n", "\0".repeat(200), "x".repeat(100_000)];
  for (const answer of answers) {
    const port = await listen(t, (socket) => socket.write(answer));
    assert.equal(await troubleOf(port), "not-tls", JSON.stringify(answer.slice(0, 20)));
  }
});

test("a server that hangs or closes in any flight fails with a reason within the deadline", async (t) => {
  const inner = await listenWithTls(t);
  const stages = [0, 1, 60, 400, 700];
  for (const bytes of stages) {
    for (const end of ["stall", "close", "reset"] as const) {
      const port = await listen(t, (socket) => passOn(t, socket, { port: inner, bytes, end }));
      const kind = await troubleOf(port, end === "stall" ? 400 : 30_000);
      const wanted = end === "stall" ? "handshake-timed-out" : "handshake-closed";
      assert.equal(kind, wanted, `${end} after ${bytes} bytes`);
    }
  }
});

/** Passes on the given number of bytes of a real server, then ends. */
function passOn(
  t: TestContext,
  socket: Socket,
  to: { readonly port: number; readonly bytes: number; readonly end: "stall" | "close" | "reset" },
): void {
  const behind = connectPlain(to.port, "127.0.0.1");
  t.after(() => behind.destroy());
  behind.on("error", () => {});
  let left = to.bytes;
  const finish = () => {
    if (to.end === "close") socket.end();
    else if (to.end === "reset") socket.resetAndDestroy();
  };
  if (to.bytes === 0) socket.once("data", finish);
  else socket.pipe(behind);
  behind.on("data", (bytes: Buffer) => {
    if (left <= 0) return;
    const part = bytes.subarray(0, left);
    left -= part.length;
    socket.write(part, () => {
      if (left <= 0) finish();
    });
  });
}

test("garbage in records and floods of alerts end the handshake at once", async (t) => {
  const record = (type: number, body: Buffer) =>
    Buffer.concat([Buffer.from([type, 3, 3, body.length >> 8, body.length & 255]), body]);
  const warning = record(21, Buffer.from([1, 90]));
  const floods = {
    "a broken hello": record(22, Buffer.concat([Buffer.from([2, 0, 0, 80]), Buffer.alloc(80, 7)])),
    "an empty hello": record(22, Buffer.from([2, 0, 0, 0])),
    "an endless message": record(
      22,
      Buffer.concat([Buffer.from([2, 255, 255, 255]), Buffer.alloc(900)]),
    ),
    "a flood of warnings": Buffer.concat(Array.from({ length: 2_000 }, () => warning)),
    "application data": record(23, Buffer.alloc(100)),
  };
  for (const [what, bytes] of Object.entries(floods)) {
    const port = await listen(t, (socket) => socket.once("data", () => socket.write(bytes)));
    const kind = await troubleOf(port);
    assert.ok(
      ["handshake-failed", "not-tls", "handshake-refused"].includes(kind),
      `${what}: ${kind}`,
    );
  }
});

test("a server that rejects the handshake is reported with its reason", async (t) => {
  const noName = await listenWithTls(t, {
    SNICallback: (_name, reply) => reply(new Error("no such name")),
  });
  assert.match(await troubleOf(noName), /handshake-(?:refused|closed)/);
  const alert = Buffer.from([21, 3, 3, 0, 2, 2, 40]);
  const port = await listen(t, (socket) => socket.once("data", () => socket.end(alert)));
  assert.equal(await troubleOf(port), "handshake-refused");
  const version = Buffer.from([21, 3, 3, 0, 2, 2, 70]);
  const old = await listen(t, (socket) => socket.once("data", () => socket.end(version)));
  const result = await shake(old);
  assert.ok(result.kind === "failed");
  assert.match(explainHandshake(result.code, 1_000).message, /supports no TLS version/);
});

test("an oversized chain is rejected without reading it", async (t) => {
  const long = Array.from({ length: 500 }, (_, place) => `${"x".repeat(200)}.${place}.example`);
  const huge = makeCertificate({ names: [...long, "shop.example"], issuer: root });
  const port = await listenWithTls(t, { cert: huge.cert, key: huge.key });
  assert.equal(await troubleOf(port), "handshake-failed");
});

test("old protocols and weak keys are accepted, so that they can be judged", async (t) => {
  const options = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers } as const;
  const result = await shake(await listenWithTls(t, options));
  assert.ok(result.kind === "made");
  assert.equal(result.tls?.protocol, "TLSv1.1");
});

test("a closed port fails without a connection", async () => {
  const result = await shake(1);
  assert.deepEqual(result, { kind: "failed", code: "ECONNREFUSED", connectMs: null });
});
