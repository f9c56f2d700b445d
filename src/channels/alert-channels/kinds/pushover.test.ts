import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createAlertMessage,
  createHostileMessage,
  createLongMessage,
  createSendTools,
} from "../../../../test/support/modules/alert-message.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";

import { pushoverKind } from "./pushover.ts";

const tools = createSendTools();
const keys = { token: "app", userKey: "user" };

test("an alert arrives with a priority by its kind and a link to acknowledge it", async (t) => {
  const receiver = await startHttpReceiver(t, () => ({ body: '{"status":1}' }));
  const config = { ...keys, baseUrl: receiver.url, device: "phone" };
  const outcome = await pushoverKind.send(createAlertMessage(), config, tools);
  assert.deepEqual(outcome, { kind: "sent", statusCode: 200 });
  const [request] = receiver.requests;
  assert.equal(request?.path, "/1/messages.json");
  const { message, ...body } = JSON.parse(request?.body ?? "");
  assert.ok(message.startsWith("80 % of the packets"));
  assert.deepEqual(body, {
    token: "app",
    user: "user",
    device: "phone",
    title: "Web is down",
    priority: 1,
    timestamp: Date.parse("2026-03-01T11:58:00.000Z") / 1_000,
    url: "https://vedette.example/acknowledge/abc",
    url_title: "Acknowledge",
  });
});

test("an emergency sounds until the check recovers, and a recovery never sounds", async (t) => {
  const receiver = await startHttpReceiver(t);
  const config = { ...keys, baseUrl: receiver.url, priority: 2 };
  const failure = createAlertMessage();
  await pushoverKind.send(failure, config, tools);
  const sent = JSON.parse(receiver.requests[0]?.body ?? "");
  assert.deepEqual(
    [sent.priority, sent.retry, sent.expire, sent.tags],
    [2, 60, 3_600, failure.checkId],
  );
  await pushoverKind.send(createAlertMessage({ kind: "ALERT_RECOVERY" }), config, tools);
  const [, cancelled, recovery] = receiver.requests;
  assert.equal(cancelled?.path, `/1/receipts/cancel_by_tag/${failure.checkId}.json`);
  assert.deepEqual(JSON.parse(cancelled?.body ?? ""), { token: "app" });
  assert.equal(JSON.parse(recovery?.body ?? "").priority, 0);
});

test("hostile and very long names stay within the limits, and a long link is omitted", async (t) => {
  const receiver = await startHttpReceiver(t);
  const acknowledgeUrl = `https://vedette.example/${"a".repeat(600)}`;
  for (const message of [createHostileMessage(), { ...createLongMessage(), acknowledgeUrl }]) {
    await pushoverKind.send(message, { ...keys, baseUrl: receiver.url }, tools);
    const body = JSON.parse(receiver.requests.at(-1)?.body ?? "");
    assert.ok(body.title.length <= 250 && body.message.length <= 1_024);
    assert.equal("url" in body, message.acknowledgeUrl !== acknowledgeUrl);
  }
});
