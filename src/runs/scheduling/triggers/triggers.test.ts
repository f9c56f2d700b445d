import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../../test/support/apps/shared-app.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

async function createTriggeredGroup(): Promise<{ groupId: number; path: string }> {
  const { body: group } = await app.call("POST", "/v1/check-groups", { body: { name: "Fleet" } });
  const { body: trigger } = await app.call("POST", `/v1/triggers/check-groups/${group.id}`);
  return { groupId: group.id, path: new URL(trigger.url).pathname };
}

async function addChecks(groupId: number, count: number, check: object): Promise<void> {
  const checks = Array.from({ length: count }, (_, index) => {
    return { name: `Host ${index}`, activated: false, groupId, ...check };
  });
  const { body, text } = await app.call("POST", "/v1/checks/many", { body: { checks } });
  assert.equal(body.created, count, text);
}

const ping = { checkType: "ICMP", request: { hostname: "192.0.2.1" } };
const job = { checkType: "HEARTBEAT", heartbeat: { period: 1, grace: 1 } };
const call = (path: string) => app.call("GET", path, { key: null });

test("a trigger runs all checks of a group, or reports that the group is too large", async () => {
  const { groupId, path } = await createTriggeredGroup();
  // No probe can run heartbeat checks, so that they do not count.
  await addChecks(groupId, 1, job);
  await addChecks(groupId, 100, ping);
  const whole = await call(path);
  assert.equal(whole.status, 200, whole.text);
  assert.equal(whole.body.sessions.length, 100);
  await addChecks(groupId, 1, ping);
  const larger = await call(path);
  assert.equal(larger.status, 400, larger.text);
  assert.match(larger.body.message, /matches 101 checks; the limit is 100/);
});
