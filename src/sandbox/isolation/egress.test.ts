import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, createServer as createTcpServer } from "node:net";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { createReach } from "../../platform/net/reach.ts";
import type { NameResolver } from "../../platform/net/resolve.ts";
import { http } from "../../platform/node-modules.ts";
import { answerQuery, Egress, readTarget } from "./egress.ts";

/** Names with one IPv4 address for each query, in turn; the last remains. */
function createResolver(names: Readonly<Record<string, string[]>>): NameResolver {
  return {
    resolve: async (name, family) => {
      const list = family === "IPv4" ? (names[name] ?? []) : [];
      const address = list.length > 1 ? list.shift() : list[0];
      const error = { code: "ENOTFOUND", message: "The host name does not exist." };
      return address === undefined ? { durationMs: 0, error } : { durationMs: 0, address };
    },
  };
}

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as { port: number }).port;
}

async function setUp(t: TestContext, names: Readonly<Record<string, string[]>> = {}) {
  const target = createServer((request, response) => {
    response.setHeader("x-path", `${request.url}`);
    request.pipe(response);
  });
  const proxy = createTcpServer({ pauseOnConnect: true });
  const reach = createReach({ allow: [], deny: ["127.0.0.2"] });
  const egress = new Egress({ resolver: createResolver(names), reach });
  egress.serveProxy(proxy);
  const [targetPort, proxyPort] = [await listen(target), await listen(proxy)];
  t.after(() => {
    egress.close();
    target.close();
    target.closeAllConnections();
  });
  return { egress, targetPort, proxyPort };
}

async function fetchThrough(proxyPort: number, url: string, body = "") {
  const options = { host: "127.0.0.1", port: proxyPort, method: "POST", path: url };
  const request = http.request({ ...options, headers: { host: new URL(url).host }, agent: false });
  request.end(body);
  const [response] = await once(request, "response");
  let text = "";
  for await (const bytes of response) text += bytes;
  return { status: response.statusCode, headers: response.headers, text };
}

test("an address inside of a sandbox can contain the target", () => {
  const read = (groups: string) => readTarget(`fd56:6564:6574:7465:1:${groups}`);
  assert.deepEqual(read("1f90:7f00:1"), { address: "127.0.0.1", port: 8_080 });
  assert.deepEqual(read("cea:c0a8:ff00"), { address: "192.168.255.0", port: 3_306 });
  for (const other of ["127.0.0.1", "::ffff:127.0.0.1", "::1", "fd56:6564:6574:7465::1"]) {
    assert.equal(readTarget(other), null);
  }
});

test("a request goes through the proxy with its path and body", async (t) => {
  const { egress, targetPort, proxyPort } = await setUp(t, { "shop.test": ["127.0.0.1"] });
  const url = `http://shop.test:${targetPort}/a?b=1`;
  const { status, headers, text } = await fetchThrough(proxyPort, url, "hello");
  assert.deepEqual([status, headers["x-path"], text], [200, "/a?b=1", "hello"]);
  const connections = [{ host: "shop.test", port: targetPort, count: 1, denial: null }];
  assert.deepEqual(egress.list(), { connections, isCut: false });
});

