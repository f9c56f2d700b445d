import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addMember, createKey, type Person, signIn } from "../../../../test/support/apps/cast.ts";
import { createChannelConfigs } from "../../../../test/support/modules/channel-configs.ts";
import {
  type HttpReceiver,
  startHttpReceiver,
} from "../../../../test/support/servers/http-receiver.ts";
import { contactTypes } from "./contact-method.ts";

let app: TestApp;
let service: HttpReceiver;
let count = 0;
const ends: (() => void)[] = [];
const path = "/v1/users/me/contact-methods";
const rulesPath = "/v1/users/me/notification-rules";
const nobody = "0198c1f0-0000-7000-8000-000000000000";

before(async () => {
  service = await startHttpReceiver({ after: (end) => ends.push(end as () => void) });
  // Some services echo the message, which must not reveal the code.
  service.respond = ({ body }) => ({ status: 200, body });
  app = await startTestApp({
    BUILT_IN_PROBE: "false",
    OUTBOUND_ALLOW_PRIVATE: "true",
    SMS_GATEWAY_URL: `${service.url}/sms`,
  });
});
after(async () => {
  await app.stop();
  for (const end of ends) end();
});

async function newPerson(): Promise<Person & { readonly cookie: string }> {
  count += 1;
  const person = await addMember(app, `person-${count}@example.com`, { role: "READ_ONLY" });
  return { ...person, cookie: await signIn(app, person.email, person.password) };
}

type Cookie = { readonly cookie: string };
const ntfy = (topic = "ada") => ({
  type: "NTFY",
  config: { url: service.url, topic, token: "s3cret-canary" },
});

async function add({ cookie }: Cookie, body: object = ntfy()): Promise<string> {
  const made = await app.call("POST", path, { cookie, body });
  assert.equal(made.status, 201, made.text);
  return `${path}/${made.body.id}`;
}

async function sendCode({ cookie }: Cookie, method: string): Promise<string> {
  const tested = await app.call("POST", `${method}/test`, { cookie });
  assert.deepEqual([tested.body.outcome, tested.body.hasCode], ["sent", true], tested.text);
  const code = /code is (\d{6})/.exec(service.requests.at(-1)?.body ?? "")?.[1] ?? "";
  assert.equal(tested.text.includes(code), false, "the response does not contain the code");
  return code;
}

const verify = ({ cookie }: Cookie, method: string, code: string) =>
  app.call("POST", `${method}/verify`, { cookie, body: { code } });

test("every member has an email address and push, which are verified and cannot be changed", async () => {
  const ada = await newPerson();
  const { cookie } = ada;
  const { body } = await app.call("GET", path, { cookie });
  const shown = body.map((one: Record<string, unknown>) => [one.id, one.type, one.isVerified]);
  assert.deepEqual(shown, [
    ["push", "WEBPUSH", true],
    ["email", "EMAIL", true],
  ]);
  assert.match(body[0].problem, /No device/);
  assert.match(body[1].problem, /SMTP_URL/);
  assert.deepEqual(body[1].config, { address: ada.email });
  const email = `${path}/email`;
  assert.equal((await app.call("GET", email, { cookie })).body.name, ada.email);
  const change = { cookie, body: { config: { address: "x@example.com" } } };
  assert.equal((await app.call("PUT", email, change)).status, 409);
  assert.equal((await app.call("DELETE", email, { cookie })).status, 409);
  assert.equal((await verify(ada, email, "1")).status, 200);
  const tested = await app.call("POST", `${path}/push/test`, { cookie });
  assert.deepEqual([tested.body.outcome, tested.body.hasCode], ["failed", false]);
});

test("a method is verified by the code of its test message", async () => {
  const ada = await newPerson();
  const method = await add(ada);
  const isVerified = async () =>
    (await app.call("GET", method, { cookie: ada.cookie })).body.isVerified;
  assert.equal((await verify(ada, method, "123456")).status, 409, "no code was sent");
  const code = await sendCode(ada, method);
  const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, "0");
  const rejected = await verify(ada, method, wrong);
  assert.deepEqual([rejected.status, rejected.body.validation.keys], [400, ["code"]]);
  assert.equal(await isVerified(), false);
  assert.equal((await verify(ada, method, code)).body.isVerified, true);
  assert.equal(await isVerified(), true);
  const again = await app.call("POST", `${method}/test`, { cookie: ada.cookie });
  assert.equal(again.body.hasCode, false);
  assert.doesNotMatch(service.requests.at(-1)?.body ?? "", /code is/);
});

