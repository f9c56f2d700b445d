import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createAlertMessage,
  createHostileMessage,
  createLongMessage,
  createSendTools,
} from "../../../../test/support/modules/alert-message.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";

import { googleChatKind } from "./google-chat.ts";

const tools = createSendTools();

test("an alert is a card, and the alerts of one check form a thread", async (t) => {
  const receiver = await startHttpReceiver(t);
  const config = { url: `${receiver.url}/v1/spaces/x/messages?key=k&token=t` };
  const failure = createAlertMessage();
  const outcome = await googleChatKind.send(failure, config, tools);
  assert.deepEqual(outcome, { kind: "sent", statusCode: 200 });
  await googleChatKind.send(createAlertMessage({ kind: "ALERT_RECOVERY" }), config, tools);
  const [request, recovery] = receiver.requests;
  const query = new URLSearchParams(request?.path.split("?")[1]);
  assert.deepEqual([query.get("key"), query.get("token")], ["k", "t"]);
  assert.equal(query.get("messageReplyOption"), "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD");
  const body = JSON.parse(request?.body ?? "");
  assert.deepEqual(body.thread, { threadKey: failure.checkId });
  assert.deepEqual(JSON.parse(recovery?.body ?? "").thread, body.thread);
  const { header, sections } = body.cardsV2[0].card;
  assert.equal(header.title, "Web is down");
  assert.equal(sections[0].widgets[2].decoratedText.text, "web.example");
  assert.deepEqual(
    sections[1].widgets[0].buttonList.buttons.map((one: { text: string }) => one.text),
    ["Open the alert", "Acknowledge"],
  );
});

test("hostile and very long names are text in a card within Google's limits", async (t) => {
  const receiver = await startHttpReceiver(t);
  for (const message of [createHostileMessage(), createLongMessage()]) {
    await googleChatKind.send(message, { url: receiver.url }, tools);
    const text = receiver.requests.at(-1)?.body ?? "";
    assert.ok(Buffer.byteLength(text) < 32_000);
    const { widgets } = JSON.parse(text).cardsV2[0].card.sections[0];
    for (const { decoratedText } of widgets.slice(1)) {
      assert.doesNotMatch(decoratedText.text, /[<>]/);
    }
    assert.match(widgets[0].textParagraph.text, /^<font color="#\w{6}"><b>[^<>]*<\/b><\/font>$/);
  }
});
