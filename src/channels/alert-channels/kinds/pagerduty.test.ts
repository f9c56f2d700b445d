import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createAlertMessage,
  createHostileMessage,
  createLongMessage,
  createSendTools,
} from "../../../../test/support/modules/alert-message.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";
import { type AlertKind, alertKinds } from "../alert-text.ts";
import { pagerdutyKind } from "./pagerduty.ts";

const tools = createSendTools();

test("an alert triggers an event under the id of its check", async (t) => {
  const receiver = await startHttpReceiver(t, () => ({ status: 202 }));
  const config = { serviceKey: "key", baseUrl: receiver.url };
  const message = createAlertMessage();
  const outcome = await pagerdutyKind.send(message, config, tools);
  assert.deepEqual(outcome, { kind: "sent", statusCode: 202 });
  const [request] = receiver.requests;
  assert.equal(request?.path, "/v2/enqueue");
  const body = JSON.parse(request?.body ?? "");
  assert.equal(body.routing_key, "key");
  assert.equal(body.event_action, "trigger");
  assert.equal(body.dedup_key, message.checkId);
  assert.equal(body.payload.severity, "critical");
  assert.equal(body.payload.source, "web.example");
  assert.equal(body.payload.timestamp, message.startedAt);
  assert.match(body.payload.summary, /^Web is down: 80 %/);
  assert.equal(body.links.length, 2);
});

test("only recoveries resolve, under the same id, and every other kind triggers", async (t) => {
  const receiver = await startHttpReceiver(t);
  const config = { serviceKey: "key", baseUrl: receiver.url };
  const resolving: readonly AlertKind[] = ["ALERT_RECOVERY", "ALERT_DEGRADED_RECOVERY"];
  for (const kind of alertKinds) {
    await pagerdutyKind.send(createAlertMessage({ kind }), config, tools);
    const body = JSON.parse(receiver.requests.at(-1)?.body ?? "");
    assert.equal(body.event_action, resolving.includes(kind) ? "resolve" : "trigger", kind);
    assert.equal(body.dedup_key, createAlertMessage().checkId);
  }
});

test("hostile and very long names stay text within PagerDuty's limits", async (t) => {
  const receiver = await startHttpReceiver(t);
  const config = { serviceKey: "key", baseUrl: receiver.url };
  for (const message of [createHostileMessage(), createLongMessage()]) {
    await pagerdutyKind.send(message, config, tools);
    const { payload } = JSON.parse(receiver.requests.at(-1)?.body ?? "");
    assert.ok(payload.summary.length <= 1_024);
    assert.doesNotMatch(JSON.stringify(payload), /\\u0000|\\r|\\n|\u202e/);
  }
});

test("the recipient is the service's name, never its key", () => {
  const config = { serviceKey: "key", account: "acme", serviceName: "web\r\n" };
  assert.equal(pagerdutyKind.describeRecipient(config), "PagerDuty acme web");
  assert.equal(pagerdutyKind.describeRecipient({ serviceKey: "key" }), "PagerDuty");
});
