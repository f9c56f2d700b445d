/** HTTP behaviour common to all routes, tested over a real socket. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp();
});
after(() => app.stop());

/** Sends raw bytes and returns everything received until the other side closes. */
function talk(bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(app.url);
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
    });
    socket.on("close", () => resolve(received));
    socket.on("error", (error) => (received === "" ? reject(error) : resolve(received)));
  });
}

test("every response has a unique request id, which is in the log too", async () => {
  const first = await app.call("GET", "/v1/runtimes/none");
  const second = await app.call("GET", "/nowhere");
  const ids = [first, second].map((answer) => answer.headers.get("x-request-id") ?? "");
  assert.notEqual(ids[0], ids[1]);
  for (const id of ids) assert.ok(app.logText().includes(id), id);
});

test("a request id sent by the caller is ignored", async () => {
  const headers = { "x-request-id": "mine", "request-id": "mine" };
  const answer = await app.call("GET", "/healthz", { headers });
  assert.notEqual(answer.headers.get("x-request-id"), "mine");
});

test("an unknown path is 404 and a wrong method on a known path 405 with Allow", async () => {
  const unknown = await app.call("GET", "/v1/nothing-here");
  assert.deepEqual(unknown.body, { statusCode: 404, error: "Not Found", message: "Not Found" });
  const wrong = await app.call("DELETE", "/v1/runtimes/2025.04?x=1");
  assert.equal(wrong.status, 405);
  assert.equal(wrong.headers.get("allow"), "GET, HEAD");
  assert.deepEqual(wrong.body, {
    statusCode: 405,
    error: "Method Not Allowed",
    message: "Method Not Allowed",
    hint: "This path accepts GET, HEAD.",
  });
  assert.equal((await app.call("OPTIONS", "/v1/api-keys")).status, 405);
  assert.equal((await app.call("POST", "/v1/static-ipv6sXtxt")).status, 404);
});

test("common mistakes receive a hint", async () => {
  const hintOf = async (...call: Parameters<typeof app.call>) =>
    (await app.call(...call)).body.hint;
  assert.equal(
    await hintOf("GET", "/v1/static-ipv6s/"),
    "This path has no trailing slash: /v1/static-ipv6s",
  );
  assert.equal(await hintOf("GET", "/V1/Checks?limit=5"), "This path is in lower case: /v1/checks");
  assert.equal(await hintOf("GET", "/checks-statuses"), undefined);
  assert.equal(await hintOf("GET", "/check-statuses"), "Did you mean /v1/check-statuses?");
  assert.match(await hintOf("GET", "/v1/checks", { key: null }), /^Send an API key in the header/);
  assert.match(
    await hintOf("GET", "/v1/checks", { key: null, headers: { authorization: "Token abc" } }),
    /^The Authorization header must be Bearer/,
  );
  const form = { "content-type": "application/x-www-form-urlencoded" };
  assert.match(
    await hintOf("POST", "/v1/api-keys", { rawBody: "name=x", headers: form }),
    /^Send the body as JSON/,
  );
});

