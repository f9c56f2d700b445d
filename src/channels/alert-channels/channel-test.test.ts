import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { addStranger } from "../../../test/support/apps/cast.ts";
import { createChannelConfigs } from "../../../test/support/modules/channel-configs.ts";
import { startHttpReceiver } from "../../../test/support/servers/http-receiver.ts";
import { excerptAnswer, maxExcerptLength } from "./channel-test.ts";
import { type ChannelType, channelKinds } from "./kinds/index.ts";

const path = "/v1/alert-channels";
const secret = "s3cret/canary+1";
type Body = Record<string, unknown>;

let app: TestApp;
/** A second server that may not reach this machine. */
let guarded: TestApp;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false", OUTBOUND_ALLOW_PRIVATE: "true" });
  guarded = await startTestApp({ BUILT_IN_PROBE: "false" });
});
after(async () => {
  await app.stop();
  await guarded.stop();
});

const tryOut = (body: Body, on = app) => on.call("POST", `${path}/test`, { body });

test("unsaved settings are tested, and the response is returned", async (t) => {
  const receiver = await startHttpReceiver(t, () => ({ status: 200, body: "thank you" }));
  const body = { type: "WEBHOOK", config: { name: "Mine", url: `${receiver.url}/hook` } };
  const sent = await tryOut(body);
  const { durationMs: _ms, ...shown } = sent.body;
  assert.deepEqual(shown, {
    outcome: "sent",
    statusCode: 200,
    reason: null,
    recipient: null,
    responseBody: "thank you",
  });
  assert.equal(JSON.parse(receiver.requests[0]?.body ?? "{}").alertType, "ALERT_TEST");
  receiver.respond = () => ({ status: 500, body: '{"error":"no such\\u0007 hook"}\u0007' });
  const failed = await tryOut(body);
  assert.deepEqual(
    [failed.body.outcome, failed.body.statusCode, failed.body.responseBody],
    ["failed", 500, '{"error":"no such\\u0007 hook"}'],
  );
  const list = await app.call("GET", path);
  assert.deepEqual(list.body, [], "nothing was stored");
  const log = await app.call("GET", "/v1/audit-log?action=alert-channel.tested");
  const [noted] = log.body.entries;
  assert.deepEqual(noted.changes, { type: "WEBHOOK", outcome: "failed", statusCode: 500 });
});

for (const type of Object.keys(channelKinds) as ChannelType[]) {
  test(`${type}: testing rejects invalid settings with the same error as saving`, async () => {
    const config = createChannelConfigs("http://127.0.0.1:9", secret)[type];
    const [saved, tried] = await Promise.all([
      guarded.call("POST", path, { body: { type, config: {} } }),
      tryOut({ type, config: {} }, guarded),
    ]);
    assert.deepEqual([tried.status, tried.body], [400, saved.body]);
    const inner = { type, config };
    const refused = await tryOut(inner, guarded);
    const also = await guarded.call("POST", path, { body: inner });
    assert.equal(refused.status === 400, also.status === 400, refused.text);
    if (also.status === 400) assert.deepEqual(refused.body, also.body);
  });
}

test("masks refer to the secrets of the given channel and only for its host", async (t) => {
  const receiver = await startHttpReceiver(t);
  const config = createChannelConfigs(receiver.url, secret).NTFY;
  const { body: made } = await app.call("POST", path, { body: { type: "NTFY", config } });
  const { id, type } = made;
  const sent = await tryOut({ id, type, config: made.config });
  assert.equal(sent.body.outcome, "sent", sent.text);
  assert.equal(receiver.requests[0]?.headers.authorization, `Bearer ${secret}`);
  const elsewhere = { ...made.config, url: "http://127.0.0.2:9" };
  const refused = await tryOut({ id, type, config: elsewhere });
  assert.deepEqual(refused.body.validation, { source: "body", keys: ["config.token"] });
  assert.equal((await tryOut({ id: 2_000_000_000, type, config })).status, 404);
  const stranger = await addStranger(app);
  const foreign = { key: stranger.key, body: { id, type, config: made.config } };
  assert.equal((await app.call("POST", `${path}/test`, foreign)).status, 404);
});

test("secrets echoed in a response are masked", async (t) => {
  const receiver = await startHttpReceiver(t, (request) => ({
    body: JSON.stringify({ headers: request.headers, path: request.path, ok: true }),
  }));
  const config = createChannelConfigs(receiver.url, secret).WEBHOOK;
  const { body: made } = await app.call("POST", path, { body: { type: "WEBHOOK", config } });
  const { body } = await app.call("POST", `${path}/${made.id}/test`);
  assert.ok(body.responseBody.includes('"ok":true'), body.responseBody);
  for (const form of [secret, encodeURIComponent(secret)]) {
    assert.equal(body.responseBody.includes(form), false, body.responseBody);
  }
});

test("an excerpt masks a secret in every form, is bounded and keeps line breaks", () => {
  const url = "https://hooks.example.com/services/T0/B0?sig=x y";
  assert.equal(excerptAnswer(`posted to ${new URL(url).href}`, [url]), "posted to ********");
  assert.equal(excerptAnswer('you said "a\\"bcd"', ['a"bcd']), 'you said "********"');
  assert.equal(excerptAnswer("one\n\ttwo\u0000", ["two!"]), "one\n\ttwo");
  assert.equal(excerptAnswer(" \n", []), null);
  assert.equal(excerptAnswer("ab", ["ab"]), "ab", "too short to be a secret");
  assert.equal(excerptAnswer("x".repeat(9_000), [])?.length, maxExcerptLength);
});

test("a changed channel has a new ETag, and a change with an old one is rejected", async () => {
  const config = { address: "ops@example.com" };
  const made = await app.call("POST", path, { body: { type: "EMAIL", config } });
  const tag = made.headers.get("etag") ?? "";
  const one = `${path}/${made.body.id}`;
  const put = (address: string, ifMatch: string) =>
    app.call("PUT", one, {
      body: { type: "EMAIL", config: { address } },
      headers: { "if-match": ifMatch },
    });
  const read = await app.call("GET", one);
  assert.equal(read.headers.get("etag"), tag);
  const answers = await Promise.all(["a@b.example", "c@d.example"].map((to) => put(to, tag)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412]);
  const now = await app.call("GET", one);
  assert.notEqual(now.headers.get("etag"), tag);
  assert.equal((await put("e@f.example", now.headers.get("etag") ?? "")).status, 200);
});

test("channel tests are rate-limited per account", async () => {
  const other = await startTestApp({ BUILT_IN_PROBE: "false" });
  try {
    const body = { type: "EMAIL", config: { address: "ops@example.com" } };
    const statuses = await Promise.all(
      Array.from({ length: 61 }, async () => (await tryOut(body, other)).status),
    );
    assert.equal(statuses.filter((status) => status === 200).length, 60);
    assert.equal(statuses.filter((status) => status === 429).length, 1);
    other.clock.advance(60_000);
    assert.equal((await tryOut(body, other)).status, 200);
  } finally {
    await other.stop();
  }
});
