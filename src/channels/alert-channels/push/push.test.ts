/** Tests push messages from the API to a push service on loopback that decrypts like a browser. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addMember, createKey, signIn } from "../../../../test/support/apps/cast.ts";
import {
  type HttpReceiver,
  startHttpReceiver,
} from "../../../../test/support/servers/http-receiver.ts";
import { createPushReceiver } from "../../../../test/support/servers/push-receiver.ts";

let app: TestApp;
let service: HttpReceiver;
const ends: (() => void)[] = [];
const path = "/v1/users/me/push-subscriptions";
const nobody = "0198c1f0-0000-7000-8000-000000000000";

before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false", OUTBOUND_ALLOW_PRIVATE: "true" });
  service = await startHttpReceiver({ after: (end) => ends.push(end as () => void) });
  service.respond = () => ({ status: 201, body: "" });
});
after(async () => {
  await app.stop();
  for (const end of ends) end();
});

function createDevice(place: string) {
  const browser = createPushReceiver();
  const { p256dh, auth } = browser;
  const body = { name: "Phone", endpoint: `${service.url}/${place}`, keys: { p256dh, auth } };
  return { browser, body };
}

async function addChannel(config: Record<string, unknown> = {}): Promise<number> {
  const body = { type: "WEBPUSH", config: { name: "Phones", ...config } };
  const made = await app.call("POST", "/v1/alert-channels", { body });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}
const sendTest = (id: number) => app.call("POST", `/v1/alert-channels/${id}/test`);

test("a device is added once, listed without secrets, sent a message and removed", async () => {
  const { browser, body } = createDevice("first");
  const made = await app.call("POST", path, { body });
  assert.equal(made.status, 201, made.text);
  assert.equal((await app.call("POST", path, { body })).body.id, made.body.id);
  const listed = await app.call("GET", path);
  assert.equal(listed.body.length, 1);
  assert.equal(listed.body[0].host, new URL(service.url).host);
  for (const secret of [body.endpoint, body.keys.p256dh, body.keys.auth]) {
    assert.equal(listed.text.includes(secret), false);
    const { rows } = await app.query("select to_jsonb(p)::text as all from push_subscriptions p");
    assert.equal(rows[0].all.includes(secret), false, "encrypted in the database");
  }
  const id = await addChannel();
  const tested = await sendTest(id);
  assert.deepEqual([tested.body.outcome, tested.body.statusCode], ["sent", 201]);
  const request = service.requests.at(-1);
  assert.equal(request?.path, "/first");
  const { headers } = request ?? { headers: {} };
  assert.equal(headers["content-encoding"], "aes128gcm");
  assert.match(String(headers.topic), /^[\w-]{32}$/);
  const { publicKey } = (await app.call("GET", "/v1/push-key")).body;
  assert.ok(String(headers.authorization).endsWith(`k=${publicKey}`));
  const shown = JSON.parse(browser.decrypt(request?.bytes ?? Buffer.alloc(0)));
  assert.equal(shown.title, "Vedette: test message");
  assert.equal(shown.path, "/alerts/channels");
  assert.notEqual((await app.call("GET", path)).body[0].lastSentAt, null);
  assert.equal((await app.call("DELETE", `${path}/${made.body.id}`)).status, 204);
  assert.equal((await app.call("DELETE", `${path}/${made.body.id}`)).status, 404);
  assert.deepEqual((await app.call("GET", path)).body, []);
  const without = await sendTest(id);
  assert.equal(without.body.outcome, "failed");
  assert.match(without.body.reason, /No device/);
});

test("the keys are created once and encrypted", async () => {
  const first = (await app.call("GET", "/v1/push-key")).body.publicKey;
  assert.equal((await app.call("GET", "/v1/push-key")).body.publicKey, first);
  assert.equal(Buffer.from(first, "base64url").length, 65);
  const { rows } = await app.query("select private_key from push_keys");
  assert.equal(rows.length, 1);
  assert.ok(rows[0].private_key.length > 60, "longer than a key alone");
});

test("a device whose subscription ended is deleted, and a busy one is retained", async () => {
  const gone = createDevice("gone");
  const busy = createDevice("busy");
  for (const { body } of [gone, busy]) await app.call("POST", path, { body });
  service.respond = (request) => ({ status: request.path === "/gone" ? 410 : 429 });
  const id = await addChannel();
  const tested = await sendTest(id);
  assert.equal(tested.body.outcome, "failed");
  assert.equal(tested.body.statusCode, 429, "another attempt may help");
  const left = (await app.call("GET", path)).body;
  assert.equal(left.length, 1);
  service.respond = () => ({ status: 201, body: "" });
  assert.equal((await sendTest(id)).body.outcome, "sent");
  await app.call("DELETE", `${path}/${left[0].id}`);
});

test("a channel may target one member, and former members receive nothing", async () => {
  const member = await addMember(app, "mate@example.com", { role: "READ_ONLY" });
  const cookie = await signIn(app, member.email, member.password);
  const { body } = createDevice("mate");
  assert.equal((await app.call("POST", path, { body, cookie, key: null })).status, 201);
  assert.deepEqual((await app.call("GET", path)).body, [], "not the owner's device");
  const id = await addChannel({ email: "MATE@example.com" });
  assert.equal((await sendTest(id)).body.outcome, "sent");
  const others = await addChannel({ email: "owner@example.com" });
  assert.equal((await sendTest(others)).body.outcome, "failed");
  await app.query("delete from members where user_id = $1", [member.userId]);
  assert.equal((await sendTest(id)).body.outcome, "failed");
});

test("an invalid subscription is rejected, and a service key has no devices", async () => {
  const { body } = createDevice("x");
  const wrong = [
    { ...body, keys: { ...body.keys, p256dh: "AAAA" } },
    { ...body, endpoint: "ftp://push.example.com/x" },
    { ...body, name: " " },
  ];
  for (const one of wrong) {
    assert.equal((await app.call("POST", path, { body: one })).status, 400, JSON.stringify(one));
  }
  const readOnly = (await createKey(app, "READ_ONLY")).key;
  assert.equal((await app.call("POST", path, { body, key: readOnly })).status, 403);
  assert.equal((await app.call("DELETE", `${path}/${nobody}`)).status, 404);
});

test("a person has at most twenty devices", async () => {
  for (let turn = 0; turn < 20; turn += 1) {
    const { body } = createDevice(`many-${turn}`);
    assert.equal((await app.call("POST", path, { body })).status, 201);
  }
  assert.equal((await app.call("POST", path, { body: createDevice("one-more").body })).status, 409);
  assert.equal((await app.call("GET", path)).body.length, 20);
});
