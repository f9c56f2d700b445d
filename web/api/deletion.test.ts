import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import { environmentManager, type QueryKey, QueryObserver } from "@tanstack/query-core";
import { deleteObject } from "./deletion.ts";
import { createQueryClient } from "./query-client.ts";

before(() => environmentManager.setIsServer(() => false));
after(() => environmentManager.setIsServer(() => true));

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Opens a screen with these queries and counts their fetches. */
async function openScreen(t: TestContext, ...keys: readonly QueryKey[]) {
  const client = createQueryClient();
  t.after(() => client.clear());
  const fetches = new Map<string, number>();
  const closes = keys.map((queryKey) => {
    const name = queryKey.join("/");
    const queryFn = () => {
      fetches.set(name, (fetches.get(name) ?? 0) + 1);
      return name;
    };
    const observer = new QueryObserver(client, { queryKey, queryFn, refetchInterval: 60_000 });
    return observer.subscribe(() => undefined);
  });
  await turn();
  return {
    client,
    fetches,
    closes,
    countOf: (...key: QueryKey) => fetches.get(key.join("/")) ?? 0,
  };
}

test("while an object is being deleted, its queries are not fetched, and other queries that show it are", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { client, closes, countOf } = await openScreen(
    t,
    ["dashboards", "a"],
    ["dashboards", "a", "keys"],
    ["dashboards", "list"],
  );
  const renewAll = async () => {
    void client.invalidateQueries();
    t.mock.timers.tick(60_000);
    await turn();
  };
  const counts = () => [countOf("dashboards", "a"), countOf("dashboards", "a", "keys")];
  assert.deepEqual(counts(), [1, 1]);
  let listed = 0;
  await deleteObject(client, {
    of: [["dashboards", "a"]],
    send: renewAll,
    leave: async () => {
      await renewAll();
      listed = countOf("dashboards", "list");
    },
    renew: [["dashboards"]],
  });
  await turn();
  assert.equal(countOf("dashboards", "list"), listed + 1);
  // The route has changed, but the old screen is still mounted.
  await renewAll();
  assert.deepEqual(counts(), [1, 1]);
  assert.equal(client.getQueryData(["dashboards", "a"]), "dashboards/a");
  for (const close of closes) close();
  await turn();
  assert.equal(client.getQueryData(["dashboards", "a"]), undefined);
});

test("opening the address of a deleted object fetches it and gets a 404", async (t) => {
  const { client, closes } = await openScreen(t, ["groups", 7]);
  const of = [["groups", 7]];
  await deleteObject(client, { of, send: turn, leave: () => closes[0]?.(), renew: [] });
  await turn();
  const queryFn = () => Promise.reject(new Error("gone"));
  const later = new QueryObserver(client, { queryKey: ["groups", 7], queryFn });
  const close = later.subscribe(() => undefined);
  await turn();
  assert.equal(later.getCurrentResult().error?.message, "gone");
  close();
});

test("an object that the server refuses to delete stays on the screen and is fetched again", async (t) => {
  const { client, closes, countOf } = await openScreen(t, ["checks", "a"], ["checks", "b"]);
  let hasLeft = false;
  const rejected = deleteObject(client, {
    of: [["checks", "a"]],
    send: () => Promise.reject(new Error("no")),
    leave: () => {
      hasLeft = true;
    },
    renew: [["checks"]],
  });
  await assert.rejects(rejected, /no/);
  await turn();
  assert.equal(hasLeft, false);
  assert.equal(countOf("checks", "a"), 2);
  assert.equal(countOf("checks", "b"), 1);
  void client.invalidateQueries({ queryKey: ["checks"] });
  await turn();
  assert.equal(countOf("checks", "a"), 3);
  for (const close of closes) close();
});

test("a fetch in flight when the deletion starts is cancelled", async (t) => {
  const client = createQueryClient();
  t.after(() => client.clear());
  let isAborted = false;
  const queryFn = ({ signal }: { readonly signal: AbortSignal }) =>
    new Promise<never>(() => {
      signal.addEventListener("abort", () => {
        isAborted = true;
      });
    });
  const observer = new QueryObserver(client, { queryKey: ["incidents", "one", "a"], queryFn });
  const close = observer.subscribe(() => undefined);
  await turn();
  const of = [["incidents", "one", "a"]];
  await deleteObject(client, { of, send: turn, leave: close, renew: [] });
  assert.equal(isAborted, true);
});
