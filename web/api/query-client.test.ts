import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import { environmentManager, MutationObserver, onlineManager } from "@tanstack/query-core";
import { ApiError, type FailureKind } from "./api-error.ts";
import { createQueryClient } from "./query-client.ts";

before(() => environmentManager.setIsServer(() => false));
after(() => environmentManager.setIsServer(() => true));

function createClient(t: TestContext) {
  const client = createQueryClient();
  t.after(() => client.clear());
  return client;
}

const fail = (kind: FailureKind, status: number | null, retryAfterSeconds: number | null = null) =>
  new ApiError({
    kind,
    message: "It failed.",
    ...(status !== null && { status }),
    ...(retryAfterSeconds !== null && { retryAfterSeconds }),
  });

/** Counts the attempts of a query that always fails; the waits between them pass at once. */
async function countFetches(t: TestContext, error: Error): Promise<number> {
  const client = createClient(t);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let attempts = 0;
  const queryFn = () => {
    attempts += 1;
    return Promise.reject(error);
  };
  let isOver = false;
  const settled = client
    .fetchQuery({ queryKey: ["checks"], queryFn })
    .catch(() => {})
    .finally(() => {
      isOver = true;
    });
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(10_000);
  }
  await settled;
  t.mock.timers.reset();
  return attempts;
}

test("a query is retried twice after a failure, and never after a final rejection", async (t) => {
  assert.equal(await countFetches(t, fail("failed", 500)), 3);
  assert.equal(await countFetches(t, fail("unreachable", null)), 3);
  assert.equal(await countFetches(t, fail("rejected", 429, 1)), 3);
  assert.equal(await countFetches(t, fail("rejected", 404)), 1);
  assert.equal(await countFetches(t, fail("tooSlow", null)), 1);
  assert.equal(await countFetches(t, new Error("a bug")), 1);
});

async function countWrites(t: TestContext, error: Error): Promise<number> {
  const client = createClient(t);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let attempts = 0;
  const mutationFn = () => {
    attempts += 1;
    return Promise.reject(error);
  };
  let isOver = false;
  void new MutationObserver(client, { mutationFn })
    .mutate()
    .catch(() => {})
    .finally(() => {
      isOver = true;
    });
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(10_000);
  }
  t.mock.timers.reset();
  return attempts;
}

test("a change is sent again only if the server has not executed it and the wait is short", async (t) => {
  assert.equal(await countWrites(t, fail("rejected", 429, 5)), 3);
  assert.equal(await countWrites(t, fail("rejected", 429, 6)), 1);
  assert.equal(await countWrites(t, fail("rejected", 429)), 1);
  assert.equal(await countWrites(t, fail("failed", 500)), 1);
  assert.equal(await countWrites(t, fail("maybeDone", null)), 1);
});

test("queries and changes are sent although the browser reports that it is offline", async (t) => {
  const client = createClient(t);
  onlineManager.setOnline(false);
  t.after(() => onlineManager.setOnline(true));
  const queryFn = () => Promise.resolve("of this device");
  assert.equal(await client.fetchQuery({ queryKey: ["checks"], queryFn }), "of this device");
  const mutationFn = () => Promise.resolve("saved");
  assert.equal(await new MutationObserver(client, { mutationFn }).mutate(), "saved");
});