test("a code ends after five wrong ones, after 30 minutes and with the next one", async () => {
  const ada = await newPerson();
  const method = await add(ada);
  const first = await sendCode(ada, method);
  const second = await sendCode(ada, method);
  if (first !== second) assert.equal((await verify(ada, method, first)).status, 400);
  for (let guess = first === second ? 0 : 1; guess < 5; guess += 1) {
    assert.equal((await verify(ada, method, "none")).status, 400);
  }
  assert.equal((await verify(ada, method, second)).status, 409);
  const third = await sendCode(ada, method);
  app.clock.advance(30 * 60_000);
  assert.equal((await verify(ada, method, third)).status, 409);
});

test("a code that could not be sent is not valid, and tests are limited", async () => {
  const ada = await newPerson();
  const method = await add(ada);
  const { respond } = service;
  service.respond = () => ({ status: 403, body: "" });
  const failed = await app.call("POST", `${method}/test`, { cookie: ada.cookie });
  service.respond = respond;
  assert.deepEqual([failed.body.outcome, failed.body.hasCode], ["failed", false]);
  const { rows } = await app.query("select sealed_code from contact_methods where id = $1", [
    method.split("/").at(-1),
  ]);
  assert.equal(rows[0].sealed_code, null);
  const statuses = new Set<number>();
  for (let sent = 1; sent <= 30; sent += 1) {
    statuses.add((await app.call("POST", `${path}/push/test`, { cookie: ada.cookie })).status);
  }
  assert.deepEqual([...statuses], [200, 429]);
});

test("changed settings must be verified again; masks keep the secrets", async () => {
  const ada = await newPerson();
  const { cookie } = ada;
  const method = await add(ada);
  await verify(ada, method, await sendCode(ada, method));
  const read = await app.call("GET", method, { cookie });
  assert.equal(read.body.config.token, "********");
  const put = (config: object, etag?: string | null) =>
    app.call("PUT", method, {
      cookie,
      body: { config },
      ...(etag && { headers: { "if-match": etag } }),
    });
  const same = await put(read.body.config, read.headers.get("etag"));
  assert.deepEqual([same.status, same.body.isVerified], [200, true], same.text);
  assert.equal((await put(read.body.config, read.headers.get("etag"))).status, 412);
  const moved = await put({ ...read.body.config, topic: "other" });
  assert.deepEqual([moved.status, moved.body.isVerified], [200, false]);
  await sendCode(ada, method);
  assert.equal(service.requests.at(-1)?.headers.authorization, "Bearer s3cret-canary");
  const elsewhere = await put({ ...read.body.config, url: "https://ntfy.example.com" });
  assert.deepEqual(elsewhere.body.validation.keys, ["config.token"]);
});

test("every kind of method hides its secrets, in responses and in the database", async () => {
  const ada = await newPerson();
  const configs = createChannelConfigs(service.url);
  for (const type of contactTypes) await add(ada, { type, config: configs[type] });
  const listed = await app.call("GET", path, { cookie: ada.cookie });
  assert.equal(listed.body.length, contactTypes.length + 2);
  assert.equal(listed.text.includes("s3cret-canary"), false);
  const { rows } = await app.query(
    "select coalesce(string_agg(to_jsonb(c)::text, ''), '') as all from contact_methods c",
  );
  assert.equal(rows[0].all.includes("s3cret-canary"), false);
});

test("invalid methods are rejected, and their number is limited", async () => {
  const ada = await newPerson();
  const { cookie } = ada;
  const post = (body: object) => app.call("POST", path, { cookie, body });
  for (const [body, key] of [
    [{ type: "SLACK", config: {} }, "type"],
    [{ type: "NTFY", config: { topic: "x" } }, "config.url"],
    [{ type: "SMS", config: { name: "Me", number: "none" } }, "config.number"],
    [{ type: "NTFY" }, "config"],
  ] as const) {
    const { status, body: answer } = await post(body);
    assert.deepEqual([status, answer.validation.keys[0]], [400, key]);
  }
  for (let made = 0; made < 10; made += 1) await add(ada, ntfy(`topic-${made}`));
  assert.equal((await post(ntfy())).status, 409);
});

test("SMS needs a gateway", async () => {
  const plain = await startTestApp({ BUILT_IN_PROBE: "false" });
  try {
    const body = { type: "SMS", config: { name: "Me", number: "+31 6 12 34 56 78" } };
    const answer = await plain.call("POST", path, { body });
    assert.equal(answer.status, 400);
    assert.match(answer.body.message, /SMS_GATEWAY_URL/);
  } finally {
    await plain.stop();
  }
});

