import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import {
  createAlertMessage,
  createHostileMessage,
  createSendTools,
  hostileName,
} from "../../../../test/support/modules/alert-message.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";
import { webhookKind } from "./webhook.ts";

type Config = Parameters<typeof webhookKind.send>[1];

const message = createAlertMessage();
const tools = createSendTools();

function hmac(text: string): string {
  return createHmac("sha256", "top secret").update(text).digest("hex");
}

test("by default the whole alert is posted as JSON with its idempotency key", async (t) => {
  const receiver = await startHttpReceiver(t, () => ({ status: 204 }));
  const config: Config = { name: "Mine", url: `${receiver.url}/hook` };
  const outcome = await webhookKind.send(message, config, tools);
  assert.deepEqual(outcome, { kind: "sent", statusCode: 204 });
  const [request] = receiver.requests;
  assert.equal(request?.method, "POST");
  assert.equal(request?.path, "/hook");
  assert.equal(request?.headers["content-type"], "application/json");
  assert.equal(request?.headers["idempotency-key"], message.idempotencyKey);
  assert.equal(request?.headers["x-vedette-timestamp"], "1772366400");
  assert.equal(request?.headers["x-vedette-signature"], undefined);
  const body = JSON.parse(request?.body ?? "");
  assert.equal(body.alertType, "ALERT_FAILURE");
  assert.equal(body.checkName, "Web");
  assert.equal(body.packetLossPercent, 80);
});

test("a secret signs the time and the body, and the body alone for older receivers", async (t) => {
  const receiver = await startHttpReceiver(t);
  const config: Config = { name: "Mine", url: receiver.url, webhookSecret: "top secret" };
  await webhookKind.send(message, config, tools);
  await webhookKind.send(message, config, { ...tools, now: new Date("2026-03-01T12:05:00Z") });
  const [first, second] = receiver.requests;
  for (const request of [first, second]) {
    const timestamp = request?.headers["x-vedette-timestamp"];
    const signed = hmac(`${timestamp}.${request?.body}`);
    assert.equal(request?.headers["x-vedette-signature"], signed);
    assert.equal(request?.headers["x-checkly-signature"], hmac(request?.body ?? ""));
  }
  assert.equal(first?.body, second?.body);
  assert.equal(first?.headers["idempotency-key"], second?.headers["idempotency-key"]);
  assert.notEqual(first?.headers["x-vedette-signature"], second?.headers["x-vedette-signature"]);
});

test("method, headers and query are configurable, but signatures cannot be replaced", async (t) => {
  const receiver = await startHttpReceiver(t);
  const config: Config = {
    name: "Mine",
    url: `${receiver.url}/hook?a=1`,
    method: "PUT",
    headers: [
      { key: "X-Team", value: "shop", locked: false },
      { key: "Idempotency-Key", value: "forged", locked: false },
      { key: "X-Vedette-Signature", value: "forged", locked: false },
      { key: "Host", value: "forged.example", locked: false },
    ],
    queryParameters: [{ key: "b&c", value: "2 3", locked: true }],
    webhookSecret: "top secret",
  };
  await webhookKind.send(message, config, tools);
  const [request] = receiver.requests;
  assert.equal(request?.method, "PUT");
  assert.equal(request?.path, "/hook?a=1&b%26c=2+3");
  assert.equal(request?.headers["x-team"], "shop");
  assert.equal(JSON.stringify(request?.headers).includes("forged"), false);
});

test("a template is rendered and escaped for its content type", async (t) => {
  const receiver = await startHttpReceiver(t);
  const template = '{"name":"{{CHECK_NAME}}","ms":{{RESPONSE_TIME}},"none":"{{constructor}}"}';
  const config: Config = { name: "Mine", url: receiver.url, template };
  await webhookKind.send({ ...createHostileMessage(), responseTimeMs: null }, config, tools);
  assert.deepEqual(JSON.parse(receiver.requests[0]?.body ?? ""), {
    name: hostileName,
    ms: null,
    none: "",
  });
  const form: Config = {
    ...config,
    template: "name={{CHECK_NAME}}&type={{ALERT_TYPE}}",
    headers: [{ key: "Content-Type", value: "application/x-www-form-urlencoded", locked: false }],
  };
  await webhookKind.send(createHostileMessage(), form, tools);
  const sent = new URLSearchParams(receiver.requests[1]?.body);
  assert.equal(sent.get("name"), hostileName);
  assert.equal(sent.get("type"), "ALERT_FAILURE");
});

test("a body that is too large is not sent", async (t) => {
  const receiver = await startHttpReceiver(t);
  const template = "{{CHECK_NAME}}".repeat(100);
  const long = createAlertMessage({ checkName: "x".repeat(1_000) });
  const outcome = await webhookKind.send(
    long,
    { name: "Mine", url: receiver.url, template },
    tools,
  );
  assert.ok(outcome.kind === "failed" && outcome.isPermanent);
  assert.equal(receiver.requests.length, 0);
});

test("GET has neither body nor content type but is signed", async (t) => {
  const receiver = await startHttpReceiver(t);
  const config: Config = {
    name: "Mine",
    url: receiver.url,
    method: "GET",
    template: "x",
    webhookSecret: "top secret",
  };
  await webhookKind.send(message, config, tools);
  const [request] = receiver.requests;
  assert.equal(request?.method, "GET");
  assert.equal(request?.body, "");
  assert.equal(request?.headers["content-type"], undefined);
  assert.equal(request?.headers["x-vedette-signature"], hmac("1772366400."));
});

test("the recipient is the name and the host, without possible secrets", () => {
  const url = "https://u:s3cret@hooks.example/s3cret?token=s3cret";
  assert.equal(webhookKind.describeRecipient({ name: "Mi\r\nne", url }), "Mi ne at hooks.example");
});
