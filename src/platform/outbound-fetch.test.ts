import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { fetchGuarded, OutboundError, type OutboundFetchOptions } from "./outbound-fetch.ts";

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const breaks: string[] = [];
const options: OutboundFetchOptions = {
  allowPrivate: true,
  maxResponseBytes: 100_000,
  onBreak: ({ message }) => void breaks.push(message),
};

function get(url: string, more: Partial<OutboundFetchOptions> = {}, signal?: AbortSignal) {
  const request = { method: "GET", headers: {}, body: null };
  const timeout = signal ?? AbortSignal.timeout(60_000);
  return fetchGuarded({ ...options, ...more }, url, { ...request, signal: timeout });
}

const rejectedWith = (pattern: RegExp) => (error: unknown) =>
  error instanceof OutboundError && pattern.test(error.message);

test("a response is streamed", async (t) => {
  const gate = Promise.withResolvers<void>();
  const url = await serve(t, async (request, response) => {
    response.setHeader("x-path", request.url ?? "");
    response.write("one");
    await gate.promise;
    response.end("two");
  });
  const response = await get(`${url}/some?path`);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("x-path"), "/some?path");
  const reader = response.body?.getReader();
  assert.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), "one");
  gate.resolve();
  assert.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), "two");
  assert.equal((await reader?.read())?.done, true);
});

test("method, headers and body are sent, and headers of the connection are not", async (t) => {
  let received = "";
  const url = await serve(t, async (request, response) => {
    for await (const chunk of request) received += chunk;
    received += `${request.method} ${request.headers.authorization} ${request.headers["x-evil"]}`;
    response.end(request.headers.host);
  });
  const headers = { authorization: "Bearer x", host: "evil.example", "x-evil": "no" };
  const signal = AbortSignal.timeout(60_000);
  const sent = { method: "POST", headers, body: "{}", signal };
  const response = await fetchGuarded(options, url, sent);
  assert.equal(await response.text(), new URL(url).host);
  assert.equal(received, "{}POST Bearer x no");
});

test("private addresses are rejected unless allowed, also by name", async (t) => {
  const url = await serve(t, (_request, response) => response.end());
  await assert.rejects(
    get(url, { allowPrivate: false }),
    rejectedWith(/private, local or reserved/),
  );
  const { port } = new URL(url);
  const resolve = async () => ["127.0.0.1"];
  const named = `http://model.example:${port}`;
  await assert.rejects(get(named, { allowPrivate: false, resolve }), rejectedWith(/private/));
  assert.equal((await get(named, { resolve })).status, 200);
});

test("rejects an invalid URL, another scheme and a port of another protocol", async () => {
  await assert.rejects(get("file:///etc/passwd"), rejectedWith(/Only http and https/));
  await assert.rejects(get("http://user:pw@127.0.0.1/"), rejectedWith(/user name or password/));
  await assert.rejects(get("http://127.0.0.1:25/"), rejectedWith(/another protocol/));
  await assert.rejects(get("nonsense"), rejectedWith(/not valid/));
});

test("a redirect is not followed", async (t) => {
  let calls = 0;
  const url = await serve(t, (_request, response) => {
    calls += 1;
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  await assert.rejects(get(url), rejectedWith(/redirects/));
  assert.equal(calls, 1);
});

test("a response that is too large or interrupted ends, and the caller is notified", async (t) => {
  const url = await serve(t, (request, response) => {
    if (request.url === "/large") response.end("x".repeat(200_000));
    else response.write("half", () => response.socket?.destroy());
  });
  breaks.length = 0;
  const large = await (await get(`${url}/large`)).text();
  assert.ok(large.length <= 100_000);
  assert.deepEqual(breaks, ["The response exceeds the size limit."]);
  breaks.length = 0;
  assert.equal(await (await get(`${url}/half`)).text(), "half");
  assert.deepEqual(breaks, ["The connection was interrupted."]);
});

test("a reader that stops or is aborted leaves no connection", async (t) => {
  const closed: Promise<unknown>[] = [];
  const url = await serve(t, (_request, response) => {
    closed.push(once(response, "close"));
    response.write("on and on");
  });
  const response = await get(url);
  await response.body?.cancel();
  await closed[0];
  const controller = new AbortController();
  const other = await get(url, {}, controller.signal);
  controller.abort();
  await other.text();
  await closed[1];
  await assert.rejects(get(url, {}, AbortSignal.abort()));
});

test("a refused connection has a message without the address", async () => {
  await assert.rejects(get("http://127.0.0.1:9999/"), rejectedWith(/^The connection failed\. \(E/));
});
