/** Expensive assertions of one account do not delay the runs of another. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "../../../../test/support/long-run.ts";
import { noAssets, noScripts } from "../../../../test/support/scripts/no-scripts.ts";
import type { Order } from "../../../contract/order.ts";
import { createReach } from "../../../platform/net/reach.ts";
import { createNameResolver } from "../../../platform/net/resolve.ts";
import { createSocketThread } from "../../wire/network/socket-thread.ts";
import { startApiProber } from "./prober/prober.ts";
import type { ApiRequest } from "./request.ts";

const list = JSON.stringify(Array.from({ length: 600 }, (_, index) => ({ a: index })));
const path = "$[?@.a > 0 && count($[?@.a > 1]) > 0]";
const noisy = 3;

function makeOrder(url: string, accountId: string, assertions: ApiRequest["assertions"]): Order {
  const request: ApiRequest = {
    method: "GET",
    url,
    followRedirects: false,
    skipSSL: false,
    ipFamily: "IPv4",
    body: "",
    bodyType: "NONE",
    headers: [],
    queryParameters: [],
    assertions,
    basicAuth: null,
    timeoutMs: 30_000,
  };
  const times = { attempt: 1, dueAtMs: 0, startAtMs: 0, deadlineAtMs: 1 };
  return { runId: url, checkId: url, accountId, kind: "API", location: "here", ...times, request };
}

test("a simple check finishes before expensive ones whose responses arrived earlier", {
  isLong: true,
}, async (t) => {
  const log = () => {};
  const socketThread = createSocketThread({ log });
  t.after(() => socketThread.close());
  const tools = { resolver: createNameResolver({}), reach: createReach({ allow: [], deny: [] }) };
  const prober = await startApiProber({
    ...tools,
    socketThread,
    scripts: noScripts,
    assets: noAssets,
    log,
  });
  let sent = 0;
  let waiting: ServerResponse | null = null;
  const server = createServer(({ url }, response) => {
    if (url === "/plain") waiting = response;
    else {
      response.end(list);
      sent += 1;
    }
    // Only after all expensive checks have their responses.
    if (sent === noisy) waiting?.end("{}");
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const costly = { source: "JSON_BODY", property: path, comparison: "NOT_EMPTY", target: "" };
  const status = { source: "STATUS_CODE", property: "", comparison: "EQUALS", target: "200" };
  const order: string[] = [];
  const run = async (name: string, account: string, assertions: ApiRequest["assertions"]) => {
    const outcome = await prober.run(makeOrder(`${origin}/${name}`, account, assertions));
    assert.equal(outcome.kind, "measured", JSON.stringify(outcome));
    order.push(name);
  };
  const many = Array.from({ length: 50 }, () => costly) as ApiRequest["assertions"];
  await Promise.all([
    run("plain", "quiet", [status] as ApiRequest["assertions"]),
    ...Array.from({ length: noisy }, (_, index) => run(`costly-${index}`, "noisy", many)),
  ]);
  assert.equal(order[0], "plain", order.join(" "));
});
