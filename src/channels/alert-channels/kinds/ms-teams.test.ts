import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createAlertMessage,
  createHostileMessage,
  createLongMessage,
  createSendTools,
  hostileName,
} from "../../../../test/support/modules/alert-message.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";
import { toOneLine } from "../../../platform/text/clip.ts";
import { msTeamsKind } from "./ms-teams.ts";

const tools = createSendTools();

test("an alert arrives as an adaptive card with its links", async (t) => {
  const receiver = await startHttpReceiver(t, () => ({ status: 202 }));
  const config = { url: `${receiver.url}/workflows/1?sig=x` };
  const outcome = await msTeamsKind.send(createAlertMessage(), config, tools);
  assert.deepEqual(outcome, { kind: "sent", statusCode: 202 });
  const body = JSON.parse(receiver.requests[0]?.body ?? "");
  assert.equal(body.type, "message");
  const [{ contentType, content }] = body.attachments;
  assert.equal(contentType, "application/vnd.microsoft.card.adaptive");
  assert.equal(content.type, "AdaptiveCard");
  assert.equal(content.body[0].inlines[0].text, "Web is down");
  assert.equal(content.body[0].inlines[0].color, "Attention");
  assert.deepEqual(
    content.actions.map((action: { url: string }) => action.url),
    ["https://vedette.example/alerts/alert-1", "https://vedette.example/acknowledge/abc"],
  );
});

test("names are only in text runs, which do not interpret Markdown", async (t) => {
  const receiver = await startHttpReceiver(t);
  await msTeamsKind.send(createHostileMessage(), { url: receiver.url }, tools);
  const { body = "" } = receiver.requests[0] ?? {};
  const [{ content }] = JSON.parse(body).attachments;
  for (const block of content.body) {
    assert.equal(block.type, "RichTextBlock");
    for (const run of block.inlines) assert.equal(run.type, "TextRun");
  }
  assert.equal(content.body[1].inlines[0].text, toOneLine(hostileName));
});

test("the longest alert stays below the card limit of 28 KB", async (t) => {
  const receiver = await startHttpReceiver(t);
  await msTeamsKind.send(createLongMessage(), { url: receiver.url }, tools);
  assert.ok(Buffer.byteLength(receiver.requests[0]?.body ?? "") < 28_000);
});

test("a response with status 200 and an error text is a temporary failure", async (t) => {
  const body = "Webhook message delivery failed with error: Microsoft Teams endpoint returned 429";
  const receiver = await startHttpReceiver(t, () => ({ body }));
  const outcome = await msTeamsKind.send(createAlertMessage(), { url: receiver.url }, tools);
  assert.ok(outcome.kind === "failed" && !outcome.isPermanent && outcome.statusCode === 200);
});
