import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { type Answer, startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, createKey, type Stranger } from "../../../test/support/apps/cast.ts";
import { createChannelConfigs } from "../../../test/support/modules/channel-configs.ts";
import { startHttpReceiver } from "../../../test/support/servers/http-receiver.ts";
import { Encryption } from "../../platform/encryption.ts";
import { weekdays } from "../../platform/week-hours.ts";
import { type ChannelType, channelKinds } from "./kinds/index.ts";

const secret = "s3cret-canary";
const publicUrl = "https://hooks.example.com";
const path = "/v1/alert-channels";
type Body = Record<string, unknown>;

let app: TestApp;
/** A second server that may reach the receivers of the test. */
let open: TestApp;
let stranger: Stranger;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  open = await startTestApp({ BUILT_IN_PROBE: "false", OUTBOUND_ALLOW_PRIVATE: "true" });
  stranger = await addStranger(app);
});
after(async () => {
  await app.stop();
  await open.stop();
});

const configs = createChannelConfigs(publicUrl, secret);
const types = Object.keys(channelKinds) as ChannelType[];
/** Whom a channel pages has to be a member. */
async function makeConfig(type: ChannelType): Promise<object> {
  if (type !== "ONCALL") return configs[type];
  const { rows } = await app.query("select user_id from members where account_id = $1", [
    app.owner.accountId,
  ]);
  return { ...configs.ONCALL, userId: rows[0].user_id };
}
const create = (body: Body, on = app) => on.call("POST", path, { body });
const createMail = (more: Body = {}) => create({ type: "EMAIL", config: configs.EMAIL, ...more });

function assertNames(answer: Answer, key: string): void {
  assert.equal(answer.status, 400, answer.text);
  assert.deepEqual(answer.body.validation, { source: "body", keys: [key] });
}

for (const type of types) {
  test(`${type} is created, listed and read; its secrets are masked and encrypted`, async () => {
    const made = await create({ type, config: await makeConfig(type) });
    assert.equal(made.status, 201, made.text);
    const read = await app.call("GET", `${path}/${made.body.id}`);
    assert.deepEqual([read.status, read.body], [200, made.body]);
    const list = await app.call("GET", `${path}?limit=100`);
    assert.deepEqual(
      list.body.find((one: { id: number }) => one.id === made.body.id),
      made.body,
    );
    for (const answer of [made, read, list]) assert.ok(!answer.text.includes(secret), answer.text);
    const { rows } = await app.query("select config::text from alert_channels where id = $1", [
      made.body.id,
    ]);
    assert.ok(!rows[0].config.includes(secret), rows[0].config);
    assert.ok(!app.logText().includes(secret));
  });

  test(`${type} without its configuration is rejected with the field name`, async () => {
    const answer = await create({ type, config: {} });
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.body.validation.keys[0], /^config\.\w+$/);
    for (const config of [null, [], "x"]) assertNames(await create({ type, config }), "config");
  });

  test(`${type} keeps its secrets when a client writes back what it read`, async () => {
    const { body: made } = await create({ type, config: await makeConfig(type) });
    const before = await app.query("select config from alert_channels where id = $1", [made.id]);
    const body = { type, config: made.config, sendDegraded: true };
    const answer = await app.call("PUT", `${path}/${made.id}`, { body });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.body.config, made.config);
    assert.equal(answer.body.sendDegraded, true);
    const after = await app.query("select config from alert_channels where id = $1", [made.id]);
    // Encrypted with a new nonce each time, so only the lengths are equal.
    const [was, is] = [before, after].map(({ rows }) => JSON.stringify(rows[0].config).length);
    assert.equal(was, is);
  });
}

test("a channel has the defaults of the contract", async () => {
  const { body } = await createMail();
  const { id: _id, created_at: _at, ...rest } = body;
  assert.deepEqual(rest, {
    type: "EMAIL",
    config: configs.EMAIL,
    subscriptions: [],
    sendRecovery: true,
    sendFailure: true,
    sendDegraded: false,
    sslExpiry: false,
    sslExpiryThreshold: 30,
    autoSubscribe: false,
    digest: true,
    quietHours: null,
    problem: null,
    updated_at: null,
  });
});

const night = {
  timeZone: "Europe/Berlin",
  ranges: [{ days: ["MON", "SUN"], from: "22:00", to: "07:00" }],
  mode: "HOLD",
  alertChannelId: null,
};

test("quiet hours are stored, kept by clients that do not know them, and removed by null", async () => {
  const made = await createMail({ quietHours: { ...night, alertChannelId: 999_999 } });
  assert.deepEqual(made.body.quietHours, night, "HOLD has no other channel");
  const put = (more: Body) =>
    app.call("PUT", `${path}/${made.body.id}`, {
      body: { type: "EMAIL", config: configs.EMAIL, ...more },
    });
  assert.deepEqual((await put({ sendDegraded: true })).body.quietHours, night);
  assert.deepEqual((await app.call("GET", `${path}/${made.body.id}`)).body.quietHours, night);
  assert.equal((await put({ quietHours: null })).body.quietHours, null);
});

