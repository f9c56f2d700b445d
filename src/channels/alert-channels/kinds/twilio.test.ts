import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { type TestContext, test } from "node:test";
import { Check } from "typebox/value";
import {
  createAlertMessage,
  createHostileMessage,
  createLongMessage,
  createSendTools,
} from "../../../../test/support/modules/alert-message.ts";
import { createChannelConfigs } from "../../../../test/support/modules/channel-configs.ts";
import {
  assertMatches,
  TwilioCall,
  TwilioMessage,
} from "../../../../test/support/modules/provider-schemas.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";
import type { AlertMessage } from "../alert-text.ts";
import { twilioKind } from "./twilio.ts";

const tools = createSendTools({ channelId: 7 });
type Config = Parameters<typeof twilioKind.send>[1];

async function send(t: TestContext, message: AlertMessage, changes: Partial<Config> = {}) {
  const receiver = await startHttpReceiver(t, () => ({ status: 201 }));
  const config = { ...createChannelConfigs(receiver.url, "key").TWILIO, ...changes };
  const outcome = await twilioKind.send(message, config, tools);
  assert.deepEqual(outcome, { kind: "sent", statusCode: 201 });
  const [request] = receiver.requests;
  const fields = Object.fromEntries(new URLSearchParams(request?.body ?? ""));
  return { request, fields };
}

test("a call reads the alert aloud and sends the pressed key to the acknowledge link", async (t) => {
  const message = createAlertMessage();
  const { request, fields } = await send(t, message);
  assert.equal(request?.path, `/2010-04-01/Accounts/AC${"0".repeat(32)}/Calls.json`);
  assert.equal(request?.headers.authorization, `Basic ${btoa(`AC${"0".repeat(32)}:key`)}`);
  assertMatches(TwilioCall, fields);
  const twiml = fields.Twiml ?? "";
  assert.ok(twiml.includes(`action="${message.acknowledgeUrl}/call/7"`), twiml);
  assert.match(
    twiml,
    /<Say loop="2">Web is down\. 80 % of the packets .* Press 1 to acknowledge\./,
  );
});

test("a call about a recovery offers no key", async (t) => {
  const message = createAlertMessage({ kind: "ALERT_RECOVERY", acknowledgeUrl: null });
  const { fields } = await send(t, message);
  assert.doesNotMatch(fields.Twiml ?? "", /Gather|Press/);
});

test("a text message has the link, and its sender is a number, a name or a service", async (t) => {
  const message = createAlertMessage();
  const service = `MG${"a".repeat(32)}`;
  for (const from of ["+15005550006", "Vedette", service]) {
    const { request, fields } = await send(t, message, { method: "SMS", from });
    assert.match(request?.path ?? "", /\/Messages\.json$/);
    assertMatches(TwilioMessage, fields);
    assert.equal(fields.From ?? fields.MessagingServiceSid, from);
    assert.ok(fields.Body?.endsWith(String(message.acknowledgeUrl)));
  }
});

test("a signature may leave out the port of the address, or have the default one", () => {
  const authToken = "12345";
  const config = { ...createChannelConfigs("https://example.com").TWILIO, authToken };
  const fields = new Map([["Digits", "1"]]);
  const read = (url: string, signed: string) => {
    const signature = createHmac("sha1", authToken).update(`${signed}Digits1`).digest("base64");
    return twilioKind.calls?.readDigits({ url, fields, signature }, config);
  };
  const accepted = [
    ["https://a.example:8443/x/call/7", "https://a.example/x/call/7"],
    ["https://a.example:8443/x/call/7", "https://a.example:8443/x/call/7"],
    ["https://a.example/x/call/7", "https://a.example:443/x/call/7"],
    ["http://a.example/x/call/7", "http://a.example:80/x/call/7"],
  ] as const;
  for (const [url, signed] of accepted) assert.equal(read(url, signed), "1", signed);
  const rejected = ["https://b.example/x/call/7", "https://a.example:444/x/call/7"];
  for (const signed of rejected) assert.equal(read("https://a.example/x/call/7", signed), null);
});

test("a sender name has the characters that Twilio accepts", () => {
  const config = createChannelConfigs("https://example.com").TWILIO;
  for (const from of ["Ops & Co-1", "On_call+", "12345"]) {
    assert.ok(Check(twilioKind.ConfigSchema, { ...config, method: "SMS", from }), from);
  }
  for (const from of ["Ops!", "More than 11", ""]) {
    assert.equal(Check(twilioKind.ConfigSchema, { ...config, method: "SMS", from }), false, from);
  }
  assert.equal(twilioKind.findFault?.({ ...config, from: "+call" })?.key, "from");
});

test("a call needs a number as its sender", () => {
  const config = createChannelConfigs("https://example.com").TWILIO;
  assert.equal(twilioKind.findFault?.(config), null);
  assert.equal(twilioKind.findFault?.({ ...config, from: "Vedette" })?.key, "from");
  assert.equal(twilioKind.findFault?.({ ...config, method: "SMS", from: "Vedette" }), null);
});

test("a signature is compared with the vector in Twilio's documentation", () => {
  const config = { ...createChannelConfigs("https://example.com").TWILIO, authToken: "12345" };
  const fields = new Map([
    ["CallSid", "CA1234567890ABCDE"],
    ["From", "+12349013030"],
    ["To", "+18005551212"],
    ["Digits", "1234"],
    ["Caller", "+12349013030"],
  ]);
  const request = {
    url: "https://mycompany.com/myapp.php?foo=1&bar=2",
    fields,
    signature: "0/KCTR6DLpKmkAf8muzZqo1nDgQ=",
  };
  const read = (changes: Partial<typeof request>) =>
    twilioKind.calls?.readDigits({ ...request, ...changes }, config);
  assert.equal(read({}), "1234");
  assert.equal(read({ url: "https://mycompany.com/myapp.php?foo=1" }), null);
  assert.equal(read({ fields: new Map([...fields, ["Digits", "1"]]) }), null);
  for (const signature of ["", "0", "0/KCTR6DLpKmkAf8muzZqo1nDgA="]) {
    assert.equal(read({ signature }), null);
  }
});

test("hostile and very long names stay text within Twilio's limits", async (t) => {
  for (const message of [createHostileMessage(), createLongMessage()]) {
    const { fields } = await send(t, message);
    assertMatches(TwilioCall, fields);
    assert.doesNotMatch(fields.Twiml ?? "", /<script|<\/td|\0|\r|\u202e/);
    const text = await send(t, message, { method: "SMS" });
    assertMatches(TwilioMessage, text.fields);
  }
});
