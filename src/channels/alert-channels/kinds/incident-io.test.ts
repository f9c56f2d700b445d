import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  createAlertMessage,
  createHostileMessage,
  createLongMessage,
  createSendTools,
} from "../../../../test/support/modules/alert-message.ts";
import {
  assertMatches,
  IncidentIoEvent,
} from "../../../../test/support/modules/provider-schemas.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";
import type { AlertMessage } from "../alert-text.ts";
import { incidentIoKind } from "./incident-io.ts";

async function send(t: TestContext, message: AlertMessage) {
  const receiver = await startHttpReceiver(t, () => ({ status: 202 }));
  const config = { name: "Team", sourceId: "01GW2G3V0S59", token: "key", baseUrl: receiver.url };
  const outcome = await incidentIoKind.send(message, config, createSendTools());
  assert.deepEqual(outcome, { kind: "sent", statusCode: 202 });
  const [request] = receiver.requests;
  const event = JSON.parse(request?.body ?? "");
  assertMatches(IncidentIoEvent, event);
  return { request, event };
}

test("a failure fires an alert under the id of its check", async (t) => {
  const message = createAlertMessage();
  const { request, event } = await send(t, message);
  assert.equal(request?.path, "/v2/alert_events/http/01GW2G3V0S59");
  assert.equal(request?.headers.authorization, "Bearer key");
  assert.equal(event.status, "firing");
  assert.equal(event.deduplication_key, message.checkId);
  assert.equal(event.source_url, message.alertUrl);
  assert.equal(event.metadata.severity, "critical");
  assert.deepEqual(event.metadata.tags, ["production", "eu"]);
});

test("a recovery resolves the same alert", async (t) => {
  const message = createAlertMessage({ kind: "ALERT_RECOVERY" });
  const { event } = await send(t, message);
  assert.equal(event.status, "resolved");
  assert.equal(event.deduplication_key, message.checkId);
});

test("hostile and very long names are bounded", async (t) => {
  for (const message of [createHostileMessage(), createLongMessage()]) {
    const { request, event } = await send(t, message);
    assert.doesNotMatch(event.description, /(?<!\\)\[x\]/);
    assert.doesNotMatch(request?.body ?? "", /\\u0000|\\r|\u202e/);
    assert.ok((request?.body ?? "").length < 20_000);
  }
});