test("a body over 1 MiB is 413, with and without Content-Length", async () => {
  const rawBody = JSON.stringify({ name: "x".repeat(1024 * 1024) });
  const response = await app.call("POST", "/v1/api-keys", { rawBody });
  assert.equal(response.status, 413);
  assert.equal(response.body.error, "Payload Too Large");
  const stream = new ReadableStream({
    start(controller) {
      for (let part = 0; part < 40; part += 1) controller.enqueue(Buffer.alloc(65_536, 0x20));
      controller.close();
    },
  });
  const chunked = await fetch(`${app.url}/v1/api-keys`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${app.owner.apiKey}`,
      "content-type": "application/json",
    },
    body: stream,
    duplex: "half",
  } as RequestInit);
  assert.equal(chunked.status, 413);
});

test("a body over 64 KiB is 413 where no key is needed, before it is parsed", async () => {
  for (const [length, status] of [
    [60_000, 400],
    [66_000, 413],
  ] as const) {
    const rawBody = "[".repeat(length);
    const response = await app.call("POST", "/v1/sessions", { key: null, rawBody });
    assert.equal(response.status, status);
  }
});

test("a body that is not JSON is 415", async () => {
  for (const type of ["text/plain", "application/xml", "multipart/form-data; boundary=x", "json"]) {
    const answer = await app.call("POST", "/v1/api-keys", {
      rawBody: "{}",
      headers: { "content-type": type },
    });
    assert.equal(answer.status, 415, type);
    assert.equal(answer.body.error, "Unsupported Media Type");
  }
  const packed = await app.call("POST", "/v1/api-keys", {
    rawBody: "{}",
    headers: { "content-encoding": "gzip" },
  });
  assert.equal(packed.status, 415);
});

test("a body that is missing or broken is 400", async () => {
  const bodies = ["", "{", "[1,]", "nul", '{"name":}', "\u0000", "'name'"];
  for (const rawBody of bodies) {
    const answer = await app.call("POST", "/v1/api-keys", { rawBody });
    assert.equal(answer.status, 400, JSON.stringify(rawBody));
    assert.equal(answer.body.validation.source, "body");
  }
  for (const rawBody of ["null", "[]", "5", '"name"', "true"]) {
    const answer = await app.call("POST", "/v1/api-keys", { rawBody });
    assert.equal(answer.status, 400, rawBody);
    assert.deepEqual(answer.body.validation, { source: "body", keys: ["body"] });
  }
});

test("all offending fields are listed, and the message names the first", async () => {
  const body = { name: 7, role: "KING", type: null, expiresAt: 12 };
  const answer = await app.call("POST", "/v1/api-keys", { body });
  assert.equal(answer.status, 400);
  assert.deepEqual([...answer.body.validation.keys].sort(), ["expiresAt", "name", "role", "type"]);
  assert.ok(answer.body.message.startsWith(answer.body.validation.keys[0]));
});

test("a content type without a body is treated as no body for any method, path and key", async () => {
  const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
  const paths = ["/v1/checks/none", "/v1/checks", "/nowhere", "/ping/none"];
  const keys = ["", `Authorization: Bearer ${app.owner.apiKey}\r\n`];
  const lengths = ["", "Content-Length: 0\r\n"];
  for (const method of methods) {
    for (const path of paths) {
      for (const rest of keys.flatMap((one) => lengths.map((length) => one + length))) {
        const head = `Host: x\r\nConnection: close\r\nContent-Type: application/json\r\n${rest}`;
        const answer = await talk(`${method} ${path} HTTP/1.1\r\n${head}\r\n`);
        assert.match(answer, /^HTTP\/1\.1 (200|400|401|404|405) /, `${method} ${path} ${rest}`);
      }
    }
  }
});

test("a check is deleted by a request with a content type and no body", async () => {
  const body = { name: "gone soon", request: { hostname: "192.0.2.1" } };
  const made = await app.call("POST", "/v1/checks/icmp", { body });
  const head = `Host: x\r\nConnection: close\r\nAuthorization: Bearer ${app.owner.apiKey}\r\n`;
  const path = `/v1/checks/${made.body.id}`;
  const type = "Content-Type: application/json\r\n";
  assert.match(await talk(`DELETE ${path} HTTP/1.1\r\n${head}${type}\r\n`), /^HTTP\/1\.1 204 /);
  assert.equal((await app.call("GET", path)).status, 404);
});

test("invalid HTTP receives 400 and the connection is closed", async () => {
  const garbage = await talk("GET / HTTP/9.9\r\nnonsense\r\n\r\n");
  assert.match(garbage, /^HTTP\/1\.1 400 Bad Request/);
  assert.ok(garbage.includes('{"statusCode":400,"error":"Bad Request","message":"Bad Request"}'));
  const smuggled = await talk(
    "POST /v1/api-keys HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  );
  assert.match(smuggled, /^HTTP\/1\.1 400 /);
  assert.match(await talk("PWN / HTTP/1.1\r\nHost: x\r\n\r\n"), /^HTTP\/1\.1 400 /);
});

test("headers over 16 KiB are 431", async () => {
  const answer = await talk(`GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(20_000)}\r\n\r\n`);
  assert.match(answer, /^HTTP\/1\.1 431 Request Header Fields Too Large/);
});

test("a path part that is too long or badly encoded is rejected", async () => {
  assert.equal((await app.call("GET", `/v1/runtimes/${"x".repeat(600)}`)).status, 414);
  assert.equal((await app.call("GET", "/v1/runtimes/%E0%A4%A")).status, 400);
  assert.equal((await app.call("GET", "/v1/runtimes/a%00b")).status, 400);
  assert.equal((await app.call("GET", "/v1/audit-log?action=%00")).status, 400);
});

test("slow clients have timeouts for headers, requests and inactivity, and a connection limit", () => {
  const { server } = app.app.server;
  assert.equal(server.headersTimeout, 10_000);
  // Node.js checks every two seconds, so the slowest request is disconnected after 30.
  assert.equal(server.requestTimeout, 28_000);
  assert.equal(server.maxConnections, 4_096);
});

test("health, readiness and metrics need no key", async () => {
  assert.deepEqual((await app.call("GET", "/healthz", { key: null })).body, { status: "alive" });
  assert.deepEqual((await app.call("GET", "/readyz", { key: null })).body, { status: "ready" });
  await app.call("GET", "/v1/runtimes");
  const metrics = await app.call("GET", "/metrics", { key: null });
  assert.match(metrics.headers.get("content-type") ?? "", /^text\/plain/);
  assert.match(
    metrics.text,
    /vedette_http_request_duration_seconds_count\{method="GET",route="\/v1\/runtimes",status="200"\} \d+/,
  );
  assert.equal(metrics.text.includes(app.owner.accountId), false);
});
