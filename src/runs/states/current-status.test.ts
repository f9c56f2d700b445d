import assert from "node:assert/strict";
import { test } from "node:test";
import { createRunsFixture, makeResult, measure } from "../../../test/support/modules/runs.ts";
import { recordResults } from "../recording/recorder.ts";
import { mapCurrentStatuses } from "./current-status.ts";

test("the current status is that of the last run, unless it is outdated", async () => {
  const fixture = await createRunsFixture();
  const { context, clock } = fixture;
  fixture.news.isOn = false;
  const checks = [
    await fixture.addCheck({ frequency: 1 }),
    await fixture.addCheck({ frequency: 1 }),
    await fixture.addCheck({ frequency: 1_440 }),
    await fixture.addCheck({ frequency: 1 }),
  ];
  const [passes, fails, daily, neverRan] = checks.map(({ checkId }) => checkId);
  const dueAtMs = clock.now().getTime();
  const outcomes = [measure(0), measure(10), measure(10)];
  await recordResults(
    context,
    outcomes.flatMap((outcome, index) => {
      const check = checks[index];
      return check === undefined ? [] : [makeResult(check, { dueAtMs, outcome })];
    }),
  );
  const ids = checks.map(({ checkId }) => checkId);
  const read = async () => Object.fromEntries(await mapCurrentStatuses(context, ids));
  const now = { [`${passes}`]: "passing", [`${fails}`]: "failing", [`${daily}`]: "failing" };
  assert.deepEqual(await read(), { ...now, [`${neverRan}`]: "unknown" });
  await fixture.editCheck(`${passes}`, { activated: false });
  assert.equal((await read())[`${passes}`], "unknown", "the check is deactivated");
  clock.advance(30 * 60_000);
  const later = await read();
  assert.equal(later[`${fails}`], "unknown", "no result for half an hour");
  assert.equal(later[`${daily}`], "failing", "its next run is not due yet");
  assert.equal((await mapCurrentStatuses(context, [])).size, 0);
  await fixture.stop();
});
