import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createAlertMessage,
  createHostileMessage,
  createLongMessage,
  createSendTools,
} from "../../../../test/support/modules/alert-message.ts";
import {
  assertMatches,
  GenieAlert,
  GenieClosing,
} from "../../../../test/support/modules/provider-schemas.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";
import type { OutboundRequest } from "../../../platform/outbound.ts";
import { jiraServiceManagementKind } from "./jira-service-management.ts";

const base = { name: "Team", apiKey: "key", priority: "P2" } as const;

test("an alert opens under the id of its check at the integration events API", async () => {
  const requests: OutboundRequest[] = [];
  const request = async (sent: OutboundRequest) => {
    requests.push(sent);
    const bodyBytes = Buffer.alloc(0);
    return { kind: "answered", status: 202, headers: {}, bodyText: "", bodyBytes } as const;
  };
  const message = createAlertMessage();
  const tools = createSendTools({ outbound: { request } });
  const outcome = await jiraServiceManagementKind.send(message, base, tools);
  assert.deepEqual(outcome, { kind: "sent", statusCode: 202 });
  assert.equal(requests[0]?.url, "https://api.atlassian.com/jsm/ops/integration/v2/alerts");
  assert.equal(requests[0]?.headers?.authorization, "GenieKey key");
  const body = JSON.parse(String(requests[0]?.body));
  assertMatches(GenieAlert, body);
  assert.equal(body.alias, message.checkId);
  assert.equal(body.priority, "P2");
});

test("a recovery closes the alert by its alias", async (t) => {
  const receiver = await startHttpReceiver(t, () => ({ status: 202 }));
  const config = { ...base, baseUrl: `${receiver.url}/jsm/ops/integration` };
  const message = createAlertMessage({ kind: "ALERT_RECOVERY" });
  await jiraServiceManagementKind.send(message, config, createSendTools());
  const [request] = receiver.requests;
  const path = `/jsm/ops/integration/v2/alerts/${message.checkId}/close?identifierType=alias`;
  assert.equal(request?.path, path);
  assertMatches(GenieClosing, JSON.parse(request?.body ?? ""));
});

test("hostile and very long names stay within the limits", async (t) => {
  const receiver = await startHttpReceiver(t);
  for (const message of [createHostileMessage(), createLongMessage()]) {
    const config = { ...base, baseUrl: receiver.url };
    await jiraServiceManagementKind.send(message, config, createSendTools());
    const { body = "" } = receiver.requests.at(-1) ?? {};
    assertMatches(GenieAlert, JSON.parse(body));
    assert.doesNotMatch(body, /\\u0000|\\r|\u202e/);
  }
});
