import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { type Answer, startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addMember, type Person, signIn } from "../../../../test/support/apps/cast.ts";
import { SoftwareAuthenticator } from "../../../../test/support/modules/software-authenticator.ts";

const origin = "http://localhost:3000";
let app: TestApp;
before(async () => {
  app = await startTestApp({ PUBLIC_URL: origin });
});
beforeEach(() => app.clock.advance(3_600_000));
after(() => app.stop());

let personCount = 0;
async function newPerson(): Promise<Person & { readonly cookie: string }> {
  personCount += 1;
  const person = await addMember(app, `keyholder-${personCount}@example.com`, {
    role: "READ_ONLY",
  });
  return { ...person, cookie: await signIn(app, person.email, person.password) };
}

const post = (path: string, body: object, cookie?: string) =>
  app.call("POST", path, cookie === undefined ? { key: null, body } : { cookie, body });

async function addPasskey(
  cookie: string,
  authenticator = new SoftwareAuthenticator(origin),
): Promise<Answer> {
  const begun = await post("/v1/users/me/passkeys/options", {}, cookie);
  assert.equal(begun.status, 200, begun.text);
  const { optionsToken, options } = begun.body;
  const body = { optionsToken, name: "Laptop", response: authenticator.create(options) };
  return post("/v1/users/me/passkeys", body, cookie);
}

async function useForSignIn(
  authenticator: SoftwareAuthenticator,
  challengeToken?: string,
): Promise<Answer> {
  const requested = challengeToken === undefined ? {} : { challengeToken };
  const { body } = await post("/v1/sessions/passkey/options", requested);
  const response = authenticator.get(body.options);
  return post("/v1/sessions/passkey", { optionsToken: body.optionsToken, response, ...requested });
}

test("the first passkey comes with recovery codes", async () => {
  const { cookie } = await newPerson();
  const first = await addPasskey(cookie);
  assert.equal(first.status, 201, first.text);
  assert.deepEqual([first.body.name, first.body.host], ["Laptop", "localhost"]);
  assert.equal(first.body.recoveryCodes.length, 10);
  const second = await addPasskey(cookie);
  assert.equal(second.body.recoveryCodes, null);
  const list = await app.call("GET", "/v1/users/me/passkeys", { cookie });
  assert.deepEqual(
    list.body.map(({ id }: { id: string }) => id),
    [first.body.id, second.body.id],
  );
  const begun = await post("/v1/users/me/passkeys/options", {}, cookie);
  assert.equal(begun.body.options.excludeCredentials.length, 2);
  assert.equal(begun.body.options.authenticatorSelection.residentKey, "required");
});

test("a passkey signs in without a password, and its last use is shown", async () => {
  const person = await newPerson();
  const authenticator = new SoftwareAuthenticator(origin);
  await addPasskey(person.cookie, authenticator);
  const answer = await useForSignIn(authenticator);
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.body.user.email, person.email);
  assert.deepEqual([answer.body.way, answer.body.secondFactor], ["PASSKEY", "PASSKEY"]);
  const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  const list = await app.call("GET", "/v1/users/me/passkeys", { cookie });
  assert.equal(list.body[0].lastUsedAt, app.clock.now().toISOString());
});

test("after a password, only a passkey of the same user is accepted", async () => {
  const [person, other] = [await newPerson(), await newPerson()];
  const [own, foreign] = [new SoftwareAuthenticator(origin), new SoftwareAuthenticator(origin)];
  await addPasskey(person.cookie, own);
  await addPasskey(other.cookie, foreign);
  const { email, password } = person;
  const first = await post("/v1/sessions", { email, password });
  assert.equal(first.status, 202);
  assert.deepEqual(first.body.methods, ["PASSKEY", "RECOVERY_CODE"]);
  const { challengeToken } = first.body;
  assert.equal((await useForSignIn(foreign, challengeToken)).status, 401);
  // The password was given, so the authenticator need not verify its user.
  own.verifiesUser = false;
  const second = await useForSignIn(own, challengeToken);
  assert.equal(second.status, 201, second.text);
  assert.deepEqual([second.body.way, second.body.secondFactor], ["PASSWORD", "PASSKEY"]);
  assert.equal((await useForSignIn(own, challengeToken)).status, 401);
  assert.equal((await useForSignIn(own)).status, 401, "alone it must verify its user");
});

