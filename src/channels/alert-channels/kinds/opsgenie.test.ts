import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createAlertMessage,
  createHostileMessage,
  createLongMessage,
  createSendTools,
} from "../../../../test/support/modules/alert-message.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";
import type { OutboundRequest } from "../../../platform/outbound.ts";
import { opsgenieKind } from "./opsgenie.ts";

const tools = createSendTools();
const base = { name: "Team", apiKey: "key", region: "EU", priority: "P2" } as const;

test("an alert opens under the id of its check, with the channel's priority", async (t) => {
  const receiver = await startHttpReceiver(t, () => ({ status: 202 }));
  const config = { ...base, baseUrl: receiver.url };
  const message = createAlertMessage();
  const outcome = await opsgenieKind.send(message, config, tools);
  assert.deepEqual(outcome, { kind: "sent", statusCode: 202 });
  const [request] = receiver.requests;
  assert.equal(request?.path, "/v2/alerts");
  assert.equal(request?.headers.authorization, "GenieKey key");
  const body = JSON.parse(request?.body ?? "");
  assert.equal(body.message, "Web is down");
  assert.equal(body.alias, message.checkId);
  assert.equal(body.priority, "P2");
  assert.deepEqual(body.tags, ["production", "eu"]);
});

test("a recovery closes the alert of that id", async (t) => {
  const receiver = await startHttpReceiver(t, () => ({ status: 202 }));
  const config = { ...base, baseUrl: receiver.url };
  const message = createAlertMessage({ kind: "ALERT_RECOVERY", checkId: "a/b?c" });
  await opsgenieKind.send(message, config, tools);
  const [request] = receiver.requests;
  assert.equal(request?.path, "/v2/alerts/a%2Fb%3Fc/close?identifierType=alias");
});

test("each region has its own host", async () => {
  const hosts: string[] = [];
  const request = async ({ url }: OutboundRequest) => {
    hosts.push(new URL(url).host);
    return {
      kind: "answered",
      status: 202,
      headers: {},
      bodyText: "",
      bodyBytes: Buffer.alloc(0),
    } as const;
  };
  for (const region of ["EU", "US"] as const) {
    await opsgenieKind.send(
      createAlertMessage(),
      { ...base, region },
      createSendTools({ outbound: { request } }),
    );
  }
  assert.deepEqual(hosts, ["api.eu.opsgenie.com", "api.opsgenie.com"]);
});

test("hostile and very long names stay text within Opsgenie's limits", async (t) => {
  const receiver = await startHttpReceiver(t);
  const config = { ...base, baseUrl: receiver.url };
  for (const message of [createHostileMessage(), createLongMessage()]) {
    await opsgenieKind.send(message, config, tools);
    const body = JSON.parse(receiver.requests.at(-1)?.body ?? "");
    assert.ok(body.message.length <= 130 && body.description.length <= 15_000);
    assert.ok(body.tags.length <= 20);
    for (const tag of body.tags) assert.ok(tag.length <= 50);
    assert.doesNotMatch(JSON.stringify(body), /\\u0000|\\r|\u202e/);
  }
});
