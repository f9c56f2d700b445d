import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createAlertMessage,
  createHostileMessage,
  createLongMessage,
  createSendTools,
} from "../../../../test/support/modules/alert-message.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";

import { homeAssistantKind } from "./home-assistant.ts";

const tools = createSendTools();

test("an alert calls the configured action, and a recovery replaces it", async (t) => {
  const receiver = await startHttpReceiver(t, () => ({ body: "[]" }));
  const config = { url: receiver.url, action: "notify.mobile_app_phone", token: "long-lived" };
  const failure = createAlertMessage();
  const outcome = await homeAssistantKind.send(failure, config, tools);
  assert.deepEqual(outcome, { kind: "sent", statusCode: 200 });
  await homeAssistantKind.send(createAlertMessage({ kind: "ALERT_RECOVERY" }), config, tools);
  const [request, recovery] = receiver.requests;
  assert.equal(request?.path, "/api/services/notify/mobile_app_phone");
  assert.equal(request?.headers.authorization, "Bearer long-lived");
  const body = JSON.parse(request?.body ?? "");
  assert.equal(body.title, "Web is down");
  assert.equal(body.data.tag, failure.checkId);
  assert.equal(body.data.push["interruption-level"], "time-sensitive");
  assert.deepEqual(body.data.actions, [
    { action: "URI", title: "Acknowledge", uri: "https://vedette.example/acknowledge/abc" },
  ]);
  const { data } = JSON.parse(recovery?.body ?? "");
  assert.equal(data.tag, failure.checkId);
  assert.equal("push" in data, false);
});

test("a persistent notification is Markdown in which hostile names stay text", async (t) => {
  const receiver = await startHttpReceiver(t);
  const action = "persistent_notification.create";
  const config = { url: receiver.url, action, token: "x" };
  for (const message of [createHostileMessage(), createLongMessage()]) {
    await homeAssistantKind.send(message, config, tools);
    const body = JSON.parse(receiver.requests.at(-1)?.body ?? "");
    assert.equal(receiver.requests.at(-1)?.path, "/api/services/persistent_notification/create");
    assert.equal(body.notification_id, message.checkId);
    assert.doesNotMatch(body.title.replaceAll(/\\./gs, ""), /[\\`*_~|>#[\]()<]/);
    assert.ok(body.message.endsWith("https://vedette.example/acknowledge/abc"));
    assert.ok(body.message.length <= 5_000);
  }
});
