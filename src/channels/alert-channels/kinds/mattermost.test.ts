import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createAlertMessage,
  createHostileMessage,
  createLongMessage,
  createSendTools,
} from "../../../../test/support/modules/alert-message.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";

import { mattermostKind } from "./mattermost.ts";

const tools = createSendTools();
const read = (body: string | undefined) => JSON.parse(body ?? "").attachments[0];

test("an alert arrives as an attachment with facts and links, in the configured channel", async (t) => {
  const receiver = await startHttpReceiver(t);
  const config = { url: `${receiver.url}/hooks/x1`, channel: "town-square" };
  const outcome = await mattermostKind.send(createAlertMessage(), config, tools);
  assert.deepEqual(outcome, { kind: "sent", statusCode: 200 });
  const [request] = receiver.requests;
  assert.equal(request?.path, "/hooks/x1");
  assert.equal(JSON.parse(request?.body ?? "").channel, "town-square");
  const attachment = read(request?.body);
  assert.equal(attachment.title, "Web is down");
  assert.deepEqual(attachment.fields[1], { short: true, title: "Target", value: "web.example" });
  assert.ok(attachment.text.includes("[Acknowledge](https://vedette.example/acknowledge/abc)"));
});

test("a hostile name creates no formatting and no mention", async (t) => {
  const receiver = await startHttpReceiver(t);
  await mattermostKind.send(createHostileMessage(), { url: receiver.url }, tools);
  const { title, fields } = read(receiver.requests[0]?.body);
  for (const text of [title, ...fields.map((field: { value: string }) => field.value)]) {
    assert.doesNotMatch(text.replaceAll(/\\./gs, ""), /[\\`*_~|>#[\]()<]/);
    assert.doesNotMatch(text, /@[a-z]/);
  }
});

test("the longest alert stays within the limits of older servers", async (t) => {
  const receiver = await startHttpReceiver(t);
  await mattermostKind.send(createLongMessage(), { url: receiver.url }, tools);
  const attachment = read(receiver.requests[0]?.body);
  assert.ok(JSON.stringify(attachment).length <= 8_000);
  assert.ok(attachment.text.endsWith("(https://vedette.example/acknowledge/abc)"));
});
