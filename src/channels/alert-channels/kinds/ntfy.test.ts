import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createAlertMessage,
  createHostileMessage,
  createLongMessage,
  createSendTools,
} from "../../../../test/support/modules/alert-message.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";
import { ntfyKind } from "./ntfy.ts";

const tools = createSendTools();

test("an alert arrives in its topic with a priority and an action", async (t) => {
  const receiver = await startHttpReceiver(t);
  const config = { url: receiver.url, topic: "alerts", token: "tk_x" };
  const outcome = await ntfyKind.send(createAlertMessage(), config, tools);
  assert.deepEqual(outcome, { kind: "sent", statusCode: 200 });
  const [request] = receiver.requests;
  assert.equal(request?.path, "/");
  assert.equal(request?.headers.authorization, "Bearer tk_x");
  const body = JSON.parse(request?.body ?? "");
  assert.equal(body.topic, "alerts");
  assert.equal(body.title, "Web is down");
  assert.equal(body.priority, 5);
  assert.deepEqual(body.tags, ["rotating_light"]);
  assert.equal(body.click, "https://vedette.example/alerts/alert-1");
  assert.deepEqual(body.actions, [
    { action: "view", label: "Acknowledge", url: "https://vedette.example/acknowledge/abc" },
  ]);
});

test("the channel's own priority is used, and an open server needs no token", async (t) => {
  const receiver = await startHttpReceiver(t);
  const message = createAlertMessage({ alertUrl: null, acknowledgeUrl: null, resultUrl: null });
  await ntfyKind.send(message, { url: `${receiver.url}/`, topic: "alerts", priority: 2 }, tools);
  const [request] = receiver.requests;
  assert.equal(request?.headers.authorization, undefined);
  const body = JSON.parse(request?.body ?? "");
  assert.equal(body.priority, 2);
  assert.equal("click" in body || "actions" in body, false);
});

test("hostile and very long names stay text within ntfy's limits", async (t) => {
  const receiver = await startHttpReceiver(t);
  for (const message of [createHostileMessage(), createLongMessage()]) {
    await ntfyKind.send(message, { url: receiver.url, topic: "alerts" }, tools);
    const body = JSON.parse(receiver.requests.at(-1)?.body ?? "");
    assert.ok(Buffer.byteLength(body.message) <= 4_096);
    assert.ok(body.message.endsWith("Acknowledge: https://vedette.example/acknowledge/abc"));
    assert.doesNotMatch(body.title, /\p{Cc}/u);
    assert.doesNotMatch(body.message, /[\r\0\u202e]/);
  }
});
