import assert from "node:assert/strict";
import { test } from "node:test";
import { createPagesFixture } from "../../../../test/support/modules/pages.ts";
import { countUses } from "./uses.ts";

test("a policy that no check selects has no uses, and neither has its schedule", async (t) => {
  const scene = await createPagesFixture(t);
  const { accountId, query, addCheck, addPolicy, addSchedule, subscribe } = scene;
  const uses = () => countUses(scene.context.db, accountId);
  const one = await addCheck();
  await addCheck();
  const ada = await scene.addMember("Ada", [["ada", 0]]);
  const channelId = await addSchedule("Primary", [ada]);
  const [schedule] = await query("select id from on_call_schedules");
  const scheduleId = String(schedule?.id);
  const steps = [{ afterMinutes: 0, targets: [{ scheduleId }], channelIds: [] }];
  const shop = await addPolicy({ targets: [], steps });
  const other = await addPolicy({ targets: [[0, ada]] });
  const none = { checkCount: 0, troubledCount: 0 };
  assert.deepEqual((await uses()).policies.get(shop), none);
  assert.deepEqual((await uses()).policies.get(other), { checkCount: 2, troubledCount: 0 });
  assert.deepEqual([...(await uses()).schedules], []);
  await query(
    `update checks set settings = jsonb_set(settings, '{alertSettings,escalationPolicyId}', $2)
      where id = $1`,
    ...[one.checkId, JSON.stringify(shop.toUpperCase())],
  );
  await query("update checks set status = 'failing' where id = $1", one.checkId);
  const used = { checkCount: 1, troubledCount: 1 };
  assert.deepEqual((await uses()).policies.get(shop), used);
  assert.deepEqual((await uses()).policies.get(other), { checkCount: 1, troubledCount: 0 });
  assert.deepEqual([...(await uses()).schedules], [[scheduleId, used]]);
  await subscribe(channelId, { checkId: one.checkId });
  assert.deepEqual([...(await uses()).schedules], [[scheduleId, used]], "counted once");
});

test("a schedule whose channel is a step of a policy is reached", async (t) => {
  const scene = await createPagesFixture(t);
  await scene.addCheck();
  const ada = await scene.addMember("Ada", [["ada", 0]]);
  const channelId = await scene.addSchedule("Primary", [ada]);
  await scene.addPolicy({ targets: [[5, channelId]] });
  const { schedules } = await countUses(scene.context.db, scene.accountId);
  assert.deepEqual([...schedules.values()], [{ checkCount: 1, troubledCount: 0 }]);
});
