/** The event stream of a window: what it renews, and what happens when it is cut. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { QueryObserver } from "@tanstack/query-core";
import {
  type PartOptions,
  rejectRequest,
  renderPart,
} from "../../test/support/components/part.tsx";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import { createQueryClient } from "../api/query-client.ts";
import { LiveUpdates } from "./live-updates.ts";

const encoder = new TextEncoder();

/** An event stream that the test writes. */
function createStream() {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start: (own) => {
      controller = own;
    },
  });
  const headers = { "content-type": "application/x-ndjson" };
  return {
    response: new Response(body, { headers }),
    write: (event: object) => controller.enqueue(encoder.encode(`${JSON.stringify(event)}\n`)),
    cut: () => controller.error(new TypeError("terminated")),
    end: () => controller.close(),
  };
}

/** Starts live updates with queries on the screen, whose fetches are counted by name. */
function start(t: TestContext, respond: NonNullable<PartOptions["respond"]>) {
  const part = renderPart(<p />, { respond });
  const client = createQueryClient();
  const fetches: Record<string, number> = {};
  const show = (queryKey: readonly string[], events: readonly ("check" | "incident")[]) => {
    const name = queryKey.join("/");
    const queryFn = () => {
      fetches[name] = (fetches[name] ?? 0) + 1;
      return name;
    };
    const observer = new QueryObserver(client, { queryKey, queryFn, meta: { events } });
    t.after(observer.subscribe(() => {}));
  };
  const live = new LiveUpdates(client);
  const stop = live.start();
  t.after(() => {
    stop();
    client.clear();
  });
  return { part, client, fetches, show, live, stop };
}

const first = "01999999-0000-7000-8000-000000000001";
const second = "01999999-0000-7000-8000-000000000002";

test("a change renews the queries that show it, and no others", async (t) => {
  const stream = createStream();
  const { fetches, show, live } = start(t, () => stream.response);
  show(["checks", first, "own"], ["check"]);
  show(["checks", second, "own"], ["check"]);
  show(["checks", "list"], ["check"]);
  show(["incidents", "list"], ["incident"]);
  await waitUntil("all are loaded", () => Object.keys(fetches).length === 4);
  stream.write({ event: "changes", changes: [{ type: "check.changed", ids: [first] }] });
  await waitUntil("the list is renewed", () => fetches["checks/list"] === 2);
  assert.deepEqual(fetches, {
    [`checks/${first}/own`]: 2,
    [`checks/${second}/own`]: 1,
    "checks/list": 2,
    "incidents/list": 1,
  });
  assert.deepEqual(live.read(), { cutSinceMs: null, isPolling: false });
});

test("a stream that opens renews what was loaded before, but neither the session nor an editor", async (t) => {
  const stream = createStream();
  const { fetches, show } = start(t, () => stream.response);
  show(["checks", "list"], ["check"]);
  show(["session"], ["check"]);
  show(["editor", first], ["check"]);
  await waitUntil("all are loaded", () => Object.keys(fetches).length === 3);
  stream.write({ event: "hello" });
  await waitUntil("the list is renewed", () => fetches["checks/list"] === 2);
  stream.write({ event: "resync" });
  await waitUntil("the list is renewed again", () => fetches["checks/list"] === 3);
  assert.deepEqual(fetches, { "checks/list": 3, session: 1, [`editor/${first}`]: 1 });
});

test("a server without a stream is polled, and live updates return with the stream", async (t) => {
  const stream = createStream();
  let isBack = false;
  const { live, part } = start(t, () =>
    isBack ? stream.response : rejectRequest(503, "Too many streams."),
  );
  let changes = 0;
  live.subscribe(() => {
    changes += 1;
  });
  await waitUntil("the cut is shown", () => live.read().cutSinceMs !== null);
  const since = live.read().cutSinceMs;
  assert.equal(live.read().isPolling, true);
  isBack = true;
  await waitUntil("it is connected again", () => part.sent.length >= 2);
  assert.equal(live.read().cutSinceMs, since, "still cut until the server has greeted");
  stream.write({ event: "hello" });
  await waitUntil("it is live", () => live.read().cutSinceMs === null);
  assert.equal(live.read().isPolling, false);
  assert.equal(changes, 2);
});

test("a connection that breaks is opened again without polling", async (t) => {
  const streams = [createStream(), createStream()];
  const { live, part } = start(
    t,
    () => streams[part.sent.length - 1]?.response ?? Response.error(),
  );
  streams[0]?.write({ event: "hello" });
  await waitUntil("it is open", () => part.sent.length === 1);
  streams[0]?.cut();
  await waitUntil("the cut is shown", () => live.read().cutSinceMs !== null);
  assert.equal(live.read().isPolling, false, "an unreachable server is not polled");
  await waitUntil("it is opened again", () => part.sent.length === 2);
  streams[1]?.write({ event: "hello" });
  await waitUntil("it is live", () => live.read().cutSinceMs === null);
});

test("a session that has ended opens no further stream, and is noticed", async (t) => {
  const stream = createStream();
  const { client, part, live } = start(t, () => stream.response);
  client.setQueryData(["session"], { role: "OWNER" });
  stream.write({ event: "end", reason: "signed-out" });
  await waitUntil("it is invalid", () => client.getQueryState(["session"])?.isInvalidated === true);
  assert.equal(part.sent.length, 1);
  assert.equal(live.read().cutSinceMs, null);
});

test("a stopped window shows no cut and opens nothing", async (t) => {
  const stream = createStream();
  const { live, part, stop } = start(t, () => stream.response);
  await waitUntil("it is open", () => part.sent.length === 1);
  stop();
  stream.cut();
  window.dispatchEvent(new Event("online"));
  document.dispatchEvent(new Event("visibilitychange"));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(live.read(), { cutSinceMs: null, isPolling: false });
  assert.equal(part.sent.length, 1);
});
