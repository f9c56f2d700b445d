import assert from "node:assert/strict";
import { test } from "node:test";
import type { Change } from "./announcement.ts";
import { ChangeFeed, maxIds } from "./change-feed.ts";

const change = (type: string, ids: readonly string[] | null): Change => ({
  type,
  ids,
  access: "read",
});
const names = (count: number, prefix = "id") =>
  Array.from({ length: count }, (_, n) => `${prefix}-${n}`);

test("changes of one type are merged, with each id once", () => {
  const feed = new ChangeFeed();
  assert.equal(feed.take(), null);
  feed.add(change("check.state", ["a", "b"]));
  feed.add(change("check.result", ["a"]));
  feed.add(change("check.state", ["b", "c"]));
  assert.deepEqual(feed.take(), {
    event: "changes",
    changes: [
      { type: "check.state", ids: ["a", "b", "c"] },
      { type: "check.result", ids: ["a"] },
    ],
  });
  assert.equal(feed.take(), null);
});

test("more ids than the limit are reported as many until they are sent", () => {
  const feed = new ChangeFeed();
  feed.add(change("check.result", names(maxIds)));
  feed.add(change("check.result", ["id-0"]));
  feed.add(change("check.state", null));
  feed.add(change("check.state", ["a"]));
  const full = feed.take();
  assert.deepEqual(full, {
    event: "changes",
    changes: [
      { type: "check.result", ids: names(maxIds) },
      { type: "check.state", ids: null },
    ],
  });
  feed.add(change("check.result", names(maxIds)));
  feed.add(change("check.result", ["one more"]));
  feed.add(change("check.result", ["another"]));
  assert.deepEqual(feed.take(), {
    event: "changes",
    changes: [{ type: "check.result", ids: null }],
  });
  feed.add(change("check.result", ["a"]));
  assert.deepEqual(feed.take(), {
    event: "changes",
    changes: [{ type: "check.result", ids: ["a"] }],
  });
});

test("a resync replaces pending changes, and an end replaces everything", () => {
  const feed = new ChangeFeed();
  feed.add(change("check.state", ["a"]));
  feed.resync();
  feed.add(change("check.state", ["b"]));
  assert.deepEqual(feed.take(), { event: "resync" });
  assert.deepEqual(feed.take(), {
    event: "changes",
    changes: [{ type: "check.state", ids: ["b"] }],
  });
  feed.add(change("check.state", ["c"]));
  feed.end("signed-out");
  feed.end("stopping");
  assert.deepEqual(feed.take(), { event: "end", reason: "signed-out" });
});

test("a burst is sent at once and then merged, and silence yields beats", async () => {
  const feed = new ChangeFeed();
  const heard: string[] = [];
  for await (const event of feed.follow({ quietMs: 5, beatMs: 5 })) {
    heard.push(event.event);
    if (heard.length === 1) for (const id of names(10_000)) feed.add(change("check.result", [id]));
    // Sent together, although the ids were added one by one.
    if (heard.length === 2) for (const id of names(10_000)) feed.add(change("check.state", [id]));
    if (event.event === "beat") feed.end("stopping");
  }
  assert.deepEqual(heard, ["hello", "changes", "changes", "beat", "end"]);
});
