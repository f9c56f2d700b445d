import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { auditedThings, readAnnouncement, toChange } from "./announcement.ts";

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
  const exclude = ["**/*.test.ts", "src/domains/imports/readers/**"];
  const files = globSync("src/domains/**/*.ts", { exclude });
  const actions = files.flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(/\baction(?::| =) ["`]([a-z-]+)\.[$a-z-]/g)].map(
      ([, thing = ""]) => thing,
    ),
  );
  assert.ok(new Set(actions).size > 20, "the pattern finds the actions");
  const unknown = [...new Set(actions)].filter((thing) => !(thing in auditedThings));
  assert.deepEqual(unknown, [], "name them in auditedThings");
});
