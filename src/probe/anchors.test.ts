import assert from "node:assert/strict";
import { test } from "node:test";
import { captureLog } from "../../test/support/apps/log.ts";
import type { Outcome } from "../contract/result.ts";
import { invalidateOutcome, watchAnchors } from "./prober-set.ts";

const { log } = captureLog();

async function areLost(answers: Readonly<Record<string, boolean>>): Promise<boolean> {
  const isReachable = async (host: string) => answers[host] ?? false;
  const anchors = await watchAnchors({ hosts: Object.keys(answers), log, isReachable });
  await anchors.loop.stop();
  return anchors.areLost();
}

test("anchors are lost only if none of them responds", async () => {
  assert.equal(await areLost({ a: false, b: false }), true);
  assert.equal(await areLost({ a: false, b: true }), false);
  assert.equal(await areLost({}), false);
});

const measured = (measurement: number): Outcome => ({ kind: "measured", measurement });
const trouble = { kind: "unresolved", code: "ENOTFOUND", message: "" };
const unresolved: Outcome = { kind: "unreachable", trouble };
const isFlawless = (measurement: unknown) => measurement === 0;

test("a failed measurement while the anchors are lost gives no data about the target", () => {
  for (const outcome of [measured(100), measured(10), unresolved]) {
    assert.equal(invalidateOutcome(outcome, true, isFlawless).kind, "cannot-check");
    assert.equal(invalidateOutcome(outcome, false, isFlawless), outcome);
  }
  const whole = measured(0);
  assert.equal(invalidateOutcome(whole, true, isFlawless), whole);
});
