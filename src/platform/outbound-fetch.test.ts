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
  const patience = signal ?? AbortSignal.timeout(60_000);
  return fetchGuarded({ ...options, ...more }, url, { ...request, signal: patience });
}

const refusedWith = (pattern: RegExp) => (error: unknown) =>
  error instanceof OutboundError && pattern.test(error.message);

test("an answer is read while it comes", async (t) => {
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
  let heard = "";
  const url = await serve(t, async (request, response) => {
    for await (const chunk of request) heard += chunk;
    heard += `${request.method} ${request.headers.authorization} ${request.headers["x-evil"]}`;
    response.end(request.headers.host);
  });
  const headers = { authorization: "Bearer x", host: "evil.example", "x-evil": "no" };
  const signal = AbortSignal.timeout(60_000);
  const sent = { method: "POST", headers, body: "{}", signal };
  const response = await fetchGuarded(options, url, sent);
  assert.equal(await response.text(), new URL(url).host);
  assert.equal(heard, "{}POST Bearer x no");
});

test("private addresses are refused unless they are allowed, by name too", async (t) => {
  const url = await serve(t, (_request, response) => response.end());
  await assert.rejects(
    get(url, { allowPrivate: false }),
    refusedWith(/private, local or reserved/),
  );
  const { port } = new URL(url);
  const resolve = async () => ["127.0.0.1"];
  const named = `http://model.example:${port}`;
  await assert.rejects(get(named, { allowPrivate: false, resolve }), refusedWith(/private/));
  assert.equal((await get(named, { resolve })).status, 200);
});

test("what is no address, no HTTP or another protocol's port is not called", async () => {
  await assert.rejects(get("file:///etc/passwd"), refusedWith(/Only http and https/));
  await assert.rejects(get("http://user:pw@127.0.0.1/"), refusedWith(/user name or password/));
  await assert.rejects(get("http://127.0.0.1:25/"), refusedWith(/another protocol/));
  await assert.rejects(get("nonsense"), refusedWith(/not a URL/));
});

test("a redirect is not followed", async (t) => {
  let calls = 0;
  const url = await serve(t, (_request, response) => {
    calls += 1;
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  await assert.rejects(get(url), refusedWith(/redirects/));
  assert.equal(calls, 1);
});

test("an answer that is too large or breaks off ends, and whoever asked is told", async (t) => {
  const url = await serve(t, (request, response) => {
    if (request.url === "/large") response.end("x".repeat(200_000));
    else response.write("half", () => response.socket?.destroy());
  });
  breaks.length = 0;
  const large = await (await get(`${url}/large`)).text();
  assert.ok(large.length <= 100_000);
  assert.deepEqual(breaks, ["The answer is larger than what is read."]);
  breaks.length = 0;
  assert.equal(await (await get(`${url}/half`)).text(), "half");
  assert.deepEqual(breaks, ["The connection broke off."]);
});

test("a reader that gives up, and one that is told to stop, leave no connection", async (t) => {
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

test("nobody at home is told in our words", async () => {
  await assert.rejects(get("http://127.0.0.1:9999/"), refusedWith(/^The connection failed\. \(E/));
});
