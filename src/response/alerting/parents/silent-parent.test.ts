import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createAlertingFixture,
  failing,
  passing,
} from "../../../../test/support/modules/alerting.ts";

test("a failing parent holds alerts only while it keeps reporting", async (t) => {
  const fixture = await createAlertingFixture(t);
  const [parent, child] = [
    await fixture.addCheck({ frequency: 1 }),
    await fixture.addCheck({ frequency: 1 }),
  ];
  await fixture.query(
    "insert into check_parents (check_id, parent_id) values ($1, $2)",
    child.checkId,
    parent.checkId,
  );
  await fixture.run(parent, failing);
  await fixture.run(child, failing);
  const held = await fixture.listAlerts(child.checkId);
  assert.deepEqual(
    held.map(({ kind, reason, parent_id }) => [kind, reason, parent_id]),
    [["NO_ALERT", "held-by-parent", parent.checkId]],
  );
  await fixture.pass(1);
  await fixture.run(child, passing);
  // From here on the parent reports nothing: its state is unknown and holds no alerts.
  await fixture.pass(10);
  await fixture.run(child, failing);
  const [newest] = (await fixture.listAlerts(child.checkId)).slice(-1);
  assert.deepEqual([newest?.kind, newest?.parent_id], ["ALERT_FAILURE", null]);
});
