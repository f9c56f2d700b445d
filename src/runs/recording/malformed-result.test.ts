import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  createRunsFixture,
  makeResult,
  type RunsFixture,
} from "../../../test/support/modules/runs.ts";
import { recordResults } from "./recorder.ts";

let fixture: RunsFixture;
before(async () => {
  fixture = await createRunsFixture();
});
after(() => fixture.stop());

test("a result of another kind, or with another kind's measurement, is not recorded", async () => {
  const check = await fixture.addCheck();
  const good = makeResult(check, { dueAtMs: fixture.clock.now().getTime() });
  const outcome = { kind: "measured", measurement: { packets: "many" } } as const;
  await recordResults(fixture.context, [
    { ...good, kind: "OTHER" },
    { ...good, outcome },
  ]);
  assert.equal(await fixture.countIgnored("malformed"), 2);
  assert.deepEqual(
    await fixture.query("select id from results where check_id = $1", check.checkId),
    [],
  );
  await recordResults(fixture.context, [good]);
  const stored = await fixture.query("select id from results where check_id = $1", check.checkId);
  assert.deepEqual(stored, [{ id: good.runId }]);
});
