import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createAlertMessage,
  createHostileMessage,
  createLongMessage,
  createSendTools,
} from "../../../../test/support/modules/alert-message.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";
import type { AlertMessage } from "../alert-text.ts";
import { smsKind } from "./sms.ts";

const config = { name: "On call", number: "+31 (6) 12-34.56/78" };

test("an alert goes to the gateway with a plain number and the gateway's token", async (t) => {
  const receiver = await startHttpReceiver(t, () => ({ status: 202 }));
  const smsGateway = { url: `${receiver.url}/send`, token: "gateway token" };
  const message = createAlertMessage();
  const outcome = await smsKind.send(message, config, createSendTools({ smsGateway }));
  assert.deepEqual(outcome, { kind: "sent", statusCode: 202 });
  const [request] = receiver.requests;
  assert.equal(request?.headers.authorization, "Bearer gateway token");
  assert.equal(request?.headers["idempotency-key"], message.idempotencyKey);
  assert.deepEqual(JSON.parse(request?.body ?? ""), {
    to: "+31612345678",
    message:
      "Web is down. 80 % of the packets to web.example were lost. https://vedette.example/acknowledge/abc",
    idempotencyKey: message.idempotencyKey,
  });
});

test("a message has at most two parts, a whole link and no line breaks", async (t) => {
  const receiver = await startHttpReceiver(t);
  const tools = createSendTools({ smsGateway: { url: receiver.url, token: null } });
  const write = async (message: AlertMessage): Promise<string> => {
    await smsKind.send(message, config, tools);
    const { body = "" } = receiver.requests.at(-1) ?? {};
    return JSON.parse(body).message;
  };
  const plain = await write(createAlertMessage({ reason: "lost ".repeat(200) }));
  assert.equal(plain.length, 306);
  assert.ok(plain.endsWith("... https://vedette.example/acknowledge/abc"));
  const unicode = await write(createLongMessage());
  assert.ok(unicode.length <= 134 && unicode.isWellFormed());
  assert.ok(unicode.endsWith("… https://vedette.example/acknowledge/abc"));
  const hostile = await write(createHostileMessage());
  assert.doesNotMatch(hostile, /[\p{Cc}\u202e]/u);
  assert.ok(hostile.length <= 134);
  const endless = `https://vedette.example/${"x".repeat(400)}`;
  const linkless = await write(createAlertMessage({ acknowledgeUrl: endless }));
  assert.ok(!linkless.includes("https:"));
});

test("without a gateway a text message stays pending", async () => {
  const outcome = await smsKind.send(createAlertMessage(), config, createSendTools());
  assert.ok(outcome.kind === "failed" && !outcome.isPermanent);
});
