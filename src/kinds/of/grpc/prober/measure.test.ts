import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttp2Server, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { makeCertificate } from "../../../../../test/support/certificates/make-certificate.ts";
import { findFreePort } from "../../../../../test/support/servers/free-port.ts";
import { shopProto, startGrpcServer } from "../../../../../test/support/servers/grpc-server.ts";
import { createReach } from "../../../../platform/net/reach.ts";
import { createNameResolver } from "../../../../platform/net/resolve.ts";
import { type GrpcTrouble, isGrpcMeasurement, maxMessageBytes } from "../measurement.ts";
import type { GrpcRequest } from "../request.ts";
import { maxReceivedBytes } from "./call.ts";
import { probeGrpc } from "./measure.ts";

const resolver = createNameResolver();
const tools = { resolver, reach: createReach({ allow: [], deny: ["127.0.0.9"] }) };

function health(port: number, changed: Partial<GrpcRequest> = {}): GrpcRequest {
  return {
    hostname: "127.0.0.1",
    port,
    ipFamily: "IPv4",
    skipSSL: false,
    mode: "HEALTH",
    tls: false,
    metadata: [],
    serviceDefinition: null,
    method: null,
    protoContent: null,
    message: null,
    service: "",
    timeoutMs: 30_000,
    ...changed,
  };
}

function behavior(port: number, changed: Partial<GrpcRequest> = {}): GrpcRequest {
  return health(port, {
    mode: "BEHAVIOR",
    serviceDefinition: "REFLECTION",
    method: "shop.v1.Cart/Get",
    message: '{"id": "7"}',
    service: null,
    ...changed,
  });
}

async function measure(request: GrpcRequest) {
  const outcome = await probeGrpc({ request, clientCertificate: null }, tools);
  assert.ok(outcome.kind === "measured", JSON.stringify(outcome));
  assert.ok(isGrpcMeasurement(outcome.measurement), JSON.stringify(outcome.measurement));
  return outcome.measurement;
}

async function fail(request: GrpcRequest) {
  const outcome = await probeGrpc({ request, clientCertificate: null }, tools);
  assert.ok(outcome.kind === "unreachable", JSON.stringify(outcome));
  return outcome.trouble as GrpcTrouble;
}

test("the health of a server and of a service is queried", async (t) => {
  const port = await startGrpcServer(t, {
    health: { "": "SERVING", "shop.v1.Cart": "NOT_SERVING" },
  });
  const whole = await measure(health(port));
  assert.equal(whole.statusCode, 0);
  assert.equal(whole.healthStatus, 1);
  assert.equal(whole.message, '{"status":"SERVING"}');
  assert.equal(whole.resolvedIp, "127.0.0.1");
  assert.deepEqual([whole.tlsMs, whole.tls, whole.reflectionMs], [null, null, null]);
  const one = await measure(health(port, { service: "shop.v1.Cart" }));
  assert.equal(one.healthStatus, 2);
  const unknown = await measure(health(port, { service: "x".repeat(300) }));
  assert.deepEqual(
    [unknown.statusCode, unknown.statusMessage, unknown.healthStatus],
    [5, "unknown service — none", null],
  );
});

test("a method is called with the types of the server or of a .proto file", async (t) => {
  const port = await startGrpcServer(t, {
    get: ({ id }, metadata) => ({
      id,
      state: "STATE_OPEN",
      lineCounts: { pen: "3" },
      changedAt: { seconds: "1767225600" },
      text: String(metadata.get("authorization")[0]),
    }),
  });
  const metadata = [{ key: "Authorization", value: "Bearer 1" }];
  const reflected = await measure(behavior(port, { metadata }));
  const { reflectionMs } = reflected;
  assert.ok(reflectionMs !== null && reflectionMs > 0);
  const file = { serviceDefinition: "PROTO_FILE", protoContent: shopProto } as const;
  const fromFile = await measure(behavior(port, { metadata, ...file }));
  assert.equal(fromFile.reflectionMs, null);
  for (const { message, statusCode, metadata: received } of [reflected, fromFile]) {
    assert.equal(statusCode, 0);
    assert.deepEqual(JSON.parse(message), {
      id: "7",
      state: "STATE_OPEN",
      lineCounts: { pen: "3" },
      changedAt: "2026-01-01T00:00:00Z",
      isPaid: false,
      text: "Bearer 1",
      related: [],
    });
    assert.deepEqual(received, [["x-took", "1"]]);
  }
});

test("a status other than OK is a measurement with its text", async (t) => {
  const port = await startGrpcServer(t, { get: () => ({ code: 7, details: "no — 100 %" }) });
  const { statusCode, statusMessage, message } = await measure(behavior(port));
  assert.deepEqual([statusCode, statusMessage, message], [7, "no — 100 %", ""]);
});

test("a connection with TLS verifies the certificate unless told otherwise", async (t) => {
  const root = makeCertificate({ name: "Test Root", isAuthority: true });
  const leaf = makeCertificate({ names: ["localhost"], issuer: root });
  const tls = { certificate: leaf.cert, key: leaf.key };
  const port = await startGrpcServer(t, { tls, health: { "": "SERVING" } });
  const request = health(port, { tls: true, hostname: "localhost" });
  const { kind, message } = await fail(request);
  assert.equal(kind, "certificate-rejected");
  assert.match(message, /intermediate certificate|unknown to this machine/);
  const measured = await measure({ ...request, skipSSL: true });
  assert.ok(measured.tlsMs !== null && measured.tls !== null);
  assert.equal(measured.tls.fitsName, true);
  assert.equal((await fail({ ...request, tls: false })).kind, "closed");
  const plainPort = await startGrpcServer(t, {});
  assert.equal((await fail(health(plainPort, { tls: true }))).kind, "tls-failed");
});

