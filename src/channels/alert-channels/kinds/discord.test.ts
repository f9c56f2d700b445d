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
import { discordKind } from "./discord.ts";

const tools = createSendTools();

test("an alert arrives as an embed in the colour of its tone", async (t) => {
  const receiver = await startHttpReceiver(t, () => ({ status: 204, body: "" }));
  const config = { url: `${receiver.url}/api/webhooks/1/x` };
  const message = createAlertMessage({ kind: "ALERT_RECOVERY", title: "Web is up again" });
  assert.deepEqual(await discordKind.send(message, config, tools), {
    kind: "sent",
    statusCode: 204,
  });
  const [embed] = JSON.parse(receiver.requests[0]?.body ?? "").embeds;
  assert.equal(embed.title, "Web is up again");
  assert.equal(embed.color, Number.parseInt(colors.light.good.slice(1), 16));
  assert.ok(embed.description.includes("[Acknowledge](https://vedette.example/acknowledge/abc)"));
  const target = { name: "Target", value: "web.example", inline: true };
  assert.deepEqual(embed.fields[1], target);
});

test("a hostile name creates no formatting and no mention", async (t) => {
  const receiver = await startHttpReceiver(t);
  await discordKind.send(createHostileMessage(), { url: receiver.url }, tools);
  const body = JSON.parse(receiver.requests[0]?.body ?? "");
  assert.deepEqual(body.allowed_mentions, { parse: [] });
  const [embed] = body.embeds;
  const texts = [embed.title, ...embed.fields.map((field: { value: string }) => field.value)];
  for (const text of texts) {
    assert.doesNotMatch(text.replaceAll(/\\./gs, ""), /[\\`*_~|>#[\]()<]/);
  }
});

test("the longest alert stays within Discord's limits", async (t) => {
  const receiver = await startHttpReceiver(t);
  await discordKind.send(createLongMessage(), { url: receiver.url }, tools);
  const [embed] = JSON.parse(receiver.requests[0]?.body ?? "").embeds;
  assert.ok(embed.title.length <= 256 && embed.description.length <= 4_096);
  assert.ok(embed.fields.length <= 25);
  const values = embed.fields.map((field: { name: string; value: string }) => field);
  for (const { value } of values) assert.ok(value.length <= 1_024);
  const fieldLength = values.reduce(
    (sum: number, field: { name: string; value: string }) =>
      sum + field.name.length + field.value.length,
    0,
  );
  assert.ok(embed.title.length + embed.description.length + fieldLength <= 6_000);
});
