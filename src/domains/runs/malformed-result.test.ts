import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createRunsWorld, makeResult, type RunsWorld } from "../../../test/support/rooms/runs.ts";
import { recordResults } from "./recorder.ts";

let world: RunsWorld;
before(async () => {
  world = await createRunsWorld();
});
after(() => world.stop());

test("a result of another kind, or with another kind's measurement, is not recorded", async () => {
  const check = await world.addCheck();
  const good = makeResult(check, { dueAtMs: world.clock.now().getTime() });
  const outcome = { kind: "measured", measurement: { packets: "many" } } as const;
  await recordResults(world.context, [
    { ...good, kind: "OTHER" },
    { ...good, outcome },
  ]);
  assert.equal(await world.countIgnored("malformed"), 2);
  assert.deepEqual(
    await world.query("select id from results where check_id = $1", check.checkId),
    [],
  );
  await recordResults(world.context, [good]);
  const stored = await world.query("select id from results where check_id = $1", check.checkId);
  assert.deepEqual(stored, [{ id: good.runId }]);
});
