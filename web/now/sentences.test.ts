import assert from "node:assert/strict";
import { test } from "node:test";
import type { FailingCheck } from "./queries.ts";
import {
  chooseLines,
  findFix,
  formatAction,
  formatLocations,
  formatNames,
  joinEdits,
} from "./sentences.ts";

const places = (...votes: string[]) =>
  votes.map((vote) => {
    const [location = "", verdict = ""] = vote.split(" ");
    return { location, verdict: verdict as "passing" | "failing" | "degraded" };
  });

test("failing and passing locations are listed, to distinguish a target problem from a network problem", () => {
  assert.equal(formatLocations(places("home failing")), "From home.");
  assert.equal(formatLocations(places("a failing", "b failing")), "From both locations.");
  assert.equal(
    formatLocations(places("a failing", "b degraded", "c failing")),
    "From all 3 locations.",
  );
  assert.equal(
    formatLocations(places("Frankfurt failing", "Paris failing", "Tokyo passing")),
    "From Frankfurt, Paris; passing from Tokyo.",
  );
  assert.equal(
    formatLocations(places("a failing", ..."bcdefg".split("").map((one) => `${one} passing`))),
    "From a; passing from b, c, d, e and 2 more.",
  );
});

test("the reason why nobody was notified links to where it can be fixed", () => {
  const checkId = "c1";
  type Reason = NonNullable<FailingCheck["untold"]>["reason"];
  const fix = (reason: string, more: object = {}) => {
    const none = { alertChannelId: null, parentCheckId: null, explanation: "" };
    return findFix({ checkId, untold: { ...none, ...more, reason: reason as Reason } })?.href;
  };
  assert.equal(fix("no-channels"), "/alerts/channels/new");
  assert.equal(fix("not-connected"), "/checks/c1/edit");
  assert.equal(fix("not-wanted", { alertChannelId: 7 }), "/alerts/channels/7");
  assert.equal(fix("below-threshold"), "/checks/c1/edit");
  assert.equal(fix("held-by-parent", { parentCheckId: "p1" }), "/checks/p1");
  assert.equal(fix("muted"), "/checks/c1");
  assert.equal(fix("not-decided"), undefined, "time removes it");
  assert.equal(fix("asleep"), undefined, "a reason that is new");
  assert.equal(findFix({ checkId, untold: null }), null);
});

test("an audit log action is formatted as a sentence", () => {
  assert.equal(formatAction("check-group.updated"), "updated a check group");
  assert.equal(formatAction("alert.acknowledged"), "acknowledged the alert of");
  assert.equal(formatAction("api-key.created"), "created an API key");
  assert.equal(formatAction("check.created", 12), "created 12 checks");
  assert.equal(formatAction("thing-of-tomorrow.created"), "created a thing of tomorrow");
  assert.equal(formatAction("sign-in-link.created"), "created a sign-in link");
  assert.equal(formatAction("alert.acknowledged", 56), "acknowledged 56 alerts");
  assert.equal(formatAction("alert-settings.updated", 2), "changed the alert settings, 2 times");
});

test("consecutive edits of one user become one line", () => {
  const edit = (what: string, name: string | null, actor = "ada", count = 1) => ({
    type: "edit" as const,
    at: "2026-11-16T03:10:00.000Z",
    checkId: null,
    name,
    what,
    before: null,
    actor,
    count,
  });
  const list = [
    edit("check.created", "a"),
    edit("check.created", "b"),
    edit("check.created", "c", "bob"),
    edit("check.updated", "c", "bob"),
    edit("check.updated", "c", "bob"),
    edit("check.created", null, "cleo", 500),
    edit("check.created", null, "cleo", 500),
  ];
  const joined = joinEdits(list);
  assert.deepEqual(joined.map(formatNames), ["a, b", "", "", ""]);
  assert.equal(formatNames({ count: 7, names: ["a", "b", "c", "d"] }), "a, b, c and 4 more");
  const shown = joined.map(({ what, name, actor, count }) => [what, name, actor, count]);
  assert.deepEqual(shown, [
    ["check.created", null, "ada", 2],
    ["check.created", "c", "bob", 1],
    ["check.updated", "c", "bob", 1],
    ["check.created", null, "cleo", 1_000],
  ]);
});

test("edits do not crowd out state changes", () => {
  const line = (type: "edit" | "state", at: number) => ({
    type,
    at: new Date(at).toISOString(),
    checkId: null,
    name: `${type} ${at}`,
    what: "failing",
    before: null,
    actor: null,
    count: 1,
    names: [],
  });
  const edits = Array.from({ length: 20 }, (_, index) => line("edit", 100 - index));
  const states = Array.from({ length: 6 }, (_, index) => line("state", 50 - index));
  const types = (lines: readonly { readonly type: string }[]) =>
    lines.map(({ type }) => type).join(" ");
  assert.equal(
    types(chooseLines([...edits, ...states], 8)),
    "edit edit edit state state state state state",
  );
  assert.equal(chooseLines(edits, 8).length, 8);
  assert.equal(chooseLines(states, 8).length, 6);
  assert.equal(
    types(chooseLines([...edits, ...states.slice(0, 2)], 8)),
    `${"edit ".repeat(6)}state state`,
  );
});
