import assert from "node:assert/strict";
import { test } from "node:test";
import { createAgentFixture } from "../../../test/support/modules/agent.ts";
import { muteCheckTool } from "./write-tools.ts";

test("a check is muted for some minutes with a reason, and unmuting ends that", async (t) => {
  const { context, caller, addCheck, query } = await createAgentFixture(t);
  const { checkId } = await addCheck({ name: "Edge" });
  const mute = { checkId, muted: true, minutes: 60, reason: "New router" };
  const { summary } = await muteCheckTool.propose(context, caller, mute);
  assert.match(summary, /^Mute the check "Edge" .* for 60 minutes\.$/);
  await muteCheckTool.run(context, caller, mute);
  const rows = await query("select check_id, reason from mutes");
  assert.deepEqual(rows, [{ check_id: checkId, reason: "New router" }]);
  await muteCheckTool.run(context, caller, { checkId, muted: false });
  assert.deepEqual(await query("select 1 from mutes"), []);
});
