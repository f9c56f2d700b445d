/** Tests that an outage whose results arrive late causes a failure and then a recovery. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createAlertingFixture, failing, passing } from "../../../test/support/modules/alerting.ts";
import { makeResult, noData } from "../../../test/support/modules/runs.ts";
import { recordResults } from "../../runs/recording/recorder.ts";
import { decideOnRuns } from "./decider.ts";

test("late results cause alerts in order, and no alert stays open", async (t) => {
  const fixture = await createAlertingFixture(t);
  const check = await fixture.addCheck({ frequency: 1 });
  const startMs = fixture.clock.now().getTime();
  fixture.clock.advance(10 * 60_000);
  const decide = async (...runs: [number, typeof passing | ReturnType<typeof noData>][]) => {
    for (const [minute, outcome] of runs) {
      const result = makeResult(check, { dueAtMs: startMs + minute * 60_000, outcome });
      await recordResults(fixture.context, [result]);
      await decideOnRuns(fixture.context);
    }
    return (await fixture.listAlerts(check.checkId)).map(({ kind }) => kind);
  };
  const blip = ["ALERT_FAILURE", "ALERT_RECOVERY"];
  assert.deepEqual(await decide([1, passing], [3, passing], [2, failing]), blip);
  assert.deepEqual(await decide([4, passing]), blip, "the outage ended");
  const kept = await decide([6, noData()], [7, noData()], [5, failing]);
  assert.deepEqual(kept, [...blip, "ALERT_FAILURE"], "no newer result exists");
  assert.deepEqual(await decide([8, passing]), [...blip, ...blip]);
});