test("invalid quiet hours are rejected with the field name", async () => {
  const always = [{ days: [...weekdays], from: "00:00", to: "00:00" }];
  for (const [change, key] of [
    [{ timeZone: "Mars/Olympus" }, "timeZone"],
    [{ ranges: [] }, "ranges"],
    [{ ranges: always }, "ranges"],
    [{ ranges: [{ days: [], from: "22:00", to: "07:00" }] }, "ranges.0.days"],
    [{ ranges: [{ days: ["MON"], from: "24:00", to: "07:00" }] }, "ranges.0.from"],
    [{ mode: "SHOUT" }, "mode"],
    [{ mode: "REROUTE", alertChannelId: 999_999 }, "alertChannelId"],
  ] as const) {
    assertNames(await createMail({ quietHours: { ...night, ...change } }), `quietHours.${key}`);
  }
});

test("channels reroute to others of the account, never back to themselves", async () => {
  const [one, two] = [(await createMail()).body.id, (await createMail()).body.id];
  const put = (id: number, alertChannelId: number | null) =>
    app.call("PUT", `${path}/${id}`, {
      body: {
        type: "EMAIL",
        config: configs.EMAIL,
        quietHours: { ...night, mode: "REROUTE", alertChannelId },
      },
    });
  assertNames(await put(one, one), "quietHours.alertChannelId");
  assert.equal((await put(one, two)).status, 200);
  assertNames(await put(two, one), "quietHours.alertChannelId");
  await app.call("DELETE", `${path}/${two}`);
  const { body } = await app.call("GET", `${path}/${one}`);
  assert.deepEqual([body.quietHours.mode, body.quietHours.alertChannelId], ["REROUTE", null]);
  assert.equal((await put(one, null)).status, 200, "a client can send back what it read");
});

test("invalid values are rejected with the field name", async () => {
  assertNames(await create({ type: "PIGEON", config: {} }), "type");
  assertNames(await createMail({ sendRecovery: "maybe" }), "sendRecovery");
  const config = { ...configs.WEBHOOK, template: "{{#each" };
  assertNames(await create({ type: "WEBHOOK", config }), "config.template");
  const headers = [{ key: "bad name", value: "x", locked: false }];
  const bad = { ...configs.WEBHOOK, headers };
  assertNames(await create({ type: "WEBHOOK", config: bad }), "config.headers.0.key");
});

test("an unlocked value must be entered again", async () => {
  const entry = { key: "X-Team", value: secret, locked: true };
  const config = { name: "Hook", url: publicUrl, headers: [entry], queryParameters: [entry] };
  const made = await app.call("POST", "/v1/alert-channels", { body: { type: "WEBHOOK", config } });
  const path = `/v1/alert-channels/${made.body.id}`;
  for (const list of ["headers", "queryParameters"]) {
    const [masked] = made.body.config[list];
    const change = (value: string) => ({
      type: "WEBHOOK",
      config: { ...made.body.config, [list]: [{ ...masked, value, locked: false }] },
    });
    const refused = await app.call("PUT", path, { body: change(masked.value) });
    assert.equal(refused.status, 400);
    const key = `config.${list}.0.value`;
    assert.equal(refused.body.message, `${key} must be entered again when it is unlocked`);
    const read = await app.call("GET", path);
    assert.equal(read.text.includes(secret), false);
    const typed = await app.call("PUT", path, { body: change("harmless") });
    assert.equal(typed.status, 200, typed.text);
    assert.equal(typed.body.config[list][0].value, "harmless");
    assert.equal(typed.text.includes(secret), false);
    await app.call("PUT", path, { body: { type: "WEBHOOK", config } });
  }
});

test("secrets must be entered again when the address changes", async () => {
  const { body: made } = await create({ type: "NTFY", config: configs.NTFY });
  const config = { ...made.config, url: "https://elsewhere.example.com" };
  const put = (input: Body) =>
    app.call("PUT", `${path}/${made.id}`, { body: { type: "NTFY", config: input } });
  assertNames(await put(config), "config.token");
  assert.equal((await put({ ...config, token: "another" })).status, 200);
});

test("private addresses are rejected unless the operator allows them", async () => {
  const inner = createChannelConfigs("http://127.0.0.1:8099", secret);
  const fields = { WEBHOOK: "url", SLACK: "url", NTFY: "url", TELEGRAM: "baseUrl" } as const;
  for (const [type, field] of Object.entries(fields)) {
    const body = { type, config: inner[type as ChannelType] };
    assertNames(await create(body), `config.${field}`);
    assert.equal((await create(body, open)).status, 201);
  }
  const metadata = { ...configs.WEBHOOK, url: "http://169.254.169.254/latest" };
  assertNames(await create({ type: "WEBHOOK", config: metadata }), "config.url");
});

