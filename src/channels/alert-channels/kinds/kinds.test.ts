/**
 * Tests common to all kinds: the same interface, the same interpretation of responses, and no
 * leaks.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import { Check } from "typebox/value";
import {
  createAlertMessage,
  createOneDevice,
  createSendTools,
} from "../../../../test/support/modules/alert-message.ts";
import { createChannelConfigs } from "../../../../test/support/modules/channel-configs.ts";
import { type Answer, startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";
import { smtpError, startMailReceiver } from "../../../../test/support/servers/mail-receiver.ts";
import type { SendOutcome } from "../../../platform/deliverer.ts";
import { Encryption } from "../../../platform/encryption.ts";
import { createMailer } from "../../../platform/mail.ts";
import { createOutbound, type Outbound } from "../../../platform/outbound.ts";
import type { SendTools } from "../channel-kind.ts";
import { maskConfig, openConfig, restoreMasked, sealConfig } from "../config-secrets.ts";
import { type ChannelType, channelKinds } from "./index.ts";

const secret = "s3cret-canary";
const message = createAlertMessage();
const types = Object.keys(channelKinds) as ChannelType[];
const httpTypes = types.filter((type) => type !== "EMAIL" && type !== "ONCALL");
const open = createOutbound({ allowPrivate: true });

function toolsFor(url: string, changes: Partial<SendTools> = {}): SendTools {
  const smsGateway = { url: `${url}/sms`, token: secret };
  return createSendTools({ smsGateway, push: createOneDevice(`${url}/${secret}`), ...changes });
}

function send(type: ChannelType, url: string, tools = toolsFor(url)): Promise<SendOutcome> {
  return channelKinds[type].send(message, createChannelConfigs(url, secret)[type], tools);
}

async function sendTo(t: TestContext, type: ChannelType, answer: Answer): Promise<SendOutcome> {
  const receiver = await startHttpReceiver(t, () => answer);
  return send(type, receiver.url);
}

function hurried(outbound: Outbound): Outbound {
  return { request: (request) => outbound.request({ ...request, timeoutMs: 80 }) };
}

test("a kind is in the map under its own type, and its schema accepts its configuration", () => {
  const configs = createChannelConfigs("https://example.com", secret);
  for (const type of types) {
    const { type: own, ConfigSchema } = channelKinds[type];
    assert.equal(own, type);
    assert.ok(Check(ConfigSchema, configs[type]), type);
    assert.equal(Check(ConfigSchema, {}), false, type);
  }
});

test("a masked configuration passes the schema and restores to the secrets", () => {
  const configs = createChannelConfigs("https://example.com", secret);
  for (const type of types) {
    const kind = channelKinds[type];
    const masked = maskConfig(kind, configs[type]);
    assert.ok(Check(kind.ConfigSchema, masked), type);
    const restored = restoreMasked(kind, masked, configs[type]);
    assert.deepEqual(restored, { kind: "restored", config: configs[type] });
  }
});

test("every kind that uses HTTP distinguishes temporary from permanent failures", async (t) => {
  for (const type of httpTypes) {
    for (const status of [401, 403, 404, 410]) {
      const outcome = await sendTo(t, type, { status });
      assert.ok(outcome.kind === "failed" && outcome.isPermanent, `${type} ${status}`);
      assert.equal(outcome.statusCode, status);
    }
    for (const status of [408, 425, 429, 500, 502, 503, 504]) {
      const outcome = await sendTo(t, type, { status, headers: { "retry-after": "7" } });
      assert.ok(outcome.kind === "failed" && !outcome.isPermanent, `${type} ${status}`);
      assert.equal(outcome.retryAfterSeconds, 7);
    }
  }
});

test("a timeout, a slow response, a reset and a closed port are retried", async (t) => {
  const silent = await startHttpReceiver(t, () => undefined);
  const drip = await startHttpReceiver(t, (_request, response) => {
    const timer = setInterval(() => response.write("x"), 5);
    response.on("close", () => clearInterval(timer));
    return undefined;
  });
  const reset = await startHttpReceiver(t, (_request, response) => {
    response.socket?.resetAndDestroy();
    return undefined;
  });
  for (const url of [silent.url, drip.url, reset.url, "http://127.0.0.1:2"]) {
    const outcomes = await Promise.all(
      httpTypes.map((type) => send(type, url, toolsFor(url, { outbound: hurried(open) }))),
    );
    for (const [index, outcome] of outcomes.entries()) {
      assert.ok(outcome.kind === "failed" && !outcome.isPermanent, `${httpTypes[index]} ${url}`);
    }
  }
});

test("every repeat of a message has the same key", async (t) => {
  for (const type of httpTypes) {
    const receiver = await startHttpReceiver(t, () => ({ status: 503 }));
    await send(type, receiver.url);
    await send(type, receiver.url);
    const [first, second] = receiver.requests.map(({ headers }) => headers["idempotency-key"]);
    assert.equal(first, message.idempotencyKey, type);
    assert.equal(second, first);
  }
});

test("nothing is sent to a forbidden network", async (t) => {
  const receiver = await startHttpReceiver(t);
  const closed = createOutbound({ allowPrivate: false });
  for (const type of httpTypes) {
    const tools = toolsFor(receiver.url, { outbound: closed });
    const outcome = await send(type, receiver.url, tools);
    assert.ok(outcome.kind === "failed" && outcome.isPermanent, type);
  }
  assert.equal(receiver.requests.length, 0);
});

test("no secret is in a recipient, a reason or a thrown error, for any failure", async (t) => {
  const echo = await startHttpReceiver(t, ({ path, headers, body }) => ({
    status: 500,
    headers: { "retry-after": secret },
    body: `${path} ${JSON.stringify(headers)} ${body}`,
  }));
  const astray = await startHttpReceiver(t, ({ path }) => ({
    status: 307,
    headers: { location: `ftp://${secret}@127.0.0.1${path}` },
  }));
  const denied = await startHttpReceiver(t, () => ({ status: 401, body: secret }));
  const places = [echo.url, astray.url, denied.url, "http://127.0.0.1:2", "http://127.0.0.1:25"];
  places.push("http://[broken", "gopher://127.0.0.1", "", `http://u:${secret}@127.0.0.1:2`);
  for (const type of types) {
    for (const url of places) {
      const tools = toolsFor(url, { outbound: hurried(open) });
      const sent = await send(type, url, tools).then(JSON.stringify, String);
      assert.equal(sent.includes(secret), false, `${type} to ${url}: ${sent}`);
      assert.ok(sent.includes('"failed"'), `${type} to ${url}: ${sent}`);
      const config = createChannelConfigs(url, secret)[type];
      const recipient = channelKinds[type].describeRecipient(config);
      assert.equal(recipient.includes(secret), false, recipient);
      assert.notEqual(recipient, "");
    }
  }
});

test("a mail server that echoes its credentials does not leak them into a reason", async (t) => {
  const receiver = await startMailReceiver(t, {
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(Object.assign(smtpError(535), { message: secret })),
  });
  const url = receiver.url.replace("//", `//user:${secret}@`);
  const mailer = createMailer({ url, from: "alerts@vedette.example" });
  t.after(() => mailer.close());
  const sent = JSON.stringify(await send("EMAIL", url, toolsFor(url, { mailer })));
  assert.ok(sent.includes('"failed"'));
  assert.equal(sent.includes(secret), false, sent);
});

test("no secret is in a masked or encrypted configuration, and encryption is lossless", () => {
  const encryption = new Encryption(randomBytes(32));
  const configs = createChannelConfigs("https://example.com", secret);
  for (const type of types) {
    const kind = channelKinds[type];
    const config = configs[type];
    const hasSecret = JSON.stringify(config).includes(secret);
    assert.equal(hasSecret, kind.secretFields.length > 0, type);
    const sealed = JSON.stringify(sealConfig(kind, config, encryption));
    const masked = JSON.stringify(maskConfig(kind, config));
    for (const text of [sealed, masked]) assert.equal(text.includes(secret), false, text);
    assert.deepEqual(openConfig(kind, JSON.parse(sealed), encryption).config, config);
  }
});