test("a response works once, before expiry, and only for its request", async () => {
  const { cookie } = await newPerson();
  const authenticator = new SoftwareAuthenticator(origin);
  await addPasskey(cookie, authenticator);
  const ask = async () => (await post("/v1/sessions/passkey/options", {})).body;
  const [one, other] = [await ask(), await ask()];
  const response = authenticator.get(one.options);
  const send = (optionsToken: string) => post("/v1/sessions/passkey", { optionsToken, response });
  assert.equal((await send(other.optionsToken)).body.message, badPasskey);
  assert.equal((await send(one.optionsToken)).status, 201);
  assert.equal((await send(one.optionsToken)).body.message, badChallenge);
  const late = await ask();
  app.clock.advance(300_000);
  const answer = { optionsToken: late.optionsToken, response: authenticator.get(late.options) };
  assert.equal((await post("/v1/sessions/passkey", answer)).body.message, badChallenge);
});

const badPasskey = "Unknown passkey, or its signature is not valid";
const badChallenge = "This sign-in has expired or was already used. Start again";

test("a decreasing counter is rejected, because it indicates a cloned passkey", async () => {
  const { cookie } = await newPerson();
  const authenticator = new SoftwareAuthenticator(origin);
  await addPasskey(cookie, authenticator);
  authenticator.counter = 7;
  assert.equal((await useForSignIn(authenticator)).status, 201);
  authenticator.counter = 3;
  assert.equal((await useForSignIn(authenticator)).body.message, badPasskey);
  authenticator.counter = 8;
  assert.equal((await useForSignIn(authenticator)).status, 201);
});

test("a page on another origin can neither add nor use a passkey", async () => {
  const { cookie } = await newPerson();
  const phisher = new SoftwareAuthenticator("https://localhost.evil.example");
  const added = await addPasskey(cookie, phisher);
  assert.equal(added.status, 400);
  assert.deepEqual(added.body.validation.keys, ["response"]);
  assert.equal((await useForSignIn(new SoftwareAuthenticator(origin))).status, 401);
});

test("a passkey of another host name is not offered and not accepted", async () => {
  const person = await newPerson();
  const authenticator = new SoftwareAuthenticator(origin);
  await addPasskey(person.cookie, authenticator);
  await app.query("update passkeys set host = 'old.example.com' where user_id = $1", [
    person.userId,
  ]);
  const { email, password } = person;
  const { body } = await post("/v1/sessions", { email, password });
  assert.deepEqual(body.methods, ["RECOVERY_CODE"]);
  assert.equal((await useForSignIn(authenticator)).status, 401);
});

test("only its owner can rename or delete a passkey; the last one deletes the codes", async () => {
  const [person, other] = [await newPerson(), await newPerson()];
  const { id } = (await addPasskey(person.cookie)).body;
  const path = `/v1/users/me/passkeys/${id}`;
  const rename = (cookie: string) =>
    app.call("PATCH", path, { cookie, body: { name: "Old laptop" } });
  assert.equal((await rename(other.cookie)).status, 404);
  assert.equal((await rename(person.cookie)).body.name, "Old laptop");
  assert.equal((await post(`${path}/remove`, {}, other.cookie)).status, 404);
  app.clock.advance(900_000);
  const stale = await post(`${path}/remove`, {}, person.cookie);
  assert.deepEqual([stale.status, stale.body.reason], [403, "proof-needed"]);
  const { password } = person;
  assert.equal((await post(`${path}/remove`, { password }, person.cookie)).status, 204);
  const { body } = await app.call("GET", "/v1/users/me/second-factors", { cookie: person.cookie });
  assert.deepEqual([body.hasSecondFactor, body.recoveryCodesLeft], [false, 0]);
});

test("a user can have at most twenty passkeys", async () => {
  const { cookie, userId } = await newPerson();
  await app.query(
    `insert into passkeys select gen_random_uuid(), $1, 'n', 'localhost', 'c' || n, '', 0, '{}',
       false, now(), null from generate_series(1, 20) n`,
    [userId],
  );
  const rejected = await post("/v1/users/me/passkeys/options", {}, cookie);
  assert.equal(rejected.status, 409);
});

test("at an IP address, passkeys are rejected with the reason", async () => {
  const byAddress = await startTestApp();
  try {
    const options = { key: null, body: {} };
    const rejected = await byAddress.call("POST", "/v1/sessions/passkey/options", options);
    assert.equal(rejected.status, 409);
    assert.match(rejected.body.message, /127\.0\.0\.1 is an IP address.*open http:\/\/localhost:/);
    const { body } = await byAddress.call("GET", "/v1/users/me/second-factors");
    assert.deepEqual([body.passkeys.isUsable, body.passkeys.host], [false, null]);
    assert.equal(body.passkeys.reason, rejected.body.message);
  } finally {
    await byAddress.stop();
  }
});