test("a method that cannot be called is reported with its cause", async (t) => {
  const port = await startGrpcServer(t, {});
  const messageOf = async (changed: Partial<GrpcRequest>) => {
    const trouble = await fail(behavior(port, changed));
    assert.equal(trouble.kind, "method-unknown");
    return trouble.message;
  };
  assert.match(await messageOf({ method: "shop.v1.Nothing/Get" }), /shop\.v1\.Nothing/);
  assert.match(await messageOf({ method: "shop.v1.Cart/Put" }), /has no method Put/);
  assert.match(await messageOf({ method: "shop.v1.Cart/Watch" }), /is a stream/);
  assert.match(await messageOf({ message: '{"nothing": 1}' }), /not a shop\.v1\.GetRequest/);
  const without = await startGrpcServer(t, { hasReflection: false });
  const trouble = await fail(behavior(without));
  assert.equal(trouble.kind, "method-unknown");
  assert.match(trouble.message, /offers no reflection; use a \.proto file/);
});

test("a response longer than is kept is cut at a character", async (t) => {
  const port = await startGrpcServer(t, { get: () => ({ text: "é".repeat(maxMessageBytes) }) });
  const { message, isCut, receivedBytes } = await measure(behavior(port));
  assert.equal(isCut, true);
  assert.ok(Buffer.byteLength(message) <= maxMessageBytes);
  assert.ok(message.endsWith("é"));
  assert.ok(receivedBytes > 2 * maxMessageBytes);
});

test("a response message beyond the limit is not read", async (t) => {
  const port = await startGrpcServer(t, { get: () => ({ text: "x".repeat(maxReceivedBytes) }) });
  const { kind, code } = await fail(behavior(port));
  assert.deepEqual([kind, code], ["broken-answer", "EMSGSIZE"]);
});

test("unreachable, refused and denied targets are named", async () => {
  const port = await findFreePort();
  assert.equal((await fail(health(port))).kind, "refused");
  assert.equal((await fail(health(port, { hostname: "127.0.0.9" }))).kind, "denied");
  const late = await fail(health(port, { hostname: "nothing.invalid" }));
  assert.equal(late.kind, "unresolved");
});

/** Serves plain HTTP/2 without the gRPC protocol. */
async function serveHttp2(t: TestContext, talk: (stream: ServerHttp2Stream) => void) {
  const server = createHttp2Server().on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => {});
    talk(stream);
  });
  server.on("session", (session) => t.after(() => session.destroy()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

test("a server that does not speak gRPC is recognised", async (t) => {
  const http = createHttpServer((_request, response) => response.end("hello"));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  t.after(() => http.close());
  const first = await fail(health((http.address() as AddressInfo).port));
  assert.equal(first.kind, "not-grpc");
  assert.match(first.message, /does not speak HTTP\/2/);

  const missing = await serveHttp2(t, (stream) =>
    stream.respond({ ":status": 404 }, { endStream: true }),
  );
  assert.match((await fail(health(missing))).message, /HTTP status 404/);
  const page = await serveHttp2(t, (stream) => {
    stream.respond({ ":status": 200, "content-type": "text/html" });
    stream.end("<p>hello");
  });
  assert.match((await fail(health(page))).message, /text\/html/);
});

test("hostile servers end the run with a cause", async (t) => {
  const grpcType = { ":status": 200, "content-type": "application/grpc" };
  const silent = await serveHttp2(t, () => {});
  const late = await fail(health(silent, { timeoutMs: 1_000 }));
  assert.deepEqual(
    [late.kind, late.message],
    ["timed-out", "The call did not end within 1000 ms."],
  );

  const reset = await serveHttp2(t, (stream) => stream.close(2));
  assert.equal((await fail(health(reset))).kind, "broken-answer");

  const closing = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
  await once(closing, "listening");
  t.after(() => closing.close());
  assert.equal((await fail(health((closing.address() as AddressInfo).port))).kind, "closed");

  const answers: readonly (readonly [Buffer, string])[] = [
    [Buffer.from([1, 0, 0, 0, 0]), "a compressed message"],
    [Buffer.from([0, 0, 0, 0, 9, 1]), "a message that is shorter than announced"],
    [Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), "two messages"],
    [Buffer.from([0, 0, 0, 0, 2, 0xff, 0xff]), "another message"],
  ];
  for (const [bytes, words] of answers) {
    const port = await serveHttp2(t, (stream) => {
      stream.respond(grpcType, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      stream.end(bytes);
    });
    assert.equal((await fail(health(port))).kind, "broken-answer", words);
  }

  const endless = await serveHttp2(t, (stream) => {
    stream.respond(grpcType);
    const chunk = Buffer.alloc(65_536);
    const pump = () => {
      while (!stream.destroyed && stream.write(chunk));
    };
    stream.on("drain", pump);
    pump();
  });
  assert.equal((await fail(health(endless))).code, "EMSGSIZE");
});
