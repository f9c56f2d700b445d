import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger } from "../../../../test/support/apps/cast.ts";
import {
  type HttpReceiver,
  startHttpReceiver,
} from "../../../../test/support/servers/http-receiver.ts";

let app: TestApp;
let service: HttpReceiver;
let userId: string;
const ends: (() => void)[] = [];
const nobody = "0198c1f0-0000-7000-8000-000000000000";

before(async () => {
  service = await startHttpReceiver({ after: (end) => ends.push(end as () => void) });
  app = await startTestApp({ BUILT_IN_PROBE: "false", OUTBOUND_ALLOW_PRIVATE: "true" });
  userId = (await app.call("GET", "/v1/users/me")).body.id;
});
after(async () => {
  await app.stop();
  for (const end of ends) end();
});

const create = (config: object, key?: string) =>
  app.call("POST", "/v1/alert-channels", {
    body: { type: "ONCALL", config: { name: "Primary", ...config } },
    ...(key && { key }),
  });

async function createSchedule(participants: readonly string[]): Promise<string> {
  const layer = { name: "Daily", participants, rotation: { unit: "DAY", handoffTime: "09:00" } };
  const layers = participants.length === 0 ? [] : [{ ...layer, start: "2026-11-01T09:00" }];
  const body = { name: `Schedule ${participants.length}`, layers };
  const made = await app.call("POST", "/v1/on-call/schedules", { body });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

test("a channel names a schedule or a member of the account, and not both", async () => {
  const scheduleId = await createSchedule([]);
  const stranger = await addStranger(app);
  for (const [config, key] of [
    [{}, "config.scheduleId"],
    [{ scheduleId, userId }, "config.scheduleId"],
    [{ scheduleId: nobody }, "config.scheduleId"],
    [{ scheduleId: "primary" }, "config.scheduleId"],
    [{ userId: nobody }, "config.userId"],
  ] as const) {
    const { status, body } = await create(config);
    assert.deepEqual([status, body.validation?.keys[0]], [400, key]);
  }
  assert.equal((await create({ scheduleId }, stranger.key)).status, 400);
  assert.equal((await create({ userId: stranger.userId })).status, 400);
  const made = await create({ scheduleId });
  assert.deepEqual([made.status, made.body.type], [201, "ONCALL"]);
  const body = { type: "ONCALL", config: { name: "Primary", userId: nobody } };
  assert.equal((await app.call("PUT", `/v1/alert-channels/${made.body.id}`, { body })).status, 400);
});

test("a test goes to the contact methods of the person on call", async () => {
  const { id } = (await create({ scheduleId: await createSchedule([userId]) })).body;
  const send = () => app.call("POST", `/v1/alert-channels/${id}/test`);
  const without = await send();
  assert.equal(without.body.outcome, "failed");
  assert.match(without.body.reason, /has no working contact method/);
  const path = "/v1/users/me/contact-methods";
  const body = { type: "NTFY", config: { url: service.url, topic: "ada" } };
  const { body: method } = await app.call("POST", path, { body });
  await app.query("update contact_methods set verified_at = now()");
  const steps = [{ methodId: method.id, afterMinutes: 5 }];
  await app.call("PUT", "/v1/users/me/notification-rules", { body: { high: steps, low: steps } });
  service.requests.length = 0;
  const { outcome, recipient } = (await send()).body;
  const { host } = new URL(service.url);
  assert.deepEqual([outcome, recipient], ["sent", `owner@example.com: ntfy ada at ${host}`]);
  assert.equal(JSON.parse(service.requests[0]?.body ?? "{}").topic, "ada");
});

test("a test reports that nobody is on call", async () => {
  const { body: schedule } = await app.call("POST", "/v1/on-call/schedules", {
    body: { name: "Empty", layers: [] },
  });
  const { id } = (await create({ scheduleId: schedule.id })).body;
  const sent = await app.call("POST", `/v1/alert-channels/${id}/test`);
  assert.equal(sent.body.reason, "Nobody is on call for Empty.");
});
