import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createAlertMessage,
  createHostileMessage,
  createLongMessage,
  createSendTools,
} from "../../../../test/support/modules/alert-message.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";

import { matrixKind } from "./matrix.ts";

const tools = createSendTools();
const room = { roomId: "!a/b:example.com", accessToken: "syt_x" };

test("an alert is posted to the Matrix room once, whatever the number of attempts", async (t) => {
  const receiver = await startHttpReceiver(t, () => ({ body: '{"event_id":"$1"}' }));
  const config = { url: `${receiver.url}/`, ...room };
  for (let turn = 0; turn < 2; turn += 1) {
    const outcome = await matrixKind.send(createAlertMessage(), config, tools);
    assert.deepEqual(outcome, { kind: "sent", statusCode: 200 });
  }
  const [request, again] = receiver.requests;
  assert.equal(request?.method, "PUT");
  assert.equal(
    request?.path,
    "/_matrix/client/v3/rooms/!a%2Fb%3Aexample.com/send/m.room.message/state-change-1%3Achannel-7",
  );
  assert.equal(again?.path, request?.path, "the same transaction");
  assert.equal(request?.headers.authorization, "Bearer syt_x");
  const body = JSON.parse(request?.body ?? "");
  assert.equal(body.msgtype, "m.text");
  assert.ok(body.body.startsWith("Web is down\n\n80 % of the packets"));
  assert.ok(body.formatted_body.includes("<h4>Web is down</h4>"));
  assert.ok(body.formatted_body.includes('<a href="https://vedette.example/acknowledge/abc">'));
});

test("hostile and very long names are text, mention nobody and fit an event", async (t) => {
  const receiver = await startHttpReceiver(t);
  for (const message of [createHostileMessage(), createLongMessage()]) {
    await matrixKind.send(message, { url: receiver.url, ...room }, tools);
    const text = receiver.requests.at(-1)?.body ?? "";
    assert.ok(Buffer.byteLength(text) < 60_000, `${Buffer.byteLength(text)}`);
    const body = JSON.parse(text);
    assert.deepEqual(body["m.mentions"], {});
    const tags = new Set(body.formatted_body.match(/<\/?[a-z0-9]+/g));
    for (const tag of tags) assert.match(String(tag), /^<\/?(?:h4|p|ul|li|code|a)$/);
  }
});

test("the delay that an older server sends in the body is honoured", async (t) => {
  const answer = { status: 429, body: '{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":2500}' };
  const receiver = await startHttpReceiver(t, () => answer);
  const outcome = await matrixKind.send(
    createAlertMessage(),
    { url: receiver.url, ...room },
    tools,
  );
  assert.ok(outcome.kind === "failed" && !outcome.isPermanent);
  assert.equal(outcome.retryAfterSeconds, 3);
});