test("a tunnel carries any protocol", async (t) => {
  const { targetPort, proxyPort } = await setUp(t, { "shop.test": ["127.0.0.1"] });
  const socket = connect(proxyPort, "127.0.0.1");
  socket.write(`CONNECT shop.test:${targetPort} HTTP/1.1\r\nhost: shop.test\r\n\r\n`);
  const [answer] = await once(socket, "data");
  assert.match(String(answer), /^HTTP\/1\.1 200 /);
  socket.write("GET /through HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  const [page] = await once(socket, "data");
  assert.match(String(page), /x-path: \/through/);
  socket.destroy();
});

test("a name that changes to a denied address is denied", async (t) => {
  const names = { "rebind.test": ["127.0.0.1", "127.0.0.2"] };
  const { egress, targetPort, proxyPort } = await setUp(t, names);
  const url = `http://rebind.test:${targetPort}/`;
  assert.equal((await fetchThrough(proxyPort, url)).status, 200);
  const { status, text } = await fetchThrough(proxyPort, url);
  assert.equal(status, 403);
  assert.match(text, /denied by PROBE_DENY/);
  const [seen] = egress.list().connections;
  assert.equal(seen?.count, 2);
  assert.match(seen?.denial ?? "", /127\.0\.0\.2/);
});

test("an unknown name, an invalid target and a refused connection are errors of the gateway", async (t) => {
  const { proxyPort } = await setUp(t, { "shop.test": ["127.0.0.1"] });
  for (const url of ["http://unknown.test/", "http://shop.test:1/"]) {
    assert.equal((await fetchThrough(proxyPort, url)).status, 502, url);
  }
  for (const target of ["shop.test", "shop.test:0", "shop.test:99999", ":1", "[::1:1"]) {
    const socket = connect(proxyPort, "127.0.0.1");
    socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: x\r\n\r\n`);
    const [answer] = await once(socket, "data");
    assert.match(String(answer), /^HTTP\/1\.1 (?:502|400)/, target);
    socket.destroy();
  }
});

test("the list of connections is limited", async (t) => {
  const { egress, proxyPort } = await setUp(t);
  for (let index = 0; index < 52; index += 1) {
    await fetchThrough(proxyPort, `http://host-${index}.test/`);
  }
  const { connections, isCut } = egress.list();
  assert.deepEqual([connections.length, isCut], [50, true]);
});

test("a connection above the limit of open connections marks the list as incomplete", async (t) => {
  const { egress, proxyPort } = await setUp(t);
  const open = Array.from({ length: 256 }, () => connect(proxyPort, "127.0.0.1"));
  t.after(() => open.forEach((socket) => void socket.destroy()));
  await Promise.all(open.map((socket) => once(socket, "connect")));
  assert.equal(egress.list().isCut, false);
  const further = connect(proxyPort, "127.0.0.1");
  await once(further, "close");
  assert.equal(egress.list().isCut, true);
});

test("pipelined requests on one connection open connections only up to the limit", async (t) => {
  let openCount = 0;
  const target = createTcpServer((socket) => {
    openCount += 1;
    socket.on("error", () => {});
  });
  const port = await listen(target);
  const { egress, proxyPort } = await setUp(t, { "shop.test": ["127.0.0.1"] });
  t.after(() => target.close());
  const client = connect(proxyPort, "127.0.0.1");
  client.on("error", () => {});
  const request = `GET http://shop.test:${port}/ HTTP/1.1\r\nhost: shop.test\r\n\r\n`;
  client.write(request.repeat(600));
  await waitUntil("all requests are read", () => egress.list().connections[0]?.count === 600);
  await waitUntil("the limit is reached", () => openCount >= 255);
  // Connections are accepted in their order, so all earlier ones are counted when this one is.
  const last = connect(port, "127.0.0.1");
  await once(last, "connect");
  await waitUntil("the last connection is counted", () => openCount >= 256);
  last.destroy();
  client.destroy();
  assert.ok(openCount <= 256, `${openCount} connections`);
  assert.equal(egress.list().isCut, true);
});

function writeQuery(name: string, type: number): Buffer {
  const labels = name.split(".").flatMap((label) => [label.length, ...Buffer.from(label)]);
  const header = [0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
  return Buffer.from([...header, ...labels, 0, 0, type, 0, 1]);
}

test("names are answered with the probe's own resolver", async () => {
  const resolver = createResolver({ "shop.test": ["192.0.2.7"] });
  const answer = await answerQuery(writeQuery("shop.test", 1), resolver);
  assert.equal(answer?.readUInt16BE(0), 0x1234);
  assert.deepEqual([...(answer?.subarray(-4) ?? [])], [192, 0, 2, 7]);
  const unknown = await answerQuery(writeQuery("other.test", 1), resolver);
  assert.equal((unknown?.[3] ?? 0) & 15, 3);
  const mail = await answerQuery(writeQuery("shop.test", 15), resolver);
  assert.deepEqual([(mail?.[3] ?? 0) & 15, mail?.readUInt16BE(6)], [0, 0]);
});

test("any bytes that arrive as a query are answered or ignored", async () => {
  const resolver = createResolver({});
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 600 }), async (bytes) => {
      const answer = await answerQuery(Buffer.from(bytes), resolver);
      assert.ok(answer === null || answer.length <= bytes.length + 28);
    }),
  );
});
