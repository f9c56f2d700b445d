import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createAlertMessage,
  createHostileMessage,
  createLongMessage,
  createSendTools,
} from "../../../../test/support/modules/alert-message.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";
import { telegramKind } from "./telegram.ts";

const tools = createSendTools();
const secrets = { botToken: "123456:ABC-def_1", chatId: "-100123" };

test("an alert arrives at the bot's own address", async (t) => {
  const receiver = await startHttpReceiver(t, () => ({ body: '{"ok":true}' }));
  const config = { ...secrets, baseUrl: `${receiver.url}/` };
  const outcome = await telegramKind.send(createAlertMessage(), config, tools);
  assert.deepEqual(outcome, { kind: "sent", statusCode: 200 });
  const [request] = receiver.requests;
  assert.equal(request?.path, "/bot123456:ABC-def_1/sendMessage");
  const body = JSON.parse(request?.body ?? "");
  assert.equal(body.chat_id, "-100123");
  assert.equal(body.parse_mode, "HTML");
  assert.ok(body.text.startsWith("<b>Web is down</b>\n"));
  assert.ok(
    body.text.includes('<a href="https://vedette.example/acknowledge/abc">Acknowledge</a>'),
  );
});

test("a token cannot change the path of the request", async (t) => {
  const receiver = await startHttpReceiver(t);
  const config = { ...secrets, botToken: "x/../../evil?a=#", baseUrl: receiver.url };
  await telegramKind.send(createAlertMessage(), config, tools);
  assert.equal(receiver.requests[0]?.path, "/botx%2F..%2F..%2Fevil%3Fa%3D%23/sendMessage");
});

test("a hostile name opens no tag", async (t) => {
  const receiver = await startHttpReceiver(t);
  await telegramKind.send(createHostileMessage(), { ...secrets, baseUrl: receiver.url }, tools);
  const { text } = JSON.parse(receiver.requests[0]?.body ?? "");
  const tags = [...text.matchAll(/<[^>]*>/g)].map(([tag]) => tag);
  for (const tag of tags)
    assert.match(tag, /^<\/?(b|code|a)>$|^<a href="https:\/\/vedette\.[^"]*">$/);
  assert.ok(text.includes("&lt;!channel&gt;"));
});

test("the longest alert stays within Telegram's limit of 4096 characters", async (t) => {
  const receiver = await startHttpReceiver(t);
  await telegramKind.send(createLongMessage(), { ...secrets, baseUrl: receiver.url }, tools);
  const { text } = JSON.parse(receiver.requests[0]?.body ?? "");
  const shown = text.replaceAll(/<[^>]*>/g, "").replaceAll(/&[^;]*;/g, "x");
  assert.ok(shown.length <= 4_096);
});

test("the retry delay is read from the body", async (t) => {
  const body = '{"ok":false,"error_code":429,"parameters":{"retry_after":35}}';
  const receiver = await startHttpReceiver(t, () => ({ status: 429, body }));
  const config = { ...secrets, baseUrl: receiver.url };
  const outcome = await telegramKind.send(createAlertMessage(), config, tools);
  assert.ok(outcome.kind === "failed" && !outcome.isPermanent);
  assert.equal(outcome.retryAfterSeconds, 35);
});
