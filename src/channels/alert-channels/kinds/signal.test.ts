import assert from "node:assert/strict";
import { test } from "node:test";
import { Check } from "typebox/value";
import {
  createAlertMessage,
  createHostileMessage,
  createLongMessage,
  createSendTools,
} from "../../../../test/support/modules/alert-message.ts";
import { assertMatches, SignalMessage } from "../../../../test/support/modules/provider-schemas.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";
import { signalKind } from "./signal.ts";

const number = "+31612345678";
const tools = createSendTools();

test("a message goes to people and groups, with its links", async (t) => {
  const receiver = await startHttpReceiver(t, () => ({ status: 201 }));
  const recipients = "+31687654321, group.ckRz+/=, anna.01";
  const config = { url: receiver.url, number, recipients, token: "key" };
  const message = createAlertMessage();
  const outcome = await signalKind.send(message, config, tools);
  assert.deepEqual(outcome, { kind: "sent", statusCode: 201 });
  const [request] = receiver.requests;
  assert.equal(request?.path, "/v2/send");
  assert.equal(request?.headers.authorization, "Bearer key");
  const body = JSON.parse(request?.body ?? "");
  assertMatches(SignalMessage, body);
  assert.deepEqual(body.recipients, ["+31687654321", "group.ckRz+/=", "anna.01"]);
  assert.ok(body.message.startsWith("Web is down\n"));
  assert.ok(body.message.includes(String(message.acknowledgeUrl)));
  const described = signalKind.describeRecipient(config);
  assert.match(described, /^Signal \+31687654321 and 2 more at 127\.0\.0\.1:\d+$/);
});

test("a 400 is retried, because the server also sends it while Signal is unreachable", async (t) => {
  const receiver = await startHttpReceiver(t, () => ({ status: 400, body: '{"error":"x"}' }));
  const config = { url: receiver.url, number, recipients: number };
  const outcome = await signalKind.send(createAlertMessage(), config, tools);
  assert.ok(outcome.kind === "failed" && !outcome.isPermanent);
});

test("recipients are phone numbers, groups, user names and account ids", () => {
  const url = "https://signal.example.com";
  const group = `group.${btoa(btoa("a".repeat(32)))}`;
  const uuid = "b5e8c1a2-7b1f-4c52-9a37-0d6a4f2b8e11";
  for (const recipients of ["+31687654321", group, "anna.01", "anna.1234567890", uuid]) {
    assert.ok(Check(signalKind.ConfigSchema, { url, number, recipients }), recipients);
  }
  for (const recipients of ["", "0612345678", "+31687654321,", "a b", "group."]) {
    assert.equal(Check(signalKind.ConfigSchema, { url, number, recipients }), false, recipients);
  }
});

test("hostile and very long names stay text of a bounded length", async (t) => {
  const receiver = await startHttpReceiver(t);
  const config = { url: receiver.url, number, recipients: number };
  for (const message of [createHostileMessage(), createLongMessage()]) {
    await signalKind.send(message, config, tools);
    const body = JSON.parse(receiver.requests.at(-1)?.body ?? "");
    assertMatches(SignalMessage, body);
    assert.ok(body.message.length <= 2_200);
    assert.doesNotMatch(JSON.stringify(body), /\\u0000|\\r|\u202e/);
  }
});
