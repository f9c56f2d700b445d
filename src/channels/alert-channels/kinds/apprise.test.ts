import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createAlertMessage,
  createHostileMessage,
  createLongMessage,
  createSendTools,
} from "../../../../test/support/modules/alert-message.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";

import { appriseKind } from "./apprise.ts";

const tools = createSendTools();

test("an alert goes to the services of a stored configuration, with its type and tag", async (t) => {
  const receiver = await startHttpReceiver(t);
  const config = { url: `${receiver.url}/`, key: "ops", tag: "night", token: "proxy" };
  const outcome = await appriseKind.send(createAlertMessage(), config, tools);
  assert.deepEqual(outcome, { kind: "sent", statusCode: 200 });
  const [request] = receiver.requests;
  assert.equal(request?.path, "/notify/ops");
  assert.equal(request?.headers.authorization, "Bearer proxy");
  const { body, ...rest } = JSON.parse(request?.body ?? "");
  assert.deepEqual(rest, { title: "Web is down", type: "failure", format: "text", tag: "night" });
  assert.ok(body.includes("https://vedette.example/acknowledge/abc"));
});

test("a configuration without services is a failure, and a partial failure is retried", async (t) => {
  const receiver = await startHttpReceiver(t, () => ({ status: 204, body: "" }));
  const config = { url: receiver.url, key: "nobody" };
  const empty = await appriseKind.send(createAlertMessage(), config, tools);
  assert.ok(empty.kind === "failed" && empty.isPermanent);
  receiver.respond = () => ({ status: 424 });
  const partly = await appriseKind.send(createAlertMessage(), config, tools);
  assert.ok(partly.kind === "failed" && !partly.isPermanent);
});

test("hostile and very long names stay text", async (t) => {
  const receiver = await startHttpReceiver(t);
  for (const message of [createHostileMessage(), createLongMessage()]) {
    await appriseKind.send(message, { url: receiver.url, key: "ops" }, tools);
    const body = JSON.parse(receiver.requests.at(-1)?.body ?? "");
    assert.equal(body.format, "text");
    assert.doesNotMatch(body.title, /\p{Cc}/u);
    assert.ok(body.body.length <= 4_000);
  }
});