test("a test message is sent immediately and its outcome returned", async (t) => {
  const receiver = await startHttpReceiver(t);
  const config = { ...configs.WEBHOOK, url: `${receiver.url}/hook` };
  const { body: made } = await create({ type: "WEBHOOK", config }, open);
  const sent = await open.call("POST", `${path}/${made.id}/test`);
  const { durationMs, ...outcome } = sent.body;
  assert.deepEqual(outcome, {
    outcome: "sent",
    statusCode: 200,
    reason: null,
    recipient: null,
    responseBody: "ok",
  });
  assert.ok(Number.isInteger(durationMs));
  assert.equal(receiver.requests[0]?.headers.authorization, secret);
  assert.equal(JSON.parse(receiver.requests[0]?.body ?? "{}").alertType, "ALERT_TEST");
  receiver.respond = () => ({ status: 500, body: secret });
  const failed = await open.call("POST", `${path}/${made.id}/test`);
  assert.deepEqual([failed.status, failed.body.outcome], [200, "failed"]);
  assert.equal(failed.body.statusCode, 500);
  assert.ok(!failed.text.includes(secret));
});

test("reading and changing channels require the right role", async () => {
  const { body: made } = await createMail();
  const one = `${path}/${made.id}`;
  const readOnly = (await createKey(app, "READ_ONLY")).key;
  const body = { type: "EMAIL", config: configs.EMAIL };
  const calls = [
    ["GET", path, 200],
    ["GET", one, 200],
    ["POST", path, 403],
    ["PUT", one, 403],
    ["DELETE", one, 403],
    ["POST", `${one}/test`, 403],
  ] as const;
  for (const [method, where, status] of calls) {
    const input = method === "POST" || method === "PUT" ? { body } : {};
    const answer = await app.call(method, where, { key: readOnly, ...input });
    assert.equal(answer.status, status, `${method} ${where}`);
    const nobody = await app.call(method, where, { key: null, ...input });
    assert.equal(nobody.status, 401, `${method} ${where}`);
  }
});

test("an unknown channel, or one of another account, is not found", async () => {
  const { body: made } = await createMail();
  const body = { type: "EMAIL", config: configs.EMAIL };
  const paths = [
    [`${path}/${made.id}`, stranger.key],
    [`${path}/2000000000`, undefined],
  ] as const;
  for (const [one, key] of paths) {
    const who = key === undefined ? {} : { key };
    assert.equal((await app.call("GET", one, who)).status, 404);
    assert.equal((await app.call("PUT", one, { body, ...who })).status, 404);
    assert.equal((await app.call("DELETE", one, who)).status, 404);
    assert.equal((await app.call("POST", `${one}/test`, who)).status, 404);
  }
  assert.equal((await app.call("GET", `${path}/0`)).status, 400);
  assert.equal((await app.call("GET", `${path}/nine`)).status, 400);
});

test("a deleted channel is not found", async () => {
  const { body: made } = await createMail();
  assert.equal((await app.call("DELETE", `${path}/${made.id}`)).status, 204);
  assert.equal((await app.call("GET", `${path}/${made.id}`)).status, 404);
  assert.equal((await app.call("DELETE", `${path}/${made.id}`)).status, 404);
});

test("a channel whose secrets cannot be decrypted is listed with its problem and can be repaired", async () => {
  const { body: made } = await create({ type: "SLACK", config: configs.SLACK });
  const url = new Encryption(randomBytes(32)).encrypt("https://hooks.example.com/secret");
  await app.query("update alert_channels set config = config || $2::jsonb where id = $1", [
    made.id,
    JSON.stringify({ url }),
  ]);
  const list = await app.call("GET", `${path}?limit=100`);
  assert.equal(list.status, 200);
  const shown = list.body.find((one: { id: number }) => one.id === made.id);
  assert.match(shown.problem, /cannot be decrypted with this server/);
  const own = `${path}/${made.id}`;
  const sent = await app.call("POST", `${own}/test`);
  assert.equal(sent.body.outcome, "failed");
  assert.match(sent.body.reason, /cannot be decrypted with this server/);
  assertNames(await app.call("PUT", own, { body: shown }), "config.url");
  const anew = { ...shown, config: configs.SLACK };
  assert.equal((await app.call("PUT", own, { body: anew })).body.problem, null);
});

test("the kinds are listed with the schema of their configuration and their secrets", async () => {
  const { status, body } = await app.call("GET", `${path}/kinds`);
  assert.equal(status, 200);
  assert.deepEqual(
    body.map((kind: { type: string }) => kind.type),
    types,
  );
  const hook = body.find((kind: { type: string }) => kind.type === "WEBHOOK");
  assert.equal(hook.configSchema.properties.url.description, "The address.");
  assert.deepEqual(hook.configSchema.required, ["name", "url"]);
  assert.ok(hook.secretFields.includes("headers[].value"));
});
