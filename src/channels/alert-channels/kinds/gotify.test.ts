import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createAlertMessage,
  createHostileMessage,
  createSendTools,
} from "../../../../test/support/modules/alert-message.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";
import { gotifyKind } from "./gotify.ts";

const tools = createSendTools();

test("an alert arrives with the application's token in a header and a priority", async (t) => {
  const receiver = await startHttpReceiver(t);
  const config = { url: receiver.url, token: "AbCdEf" };
  const outcome = await gotifyKind.send(createAlertMessage(), config, tools);
  assert.deepEqual(outcome, { kind: "sent", statusCode: 200 });
  const [request] = receiver.requests;
  assert.equal(request?.path, "/message");
  assert.equal(request?.headers["x-gotify-key"], "AbCdEf");
  const body = JSON.parse(request?.body ?? "");
  assert.equal(body.title, "Web is down");
  assert.equal(body.priority, 8);
  assert.ok(body.message.includes("https://vedette.example/acknowledge/abc"));
});

test("the channel's own priority is used, and hostile names stay text", async (t) => {
  const receiver = await startHttpReceiver(t);
  const config = { url: `${receiver.url}/gotify/`, token: "x", priority: 1 };
  await gotifyKind.send(createHostileMessage(), config, tools);
  const [request] = receiver.requests;
  assert.equal(request?.path, "/gotify/message");
  const body = JSON.parse(request?.body ?? "");
  assert.equal(body.priority, 1);
  assert.doesNotMatch(body.title, /\p{Cc}/u);
});
