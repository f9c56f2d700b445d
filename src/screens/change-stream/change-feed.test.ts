import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import {
  auditedThings,
  type Change,
  ChangeFeed,
  maxIds,
  readAnnouncement,
  toChange,
} from "./change-feed.ts";

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

const said = (topic: string, ids: readonly string[] | null = ["a"]) => ({
  accountId: "ours",
  topic,
  ids,
});

test("only notifications of triggers are parsed", () => {
  const text = JSON.stringify(["ours", "check.state", ["a", "b"]]);
  assert.deepEqual(readAnnouncement(text), said("check.state", ["a", "b"]));
  assert.deepEqual(readAnnouncement('["ours", "check.result", null]'), said("check.result", null));
  for (const wrong of ["", "{", "7", "null", "{}", "[]", '["ours"]', '[1, "check.state", null]']) {
    assert.equal(readAnnouncement(wrong), null, wrong);
  }
});

test("an audited action becomes a change of its target", () => {
  const cases = {
    "check.created": ["check.changed", "read"],
    "check.deleted": ["check.deleted", "read"],
    "check-group.updated": ["check-group.changed", "read"],
    "alert.acknowledged": ["alert.changed", "read"],
    "incident-update.created": ["incident-update.changed", "read"],
    "api-key.revoked": ["api-key.deleted", "admin"],
    "invite.withdrawn": ["invite.deleted", "admin"],
    "thing-of-tomorrow.created": ["thing-of-tomorrow.changed", "admin"],
  } as const;
  for (const [action, [type, access]] of Object.entries(cases)) {
    assert.deepEqual(toChange(said(`audit ${action}`)), { type, ids: ["a"], access }, action);
  }
  for (const action of ["check.tried", "session.created", "check-session.triggered"]) {
    assert.equal(toChange(said(`audit ${action}`)), null, action);
  }
});

test("every action of the audit log has a known target type", () => {
  // The readers of imports name actions of other programs.
  const exclude = ["**/*.test.ts", "src/as-code/imports/readers/**"];
  const files = globSync("src/**/*.ts", { exclude });
  const actions = files.flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(/\baction(?::| =) ["`]([a-z-]+)\.[$a-z-]/g)].map(
      ([, thing = ""]) => thing,
    ),
  );
  assert.ok(new Set(actions).size > 20, "the pattern finds the actions");
  const unknown = [...new Set(actions)].filter((thing) => !(thing in auditedThings));
  assert.deepEqual(unknown, [], "name them in auditedThings");
});
