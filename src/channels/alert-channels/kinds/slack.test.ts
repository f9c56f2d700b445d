import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createAlertMessage,
  createHostileMessage,
  createLongMessage,
  createSendTools,
} from "../../../../test/support/modules/alert-message.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";
import { colors } from "../../../pages/tokens.ts";
import { slackKind } from "./slack.ts";

const tools = createSendTools();

test("an alert arrives with its title, its facts and its buttons", async (t) => {
  const receiver = await startHttpReceiver(t);
  const config = { url: `${receiver.url}/services/T/B/x`, channel: "#alerts" };
  const outcome = await slackKind.send(createAlertMessage(), config, tools);
  assert.deepEqual(outcome, { kind: "sent", statusCode: 200 });
  const [request] = receiver.requests;
  assert.equal(request?.path, "/services/T/B/x");
  const body = JSON.parse(request?.body ?? "");
  assert.equal(body.text, "Web is down");
  assert.equal(body.channel, "#alerts");
  const [attachment] = body.attachments;
  assert.equal(attachment.color, colors.light.bad);
  const [reason, facts, actions] = attachment.blocks;
  assert.equal(reason.text.text, "80 % of the packets to web.example were lost.");
  assert.ok(facts.fields.some((field: { text: string }) => field.text === "*Target*\nweb.example"));
  assert.equal(actions.elements[1].url, "https://vedette.example/acknowledge/abc");
});

test("without a channel and links only the text is sent to the webhook's channel", async (t) => {
  const receiver = await startHttpReceiver(t);
  const message = createAlertMessage({ alertUrl: null, resultUrl: null, acknowledgeUrl: null });
  await slackKind.send(message, { url: receiver.url }, tools);
  const body = JSON.parse(receiver.requests[0]?.body ?? "");
  assert.equal("channel" in body, false);
  assert.equal(body.attachments[0].blocks.length, 2);
});

test("a hostile name creates no mention and no link", async (t) => {
  const receiver = await startHttpReceiver(t);
  await slackKind.send(createHostileMessage(), { url: receiver.url }, tools);
  const { body = "" } = receiver.requests[0] ?? {};
  assert.ok(body.includes("&lt;!channel&gt;"));
  assert.doesNotMatch(body, /[<>]/);
  assert.equal(JSON.parse(body).link_names, false);
});

test("the longest alert stays within Slack's limits", async (t) => {
  const receiver = await startHttpReceiver(t);
  await slackKind.send(createLongMessage(), { url: receiver.url }, tools);
  const body = JSON.parse(receiver.requests[0]?.body ?? "");
  const [reason, facts] = body.attachments[0].blocks;
  assert.ok(reason.text.text.length <= 3_000);
  assert.ok(facts.fields.length <= 10);
  for (const { text } of facts.fields) assert.ok(text.length <= 2_000);
});
