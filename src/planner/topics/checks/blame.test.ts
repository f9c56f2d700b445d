import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckStatusName, StatusData } from "../../tools/tool-data.ts";
import { decideBlame } from "./blame.ts";

function check(
  votes: Readonly<Record<string, CheckStatusName>>,
  reason = "packet-loss-at-or-above-max",
): StatusData {
  const verdicts = Object.values(votes);
  const status = (["failing", "degraded", "unknown"] as const).find((one) =>
    verdicts.includes(one),
  );
  return {
    checkId: "id",
    checkType: "ICMP",
    name: "name",
    status: status ?? "passing",
    since: "2026-11-15T10:00:00.000Z",
    activated: true,
    muted: false,
    consecutiveFailures: 0,
    lastRunAt: null,
    lastRunLocation: null,
    locations: Object.entries(votes).map(([location, verdict]) => ({
      location,
      verdict,
      resultId: "id",
      at: "2026-11-15T10:00:00.000Z",
    })),
    why: status === undefined ? [] : [{ reasons: [{ name: reason, text: "" }] } as never],
  };
}

const fine = check({ a: "passing", b: "passing" });
const down = check({ a: "failing", b: "failing" });

function decide(target: StatusData | null, others: readonly StatusData[]) {
  const failing = others.filter(({ status }) => status === "failing").length;
  return decideBlame({ target, others, otherCount: others.length, otherFailingCount: failing });
}

test("a single check that fails from everywhere points to the host", () => {
  assert.equal(decide(down, [fine, fine, fine]), "host");
});

test("a failure together with most others points to the network", () => {
  assert.equal(decide(down, [down, down, fine]), "our-network");
  assert.equal(decide(null, [down, down, down, fine]), "our-network");
});

test("a failure from one place points to the place if others fail there, else to the path", () => {
  const partly = check({ a: "failing", b: "passing" });
  assert.equal(
    decide(partly, [check({ a: "failing", b: "passing" }), fine, fine, fine]),
    "one-place",
  );
  assert.equal(decide(partly, [fine, fine, fine]), "path-from-some-places");
  // A check that fails from everywhere is no evidence about the place.
  assert.equal(decide(partly, [down, fine, fine, fine]), "path-from-some-places");
});

test("a name that does not resolve points to DNS", () => {
  const unresolved = check({ a: "failing" }, "name-not-resolved");
  assert.equal(decide(unresolved, [fine, fine]), "own-reason");
});

test("an unexpected success points to neither", () => {
  const answering = check({ a: "failing", b: "failing" }, "passed-against-expectation");
  assert.equal(decide(answering, [fine, fine]), "expectation");
});

test("reports if there is nothing to compare or nothing wrong", () => {
  assert.equal(decide(down, []), "cannot-tell");
  assert.equal(decide(fine, [down]), "nothing-is-wrong");
  assert.equal(decide(null, [fine]), "nothing-is-wrong");
  assert.equal(decide(check({ a: "unknown" }), [fine]), "no-data");
});
