import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { openEvents } from "../../../../test/support/event-stream.ts";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { KnownError } from "../../../platform/errors.ts";
import { type Wall, Walls } from "./walls.ts";

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

async function open(walls: Walls, wall: Partial<Wall> = {}) {
  const known = walls.size;
  onRequest = (stream) =>
    walls.add(stream, { accountId: "ours", address: "a", mayStay: async () => true, ...wall });
  const events = await openEvents(url);
  await waitUntil("the wall is there", () => walls.size === known + 1);
  return events;
}

const count = (events: { names: () => readonly string[] }, name: string) =>
  events.names().filter((one) => one === name).length;

test("only walls of the account are told, and null tells all", async () => {
  const walls = new Walls(limits);
  const ours = await open(walls);
  const theirs = await open(walls, { accountId: "theirs", address: "b" });
  walls.tell("ours");
  await waitUntil("ours hears", () => count(ours, "changed") === 1);
  walls.tell(null);
  await waitUntil(
    "both hear",
    () => count(ours, "changed") === 2 && count(theirs, "changed") === 1,
  );
  walls.close();
});

test("a storm of news is told at once, and then together", async () => {
  const walls = new Walls(limits);
  const ours = await open(walls);
  for (let n = 0; n < 10_000; n += 1) walls.tell("ours");
  await waitUntil("the first and the rest", () => count(ours, "changed") === 2);
  walls.beat();
  await waitUntil("the next beat", () => count(ours, "beat") === 2);
  assert.equal(count(ours, "changed"), 2);
  walls.close();
});

test("there are so many for an address and so many in all, and who leaves makes room", async () => {
  const walls = new Walls(limits);
  const first = await open(walls);
  await open(walls);
  const nameOf = (run: () => void) => {
    try {
      run();
      return null;
    } catch (error) {
      return error instanceof KnownError ? error.errorName : "another";
    }
  };
  assert.equal(
    nameOf(() => walls.refuseExcess("a")),
    "tooManyRequests",
  );
  assert.equal(
    nameOf(() => walls.refuseExcess("b")),
    null,
  );
  await open(walls, { address: "b" });
  assert.equal(
    nameOf(() => walls.refuseExcess("c")),
    "unavailable",
  );
  first.close();
  await waitUntil("one left", () => walls.size === 2);
  assert.equal(
    nameOf(() => walls.refuseExcess("a")),
    null,
  );
  walls.close();
  assert.equal(
    nameOf(() => walls.refuseExcess("d")),
    "unavailable",
  );
});

test("who may no longer look is sent away, and who cannot be asked about too", async () => {
  const walls = new Walls(limits);
  const stays = await open(walls);
  const goes = await open(walls, { mayStay: async () => false });
  const unclear = await open(walls, {
    address: "b",
    mayStay: () => Promise.reject(new Error("the database is away")),
  });
  await walls.review("ours");
  await waitUntil("two are gone", () => goes.isEnded() && unclear.isEnded());
  assert.equal(stays.isEnded(), false);
  walls.close();
  await waitUntil("the last is gone", stays.isEnded);
  assert.equal(walls.size, 0);
});

test("a wall that takes no bytes is sent away instead of being waited for", async () => {
  const walls = new Walls(limits);
  let stream: ServerResponse | undefined;
  onRequest = (one) => {
    stream = one;
    walls.add(one, { accountId: "ours", address: "a", mayStay: async () => true });
  };
  const controller = new AbortController();
  await fetch(url, { signal: controller.signal });
  // More than the buffers of both ends hold, and nobody reads.
  stream?.write(Buffer.alloc(32 * 1_024 * 1_024));
  walls.beat();
  await waitUntil("it is gone", () => walls.size === 0);
  controller.abort();
});

test("a wall that left before it was let in holds no place", async () => {
  const walls = new Walls(limits);
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
  const wall = { accountId: "ours", address: "a", mayStay: async () => true };
  walls.add(stream, wall);
  assert.equal(walls.size, 0);
  walls.beat();
  walls.close();
});
