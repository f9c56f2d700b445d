import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { openEvents } from "../../../../test/support/servers/event-stream.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";
import { KnownError } from "../../../platform/errors.ts";
import { type Viewer, Viewers } from "./actions.ts";

let url: string;
let onRequest: (stream: ServerResponse) => void = () => {};
const server = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  onRequest(response);
});
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const limits = { total: 3, perAddress: 2, quietMs: 50 };

async function open(viewers: Viewers, viewer: Partial<Viewer> = {}) {
  const known = viewers.size;
  onRequest = (stream) =>
    viewers.add(stream, { accountId: "ours", address: "a", mayStay: async () => true, ...viewer });
  const events = await openEvents(url);
  await waitUntil("the viewer is connected", () => viewers.size === known + 1);
  return events;
}

const count = (events: { names: () => readonly string[] }, name: string) =>
  events.names().filter((one) => one === name).length;

test("only viewers of the account are notified, and null notifies all", async () => {
  const viewers = new Viewers(limits);
  const ours = await open(viewers);
  const theirs = await open(viewers, { accountId: "theirs", address: "b" });
  viewers.notify("ours");
  await waitUntil("ours hears", () => count(ours, "changed") === 1);
  viewers.notify(null);
  await waitUntil(
    "both hear",
    () => count(ours, "changed") === 2 && count(theirs, "changed") === 1,
  );
  viewers.close();
});

test("the first of many changes is sent immediately, the others combined", async () => {
  const viewers = new Viewers(limits);
  const ours = await open(viewers);
  for (let n = 0; n < 10_000; n += 1) viewers.notify("ours");
  await waitUntil("the first and the combined notification", () => count(ours, "changed") === 2);
  viewers.beat();
  await waitUntil("the next beat", () => count(ours, "beat") === 2);
  assert.equal(count(ours, "changed"), 2);
  viewers.close();
});

test("viewers are limited per address and in total, and a disconnect frees a slot", async () => {
  const viewers = new Viewers(limits);
  const first = await open(viewers);
  await open(viewers);
  const nameOf = (run: () => void) => {
    try {
      run();
      return null;
    } catch (error) {
      return error instanceof KnownError ? error.errorName : "another";
    }
  };
  assert.equal(
    nameOf(() => viewers.rejectExcess("a")),
    "tooManyRequests",
  );
  assert.equal(
    nameOf(() => viewers.rejectExcess("b")),
    null,
  );
  await open(viewers, { address: "b" });
  assert.equal(
    nameOf(() => viewers.rejectExcess("c")),
    "unavailable",
  );
  first.close();
  await waitUntil("one left", () => viewers.size === 2);
  assert.equal(
    nameOf(() => viewers.rejectExcess("a")),
    null,
  );
  viewers.close();
  assert.equal(
    nameOf(() => viewers.rejectExcess("d")),
    "unavailable",
  );
});

test("viewers without access are disconnected, also if the check fails", async () => {
  const viewers = new Viewers(limits);
  const stays = await open(viewers);
  const goes = await open(viewers, { mayStay: async () => false });
  const unclear = await open(viewers, {
    address: "b",
    mayStay: () => Promise.reject(new Error("the database is away")),
  });
  await viewers.review("ours");
  await waitUntil("two are gone", () => goes.isEnded() && unclear.isEnded());
  assert.equal(stays.isEnded(), false);
  viewers.close();
  await waitUntil("the last is gone", stays.isEnded);
  assert.equal(viewers.size, 0);
});

test("a viewer that reads nothing is disconnected", async () => {
  const viewers = new Viewers(limits);
  let stream: ServerResponse | undefined;
  onRequest = (one) => {
    stream = one;
    viewers.add(one, { accountId: "ours", address: "a", mayStay: async () => true });
  };
  const controller = new AbortController();
  await fetch(url, { signal: controller.signal });
  // More than the buffers of both ends can hold, and nobody reads.
  stream?.write(Buffer.alloc(32 * 1_024 * 1_024));
  viewers.beat();
  await waitUntil("it is gone", () => viewers.size === 0);
  controller.abort();
});

test("a viewer that disconnected during authorisation takes no slot", async () => {
  const viewers = new Viewers(limits);
  const came = new Promise<ServerResponse>((resolve) => {
    onRequest = (stream) => {
      stream.write(" ");
      resolve(stream);
    };
  });
  const leaving = new AbortController();
  await fetch(url, { signal: leaving.signal });
  leaving.abort();
  const stream = await came;
  await waitUntil("it has disconnected", () => stream.destroyed);
  const viewer = { accountId: "ours", address: "a", mayStay: async () => true };
  viewers.add(stream, viewer);
  assert.equal(viewers.size, 0);
  viewers.beat();
  viewers.close();
});
