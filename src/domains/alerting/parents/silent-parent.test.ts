import assert from "node:assert/strict";
import { test } from "node:test";
import { createAlertingWorld, failing, passing } from "../../../../test/support/rooms/alerting.ts";

test("a failing parent holds alerts only while it keeps reporting", async (t) => {
  const world = await createAlertingWorld(t);
  const [parent, child] = [
    await world.addCheck({ frequency: 1 }),
    await world.addCheck({ frequency: 1 }),
  ];
  await world.query(
    "insert into check_parents (check_id, parent_id) values ($1, $2)",
    child.checkId,
    parent.checkId,
  );
  await world.run(parent, failing);
  await world.run(child, failing);
  const held = await world.listAlerts(child.checkId);
  assert.deepEqual(
    held.map(({ kind, reason, parent_id }) => [kind, reason, parent_id]),
    [["NO_ALERT", "held-by-parent", parent.checkId]],
  );
  await world.pass(1);
  await world.run(child, passing);
  // From here on nothing is heard of the parent: it is unknown, and excuses nobody.
  await world.pass(10);
  await world.run(child, failing);
  const [newest] = (await world.listAlerts(child.checkId)).slice(-1);
  assert.deepEqual([newest?.kind, newest?.parent_id], ["ALERT_FAILURE", null]);
});