test("methods and rules belong to one member and end with the membership", async () => {
  const [ada, ben] = [await newPerson(), await newPerson()];
  const method = await add(ada);
  const { cookie } = ben;
  for (const [verb, place, body] of [
    ["GET", method, undefined],
    ["PUT", method, { config: ntfy().config }],
    ["DELETE", method, undefined],
    ["POST", `${method}/test`, undefined],
    ["POST", `${method}/verify`, { code: "1" }],
    ["GET", `${path}/${nobody}`, undefined],
  ] as const) {
    const { status } = await app.call(verb, place, { cookie, ...(body && { body }) });
    assert.equal(status, 404, `${verb} ${place}`);
  }
  const { key } = await createKey(app, "READ_ONLY");
  assert.equal((await app.call("POST", path, { key, body: ntfy() })).status, 403);
  assert.equal((await app.call("DELETE", `/v1/accounts/me/members/${ada.userId}`)).status, 204);
  const { rows } = await app.query("select 1 from contact_methods where user_id = $1", [
    ada.userId,
  ]);
  assert.equal(rows.length, 0);
});

test("rules are every verified method at once, until the member replaces them", async () => {
  const ada = await newPerson();
  const { cookie } = ada;
  const read = await app.call("GET", rulesPath, { cookie });
  const atOnce = [
    { methodId: "push", afterMinutes: 0 },
    { methodId: "email", afterMinutes: 0 },
  ];
  assert.deepEqual(read.body, { high: atOnce, low: atOnce, quietHours: null });
  const method = await add(ada);
  const id = method.split("/").at(-1);
  const high = [
    { methodId: "push", afterMinutes: 0 },
    { methodId: id, afterMinutes: 5 },
  ];
  const headers = { "if-match": read.headers.get("etag") ?? "" };
  const put = (body: object) => app.call("PUT", rulesPath, { cookie, body, headers });
  const early = await put({ high, low: atOnce });
  assert.deepEqual(early.body.validation.keys, ["high.1.methodId"], "not verified yet");
  await verify(ada, method, await sendCode(ada, method));
  const proposed = await app.call("GET", rulesPath, { cookie });
  assert.deepEqual(proposed.body.high, [...atOnce, { methodId: id, afterMinutes: 0 }]);
  headers["if-match"] = proposed.headers.get("etag") ?? "";
  const saved = await put({ high, low: atOnce });
  assert.deepEqual([saved.status, saved.body], [200, { high, low: atOnce, quietHours: null }]);
  assert.equal((await put({ high, low: atOnce })).status, 412);
  assert.deepEqual((await app.call("GET", rulesPath, { cookie })).body.high, high);
  await app.call("DELETE", method, { cookie });
  assert.deepEqual((await app.call("GET", rulesPath, { cookie })).body.high, high.slice(0, 1));
  const log = await app.call("GET", "/v1/audit-log?action=notification-rules.updated&limit=1");
  assert.deepEqual(log.body.entries[0].changes.high, high);
});

test("quiet hours are kept until they are replaced or removed", async () => {
  const { cookie } = await newPerson();
  const steps = [{ methodId: "email", afterMinutes: 0 }];
  const put = (change: object) =>
    app.call("PUT", rulesPath, { cookie, body: { high: steps, low: steps, ...change } });
  const ranges = [{ days: ["MON"], from: "22:00", to: "07:00" }];
  const quietHours = { timeZone: "Europe/Berlin", ranges };
  const stored = { ...quietHours, holdsHigh: false };
  assert.deepEqual((await put({ quietHours })).body.quietHours, stored);
  assert.deepEqual((await put({})).body.quietHours, stored, "absent is unchanged");
  const faulty = await put({ quietHours: { ...quietHours, timeZone: "Mars/Olympus" } });
  assert.deepEqual(faulty.body.validation.keys, ["quietHours.timeZone"]);
  assert.equal((await put({ quietHours: null })).body.quietHours, null);
  assert.equal((await app.call("GET", rulesPath, { cookie })).body.quietHours, null);
});

test("invalid rules are rejected", async () => {
  const { cookie } = await newPerson();
  const valid = [{ methodId: "email", afterMinutes: 0 }];
  for (const [high, key] of [
    [[], "high"],
    [[{ methodId: "email", afterMinutes: -1 }], "high.0.afterMinutes"],
    [[{ methodId: "email", afterMinutes: 1_441 }], "high.0.afterMinutes"],
    [[{ methodId: nobody, afterMinutes: 0 }], "high.0.methodId"],
    [[...valid, ...valid], "high.1.methodId"],
  ] as const) {
    const { status, body } = await app.call("PUT", rulesPath, {
      cookie,
      body: { high, low: valid },
    });
    assert.deepEqual([status, body.validation.keys[0]], [400, key]);
  }
});
