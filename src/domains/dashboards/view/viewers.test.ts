import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { openEvents } from "../../../../test/support/servers/event-stream.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";
import { KnownError } from "../../../platform/errors.ts";
import { type Viewer, Viewers } from "./viewers.ts";

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
  await waitUntil("the viewer is there", () => viewers.size === known + 1);
  return events;
}

const count = (events: { names: () => readonly string[] }, name: string) =>
  events.names().filter((one) => one === name).length;

test("only viewers of the account are told, and null tells all", async () => {
  const viewers = new Viewers(limits);
  const ours = await open(viewers);
  const theirs = await open(viewers, { accountId: "theirs", address: "b" });
  viewers.tell("ours");
  await waitUntil("ours hears", () => count(ours, "changed") === 1);
  viewers.tell(null);
  await waitUntil(
    "both hear",
    () => count(ours, "changed") === 2 && count(theirs, "changed") === 1,
  );
  viewers.close();
});

test("a storm of news is told at once, and then together", async () => {
  const viewers = new Viewers(limits);
  const ours = await open(viewers);
  for (let n = 0; n < 10_000; n += 1) viewers.tell("ours");
  await waitUntil("the first and the rest", () => count(ours, "changed") === 2);
  viewers.beat();
  await waitUntil("the next beat", () => count(ours, "beat") === 2);
  assert.equal(count(ours, "changed"), 2);
  viewers.close();
});

test("there are so many for an address and so many in all, and who leaves makes room", async () => {
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
    nameOf(() => viewers.refuseExcess("a")),
    "tooManyRequests",
  );
  assert.equal(
    nameOf(() => viewers.refuseExcess("b")),
    null,
  );
  await open(viewers, { address: "b" });
  assert.equal(
    nameOf(() => viewers.refuseExcess("c")),
    "unavailable",
  );
  first.close();
  await waitUntil("one left", () => viewers.size === 2);
  assert.equal(
    nameOf(() => viewers.refuseExcess("a")),
    null,
  );
  viewers.close();
  assert.equal(
    nameOf(() => viewers.refuseExcess("d")),
    "unavailable",
  );
});

test("who may no longer look is sent away, and who cannot be asked about too", async () => {
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

test("a viewer that takes no bytes is sent away instead of being waited for", async () => {
  const viewers = new Viewers(limits);
  let stream: ServerResponse | undefined;
  onRequest = (one) => {
    stream = one;
    viewers.add(one, { accountId: "ours", address: "a", mayStay: async () => true });
  };
  const controller = new AbortController();
  await fetch(url, { signal: controller.signal });
  // More than the buffers of both ends hold, and nobody reads.
  stream?.write(Buffer.alloc(32 * 1_024 * 1_024));
  viewers.beat();
  await waitUntil("it is gone", () => viewers.size === 0);
  controller.abort();
});

test("a viewer that left before it was let in holds no place", async () => {
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
  await waitUntil("it has left", () => stream.destroyed);
  const viewer = { accountId: "ours", address: "a", mayStay: async () => true };
  viewers.add(stream, viewer);
  assert.equal(viewers.size, 0);
  viewers.beat();
  viewers.close();
});
