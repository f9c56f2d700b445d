import assert from "node:assert/strict";
import net, { type AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { findFreePort } from "../../test/support/servers/free-port.ts";
import { startHttpReceiver } from "../../test/support/servers/http-receiver.ts";
import {
  createOutbound,
  findReachable,
  type OutboundOptions,
  type OutboundRequest,
  type OutboundResult,
} from "./outbound.ts";

const open = createOutbound({ allowPrivate: true });
const closed = createOutbound({ allowPrivate: false });
const secret = "s3cret-canary";

async function startSocketServer(
  t: TestContext,
  serve: (socket: net.Socket) => void,
): Promise<number> {
  const server = net.createServer((socket) => {
    socket.on("error", () => {});
    t.after(() => socket.destroy());
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

function get(url: string, more: Partial<OutboundRequest> = {}): OutboundRequest {
  return { method: "GET", url, ...more };
}

function outline(result: OutboundResult) {
  return result.kind === "answered" ? result.status : `${result.kind}: ${result.reason}`;
}

test("sends a request unchanged and returns its response", async (t) => {
  const receiver = await startHttpReceiver(t, () => ({
    status: 429,
    headers: { "Retry-After": "7", "X-Other": "y" },
    body: "später",
  }));
  const result = await open.request({
    method: "PUT",
    url: `${receiver.url}/a/b?c=d#e`,
    headers: { "X-Mine": "1", Authorization: "Bearer x" },
    body: "grüße",
  });
  assert.ok(result.kind === "answered");
  assert.equal(result.status, 429);
  assert.equal(result.headers["retry-after"], "7");
  assert.equal(result.headers["x-other"], "y");
  assert.equal(result.bodyText, "später");
  const [request] = receiver.requests;
  assert.equal(request?.method, "PUT");
  assert.equal(request?.path, "/a/b?c=d");
  assert.equal(request?.body, "grüße");
  assert.equal(request?.headers["x-mine"], "1");
  assert.equal(request?.headers.authorization, "Bearer x");
  assert.equal(request?.headers.host, `127.0.0.1:${receiver.port}`);
  assert.equal(request?.headers["user-agent"], "vedette");
});

test("500 is a response like any other", async (t) => {
  const receiver = await startHttpReceiver(t, () => ({ status: 500 }));
  assert.equal(outline(await open.request(get(receiver.url))), 500);
});

test("connection headers cannot be set, and invalid ones are rejected", async (t) => {
  const receiver = await startHttpReceiver(t);
  const headers = { Host: "evil.example", "Content-Length": "3", "Transfer-Encoding": "chunked" };
  await open.request({ method: "POST", url: receiver.url, headers, body: "whole body" });
  assert.equal(receiver.requests[0]?.headers.host, `127.0.0.1:${receiver.port}`);
  assert.equal(receiver.requests[0]?.body, "whole body");
  for (const bad of [{ "x-a": "1\r\nx-b: 2" }, { "x\r\ny": "1" }, { "x-a": "日本" }]) {
    const result = await open.request(get(receiver.url, { headers: bad }));
    assert.equal(outline(result), "refused: bad-request");
  }
  assert.equal(receiver.requests.length, 1);
});

test("forbidden networks are rejected by address and by name before anything is sent", async (t) => {
  const receiver = await startHttpReceiver(t);
  const hosts = ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "2130706433", "169.254.169.254"];
  for (const host of [...hosts, "[::ffff:127.0.0.1]", "[fd00:ec2::254]", "10.1.2.3"]) {
    const result = await closed.request(get(`http://${host}:${receiver.port}/`));
    assert.equal(outline(result), "refused: private-address", host);
  }
  for (const url of ["file:///etc/passwd", "http://a:b@127.0.0.1/", "http://127.0.0.1:25/"]) {
    assert.equal((await open.request(get(url))).kind, "refused", url);
  }
  assert.equal(receiver.requests.length, 0);
});

test("a name with one forbidden address is rejected", async () => {
  const outbound = createOutbound({
    allowPrivate: false,
    resolve: async () => ["8.8.8.8", "10.0.0.1"],
  });
  const result = await outbound.request(get("http://mixed.example/"));
  assert.equal(outline(result), "refused: private-address");
});

test("a name is resolved once, and the connection goes to the validated address", async (t) => {
  const first = await startHttpReceiver(t, () => ({ body: "first" }));
  const where = { host: "127.0.0.2", port: first.port };
  const second = await startHttpReceiver(t, () => ({ body: "second" }), where);
  const answers = [["127.0.0.1"], ["127.0.0.2"], ["127.0.0.2"]];
  const resolved: string[] = [];
  const outbound = createOutbound({
    allowPrivate: false,
    allowedAddresses: ["127.0.0.1"],
    resolve: async (hostname) => {
      resolved.push(hostname);
      return answers.shift() ?? [];
    },
  });
  const url = `http://rebind.example:${first.port}/`;
  const result = await outbound.request(get(url));
  assert.ok(result.kind === "answered" && result.bodyText === "first");
  assert.deepEqual(resolved, ["rebind.example"]);
  assert.equal(first.requests[0]?.headers.host, `rebind.example:${first.port}`);
  assert.equal(outline(await outbound.request(get(url))), "refused: private-address");
  assert.equal(second.requests.length, 0);
});

test("a redirect into a forbidden network is rejected, by address and by DNS rebinding", async (t) => {
  const target = await startHttpReceiver(t, () => ({}), { host: "127.0.0.2" });
  const places = [target.url, `http://rebind.example:${target.port}/`, "/again"];
  for (const location of places) {
    const receiver = await startHttpReceiver(t, () => ({ status: 307, headers: { location } }));
    const answers = [["127.0.0.1"], ["127.0.0.2"]];
    const outbound = createOutbound({
      allowPrivate: false,
      allowedAddresses: ["127.0.0.1"],
      resolve: async () => answers.shift() ?? [],
    });
    const result = await outbound.request(get(`http://rebind.example:${receiver.port}/`));
    assert.equal(outline(result), "refused: private-address", location);
    assert.equal(receiver.requests.length, 1);
  }
  assert.equal(target.requests.length, 0);
});

test("redirects repeat the body; only 303 changes to GET", async (t) => {
  for (const status of [301, 302, 303, 307, 308]) {
    const receiver = await startHttpReceiver(t, ({ path }) =>
      path === "/end" ? {} : { status, headers: { location: "/end" } },
    );
    const headers = { authorization: secret };
    await open.request({ method: "POST", url: receiver.url, headers, body: "told" });
    const [, last] = receiver.requests;
    assert.equal(last?.method, status === 303 ? "GET" : "POST");
    assert.equal(last?.body, status === 303 ? "" : "told");
    assert.equal(last?.headers.authorization, secret);
  }
});

test("another origin receives no user-supplied headers", async (t) => {
  const stranger = await startHttpReceiver(t);
  const receiver = await startHttpReceiver(t, () => ({
    status: 307,
    headers: { location: stranger.url },
  }));
  const headers = {
    authorization: secret,
    cookie: secret,
    "x-api-key": secret,
    "content-type": "application/json",
    "idempotency-key": "k",
  };
  await open.request({ method: "POST", url: receiver.url, headers, body: "{}" });
  assert.equal(receiver.requests[0]?.headers.authorization, secret);
  assert.equal(JSON.stringify(stranger.requests[0]?.headers).includes(secret), false);
  assert.equal(stranger.requests[0]?.headers["content-type"], "application/json");
  assert.equal(stranger.requests[0]?.headers["idempotency-key"], "k");
});

test("three redirects are followed, a fourth is not", async (t) => {
  const receiver = await startHttpReceiver(t, ({ path }) => {
    const left = Number(path.slice(1));
    return left === 0 ? {} : { status: 302, headers: { location: `/${left - 1}` } };
  });
  assert.equal(outline(await open.request(get(`${receiver.url}/3`))), 200);
  assert.equal(outline(await open.request(get(`${receiver.url}/4`))), "failed: redirects");
});

test("silence, slow data and endless informational responses end at the deadline", async (t) => {
  const silent = await startSocketServer(t, () => {});
  const drip = await startSocketServer(t, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
    const timer = setInterval(() => socket.write("x"), 5);
    socket.on("close", () => clearInterval(timer));
  });
  const hints = await startSocketServer(t, (socket) => {
    const timer = setInterval(() => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"), 5);
    socket.on("close", () => clearInterval(timer));
  });
  const cases = [
    [silent, null],
    [drip, 200],
    [hints, null],
  ] as const;
  const requests = cases.map(([port]) =>
    open.request(get(`http://127.0.0.1:${port}/`, { timeoutMs: 2_000 })),
  );
  for (const [index, result] of (await Promise.all(requests)).entries()) {
    assert.ok(result.kind === "failed" && result.reason === "timeout");
    assert.equal(result.status, cases[index]?.[1]);
  }
});

test("a resolver that never responds ends at the deadline too", async () => {
  const outbound = createOutbound({ allowPrivate: true, resolve: () => new Promise(() => {}) });
  const result = await outbound.request(get("http://slow.example/", { timeoutMs: 30 }));
  assert.equal(outline(result), "failed: timeout");
});

test("a reset, a closed port, a partial response and invalid HTTP are failed connections", async (t) => {
  const answers = {
    reset: (socket: net.Socket) => socket.once("data", () => socket.resetAndDestroy()),
    close: (socket: net.Socket) => socket.once("data", () => socket.end()),
    half: (socket: net.Socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"),
    nonsense: (socket: net.Socket) => socket.end("SSH-2.0-OpenSSH_9.9\r\n"),
    upgrade: (socket: net.Socket) =>
      socket.end("HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
    header: (socket: net.Socket) =>
      socket.end(`HTTP/1.1 200 OK\r\nX: ${"a".repeat(20_000)}\r\n\r\n`),
  };
  for (const [name, serve] of Object.entries(answers)) {
    const port = await startSocketServer(t, serve);
    const result = await open.request(get(`http://127.0.0.1:${port}/`));
    assert.equal(outline(result), "failed: connection", name);
  }
  const result = await open.request(get(`http://127.0.0.1:${await findFreePort()}/`));
  assert.ok(result.kind === "failed" && result.message.endsWith("(ECONNREFUSED)"));
});

test("a huge or endless response is aborted", async (t) => {
  const endless = await startSocketServer(t, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    const piece = "x".repeat(65_536);
    const pour = () => {
      while (!socket.destroyed && socket.write(piece)) {}
    };
    socket.on("drain", pour);
    pour();
  });
  const result = await open.request(get(`http://127.0.0.1:${endless}/`));
  assert.ok(result.kind === "failed" && result.reason === "too-large");
  assert.equal(result.status, 200);
  const receiver = await startHttpReceiver(t, () => ({ body: "12345" }));
  const exact = await open.request(get(receiver.url, { maxResponseBytes: 5 }));
  assert.equal(outline(exact), 200);
  const more = await open.request(get(receiver.url, { maxResponseBytes: 4 }));
  assert.equal(outline(more), "failed: too-large");
});

test("https verifies the certificate by name while it connects to the validated address", async (t) => {
  const hello = Promise.withResolvers<Buffer | string>();
  const port = await startSocketServer(t, (socket) => {
    socket.once("data", (bytes) => {
      hello.resolve(bytes);
      socket.destroy();
    });
  });
  const outbound = createOutbound({ allowPrivate: true, resolve: async () => ["127.0.0.1"] });
  const result = await outbound.request(get(`https://named.example:${port}/`));
  assert.equal(result.kind, "failed");
  assert.ok((await hello.promise).includes("named.example"));
  const plain = await startHttpReceiver(t);
  const spoken = await open.request(get(`https://127.0.0.1:${plain.port}/`));
  assert.equal(outline(spoken), "failed: tls");
});

test("a name that cannot be resolved is a transient failure", async () => {
  const broken = new Error("getaddrinfo EAI_AGAIN who.example");
  const outbound = createOutbound({
    allowPrivate: true,
    resolve: () => Promise.reject(Object.assign(broken, { code: "EAI_AGAIN" })),
  });
  const result = await outbound.request(get("http://who.example/"));
  assert.ok(result.kind === "failed" && result.reason === "dns");
  assert.ok(result.message.endsWith("(EAI_AGAIN)"));
  const none = createOutbound({ allowPrivate: true, resolve: async () => [] });
  assert.equal(outline(await none.request(get("http://who.example/"))), "failed: dns");
  const odd = createOutbound({ allowPrivate: true, resolve: async () => ["not an address"] });
  assert.equal(outline(await odd.request(get("http://who.example/"))), "refused: private-address");
});

test("rejections and failures contain no part of the URL or the headers", async (t) => {
  const receiver = await startHttpReceiver(t, () => ({
    status: 302,
    headers: { location: `file:///${secret}` },
  }));
  const path = `/${secret}?token=${secret}`;
  const urls = [`http://127.0.0.1:1/${path}`, `http://${secret}:x@h/${path}`, `ftp://h${path}`];
  urls.push(`${receiver.url}${path}`, `http://${secret}.invalid:22${path}`, `http://[${secret}`);
  for (const url of urls) {
    for (const outbound of [open, closed]) {
      const headers = { authorization: secret };
      const result = await outbound.request(get(url, { headers }));
      assert.notEqual(result.kind, "answered");
      assert.equal(JSON.stringify(result).includes(secret), false, url);
    }
  }
});

test("the permission of an admin includes neither endpoints of Vedette nor this machine", async () => {
  const find = async (address: string, more: Partial<OutboundOptions> = {}) => {
    const resolve = async () => [address];
    const isOwnEndpoint = async (_address: string, port: number) => port === 5432;
    const options = { allowPrivate: false, allowLan: true, resolve, isOwnEndpoint, ...more };
    const { signal } = new AbortController();
    const found = async (url: string) => {
      const result = await findReachable(options, new URL(url), signal);
      return Array.isArray(result) ? result : "reason" in result && result.reason;
    };
    return [await found("http://chat.example/"), await found("http://chat.example:5432/")];
  };
  assert.deepEqual(await find("192.168.1.5"), [["192.168.1.5"], "local-address"]);
  assert.deepEqual(await find("127.0.0.1"), ["local-address", "local-address"]);
  const named = { allowedAddresses: ["192.168.0.0/16"] };
  assert.deepEqual(await find("192.168.1.5", named), [["192.168.1.5"], ["192.168.1.5"]]);
});

test("the permission of an admin does not include other hosts to which the host redirects", async (t) => {
  const locations = ["http://192.168.1.5/", "http://other.example/", "http://127.0.0.2/"];
  for (const location of locations) {
    const receiver = await startHttpReceiver(t, () => ({ status: 307, headers: { location } }));
    const outbound = createOutbound({
      allowPrivate: false,
      allowLan: false,
      allowedAddresses: ["127.0.0.1"],
      resolve: async (host) => [host === "other.example" ? "10.0.0.1" : "127.0.0.1"],
    });
    const url = `http://entered.example:${receiver.port}/`;
    const result = await outbound.request(get(url, { allowLan: true }));
    const isLocal = location === "http://127.0.0.2/";
    assert.equal(outline(result), `refused: ${isLocal ? "local" : "lan"}-address`, location);
    assert.equal(receiver.requests.length, 1);
  }
});
