import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { type Answer, startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addMember, createKey, type Person, signIn } from "../../../../test/support/apps/cast.ts";
import { readAppCode, setUpTotp } from "../../../../test/support/modules/second-factors.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp({ TRUSTED_PROXIES: "127.0.0.1" });
});
beforeEach(() => app.clock.advance(3_600_000));
after(() => app.stop());

let personCount = 0;
function newPerson(role: "READ_ONLY" | "ADMIN" = "READ_ONLY"): Promise<Person> {
  personCount += 1;
  return addMember(app, `person-${personCount}@example.com`, { role });
}

function beginSignIn({ email, password }: Person): Promise<Answer> {
  return app.call("POST", "/v1/sessions", { key: null, body: { email, password } });
}

function answerChallenge(
  body: Readonly<Record<string, string>>,
  from = "192.0.2.1",
): Promise<Answer> {
  const headers = { "x-forwarded-for": from };
  return app.call("POST", "/v1/sessions/second-factor", { key: null, headers, body });
}

/**
 * Creates a user with an authenticator app, its recovery codes, and the session used for the setup.
 */
async function newPersonWithApp() {
  const person = await newPerson();
  const cookie = await signIn(app, person.email, person.password);
  const { secret, recoveryCodes } = await setUpTotp(app, cookie);
  app.clock.advance(30_000);
  return { person, cookie, secret, recoveryCodes, code: () => readAppCode(app, secret) };
}

test("with an app set up, a code is required after the password", async () => {
  const { person, code } = await newPersonWithApp();
  const first = await beginSignIn(person);
  assert.equal(first.status, 202);
  assert.equal(first.headers.get("set-cookie"), null);
  assert.deepEqual(first.body.methods, ["TOTP", "RECOVERY_CODE"]);
  const { challengeToken } = first.body;
  const second = await answerChallenge({ challengeToken, method: "TOTP", code: code() });
  assert.equal(second.status, 201, second.text);
  assert.deepEqual([second.body.way, second.body.secondFactor], ["PASSWORD", "TOTP"]);
  const cookie = second.headers.get("set-cookie")?.split(";")[0] ?? "";
  assert.equal((await app.call("GET", "/v1/users/me", { cookie })).body.email, person.email);
});

test("a code works once, even with a new challenge, and so does a challenge", async () => {
  const { person, code } = await newPersonWithApp();
  const { challengeToken } = (await beginSignIn(person)).body;
  const used = code();
  assert.equal((await answerChallenge({ challengeToken, method: "TOTP", code: used })).status, 201);
  const next = (await beginSignIn(person)).body.challengeToken;
  const replayed = await answerChallenge({ challengeToken: next, method: "TOTP", code: used });
  assert.equal(replayed.status, 401);
  assert.equal(replayed.body.message, "Wrong code, or already used");
  app.clock.advance(30_000);
  const again = await answerChallenge({ challengeToken, method: "TOTP", code: code() });
  assert.equal(again.body.message, "This sign-in has expired or was already used. Start again");
  // Rejected because of the challenge, so the code was not consumed.
  const right = await answerChallenge({ challengeToken: next, method: "TOTP", code: code() });
  assert.equal(right.status, 201);
});

test("a challenge expires after five minutes and works for one purpose only", async () => {
  const { person, cookie, code } = await newPersonWithApp();
  const { challengeToken } = (await beginSignIn(person)).body;
  const confirm = { setUpToken: challengeToken, code: code() };
  const misused = await app.call("POST", "/v1/users/me/totp/confirm", { cookie, body: confirm });
  assert.equal(misused.status, 400);
  app.clock.advance(300_000);
  const late = await answerChallenge({ challengeToken, method: "TOTP", code: code() });
  assert.equal(late.status, 401);
  const forged = { challengeToken: `${challengeToken.slice(0, -8)}AAAAAAA=`, method: "TOTP" };
  assert.equal((await answerChallenge({ ...forged, code: code() })).status, 401);
});

test("a recovery code works once, in any notation, and its use is audited", async () => {
  const { person, recoveryCodes } = await newPersonWithApp();
  assert.equal(new Set(recoveryCodes).size, 10);
  const { challengeToken } = (await beginSignIn(person)).body;
  const typed = recoveryCodes[0]?.toUpperCase().replaceAll("-", " ") ?? "";
  const method = "RECOVERY_CODE";
  const answer = await answerChallenge({ challengeToken, method, code: typed });
  assert.equal(answer.status, 201, answer.text);
  const log = await app.call("GET", "/v1/audit-log?action=session.created&limit=1");
  assert.deepEqual(log.body.entries[0].changes, { way: "PASSWORD", secondFactor: method });
  const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  const { body } = await app.call("GET", "/v1/users/me/second-factors", { cookie });
  assert.equal(body.recoveryCodesLeft, 9);
  const next = (await beginSignIn(person)).body.challengeToken;
  const replayed = await answerChallenge({ challengeToken: next, method, code: typed });
  assert.equal(replayed.status, 401);
});

test("ten wrong codes block their network for five minutes, and no other", async () => {
  const { person, code } = await newPersonWithApp();
  const { challengeToken } = (await beginSignIn(person)).body;
  const guess = { challengeToken, method: "TOTP", code: "000000" };
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    assert.equal((await answerChallenge(guess, "198.51.100.7")).status, 401);
  }
  const right = { ...guess, code: code() };
  const rejected = await answerChallenge(right, "198.51.100.7");
  assert.equal(rejected.status, 429);
  assert.ok(Number(rejected.headers.get("retry-after")) > 0);
  assert.equal((await answerChallenge(right, "203.0.113.9")).status, 201);
});

test("guesses from many networks do not lock out a network the user has signed in from", async () => {
  const { person, code } = await newPersonWithApp();
  const home = "203.0.113.77";
  const { challengeToken } = (await beginSignIn(person)).body;
  const right = { challengeToken, method: "TOTP", code: code() };
  assert.equal((await answerChallenge(right, home)).status, 201);
  app.clock.advance(60_000);
  const next = { ...right, challengeToken: (await beginSignIn(person)).body.challengeToken };
  const statuses: number[] = [];
  for (let attempt = 1; attempt <= 25; attempt += 1) {
    const from = `2001:db8:${attempt}::1`;
    statuses.push((await answerChallenge({ ...next, code: "000000" }, from)).status);
  }
  assert.deepEqual([...new Set(statuses)].sort(), [401, 429]);
  assert.equal((await answerChallenge({ ...next, code: code() }, home)).status, 201);
});

test("the setup needs a correct first code, stores nothing before, and works once", async () => {
  const person = await newPerson();
  const cookie = await signIn(app, person.email, person.password);
  const begun = await app.call("POST", "/v1/users/me/totp", { cookie, body: {} });
  assert.equal(begun.status, 200, begun.text);
  assert.match(begun.body.otpauthUrl, /^otpauth:\/\/totp\/Vedette%20\(127\.0\.0\.1\):person-/);
  assert.ok(begun.body.otpauthUrl.includes(`secret=${begun.body.secret}&`));
  const { setUpToken } = begun.body;
  const confirm = (code: string) =>
    app.call("POST", "/v1/users/me/totp/confirm", { cookie, body: { setUpToken, code } });
  const wrong = await confirm("000000");
  assert.equal(wrong.status, 400);
  assert.deepEqual(wrong.body.validation.keys, ["code"]);
  assert.equal((await beginSignIn(person)).status, 201);
  const code = readAppCode(app, begun.body.secret);
  assert.equal((await confirm(code)).status, 201);
  assert.equal((await confirm(code)).status, 400);
  const twice = await app.call("POST", "/v1/users/me/totp", { cookie, body: {} });
  assert.equal(twice.status, 409);
  const stored = await app.query("select sealed_secret from totp_secrets");
  assert.ok(stored.rows.every((row) => !row.sealed_secret.includes(begun.body.secret)));
});

test("another user's setup cannot be confirmed", async () => {
  const [one, other] = [await newPerson(), await newPerson()];
  const begun = await app.call("POST", "/v1/users/me/totp", {
    cookie: await signIn(app, one.email, one.password),
    body: {},
  });
  const body = { setUpToken: begun.body.setUpToken, code: readAppCode(app, begun.body.secret) };
  const cookie = await signIn(app, other.email, other.password);
  const answer = await app.call("POST", "/v1/users/me/totp/confirm", { cookie, body });
  assert.equal(answer.status, 404);
});

test("a session older than 15 minutes needs the password to start the setup", async () => {
  const person = await newPerson();
  const cookie = await signIn(app, person.email, person.password);
  app.clock.advance(900_000);
  const begin = (body: object) => app.call("POST", "/v1/users/me/totp", { cookie, body });
  const rejected = await begin({});
  assert.equal(rejected.status, 403);
  assert.equal(rejected.body.reason, "proof-needed");
  assert.equal((await begin({ password: "not the password" })).status, 400);
  assert.equal((await begin({ password: person.password })).status, 200);
});

test("removing the app needs a code or the password; no code is required afterwards", async () => {
  const { person, cookie, code } = await newPersonWithApp();
  const remove = (body: object) => app.call("POST", "/v1/users/me/totp/remove", { cookie, body });
  assert.equal((await remove({})).status, 403);
  assert.equal((await remove({ code: "000000" })).status, 400);
  assert.equal((await remove({ password: "not the password" })).status, 400);
  assert.equal((await remove({ code: code() })).status, 204);
  assert.equal((await beginSignIn(person)).status, 201);
  assert.equal((await remove({ password: person.password })).status, 404);
  const { body } = await app.call("GET", "/v1/users/me/second-factors", { cookie });
  assert.deepEqual([body.hasSecondFactor, body.recoveryCodesLeft], [false, 0]);
});

test("new recovery codes replace the old ones", async () => {
  const { person, cookie, recoveryCodes } = await newPersonWithApp();
  const renew = (body: object) => app.call("POST", "/v1/users/me/recovery-codes", { cookie, body });
  assert.equal((await renew({})).status, 403);
  const renewed = await renew({ password: person.password });
  assert.equal(renewed.status, 201);
  assert.equal(renewed.body.recoveryCodes.length, 10);
  const { challengeToken } = (await beginSignIn(person)).body;
  const answer = (code = "") => answerChallenge({ challengeToken, method: "RECOVERY_CODE", code });
  assert.equal((await answer(recoveryCodes[1])).status, 401);
  assert.equal((await answer(renewed.body.recoveryCodes[1])).status, 201);
});

test("recovery codes need a second factor", async () => {
  const person = await newPerson();
  const cookie = await signIn(app, person.email, person.password);
  const body = { password: person.password };
  const answer = await app.call("POST", "/v1/users/me/recovery-codes", { cookie, body });
  assert.equal(answer.status, 409);
});

test("an API key changes no second factor", async () => {
  for (const path of ["totp", "recovery-codes", "totp/remove", "passkeys/options"]) {
    const answer = await app.call("POST", `/v1/users/me/${path}`, { body: {} });
    assert.equal(answer.status, path === "passkeys/options" ? 409 : 403, `${path} ${answer.text}`);
  }
});

test("if an owner requires a second factor, members without one can only set one up", async () => {
  const person = await newPerson("ADMIN");
  const cookie = await signIn(app, person.email, person.password);
  const ask = (requiresSecondFactor: boolean, more: object = {}) =>
    app.call("PATCH", "/v1/accounts/me", { body: { requiresSecondFactor }, ...more });
  assert.equal((await ask(true, { cookie })).status, 403);
  const withoutOwn = await ask(true);
  assert.equal(withoutOwn.status, 409);
  assert.equal(withoutOwn.body.message, "set up your own second factor first");
  const { key } = await createKey(app, "OWNER");
  assert.equal((await ask(true, { key })).body.requiresSecondFactor, true);
  try {
    const rejected = await app.call("GET", "/v1/checks", { cookie });
    assert.equal(rejected.status, 403);
    assert.deepEqual(rejected.body, {
      statusCode: 403,
      error: "Forbidden",
      message: "This account requires a second factor. Set one up first",
      reason: "second-factor-needed",
    });
    for (const path of ["users/me", "accounts", "accounts/me", "users/me/second-factors"]) {
      assert.equal((await app.call("GET", `/v1/${path}`, { cookie })).status, 200, path);
    }
    // API keys are for programs, which have no second factor.
    assert.equal((await app.call("GET", "/v1/checks")).status, 200);
    await setUpTotp(app, cookie);
    assert.equal((await app.call("GET", "/v1/checks", { cookie })).status, 200);
  } finally {
    assert.equal((await ask(false)).status, 200);
  }
});

test("a user key from another account does not bypass the second factor", async () => {
  const person = await newPerson("ADMIN");
  const cookie = await signIn(app, person.email, person.password);
  const elsewhere = await app.call("POST", "/v1/accounts", { body: { name: "Elsewhere" } });
  await addMember(app, person.email, { role: "ADMIN", accountId: elsewhere.body.id });
  const inAccount = (id: string) => ({ "x-service-account": id });
  const made = await app.call("POST", "/v1/api-keys", {
    cookie,
    headers: inAccount(elsewhere.body.id),
    body: { name: "way around", type: "USER", role: "ADMIN" },
  });
  assert.equal(made.status, 201, made.text);
  const read = async (accountId: string) => {
    const headers = inAccount(accountId);
    return (await app.call("GET", "/v1/checks", { key: made.body.rawKey, headers })).status;
  };
  const ours = app.owner.accountId;
  assert.deepEqual([await read(ours), await read(elsewhere.body.id)], [200, 200]);
  const { key } = await createKey(app, "OWNER");
  const ask = (requiresSecondFactor: boolean) =>
    app.call("PATCH", "/v1/accounts/me", { key, body: { requiresSecondFactor } });
  assert.equal((await ask(true)).status, 200);
  try {
    assert.deepEqual([await read(ours), await read(elsewhere.body.id)], [403, 200]);
    await setUpTotp(app, cookie);
    assert.equal(await read(ours), 200);
  } finally {
    assert.equal((await ask(false)).status, 200);
  }
});

test("secrets and codes are in no log line and no audit entry", async () => {
  const { person, secret, recoveryCodes, code } = await newPersonWithApp();
  const { challengeToken } = (await beginSignIn(person)).body;
  const used = code();
  await answerChallenge({ challengeToken, method: "TOTP", code: used });
  const audit = await app.call("GET", "/v1/audit-log?limit=100");
  for (const text of [app.logText(), audit.text]) {
    for (const hidden of [secret, challengeToken, ...recoveryCodes]) {
      assert.equal(text.includes(hidden), false);
    }
  }
});

test("a challenge issued before a password change is rejected after it", async () => {
  const { person, cookie, code, recoveryCodes } = await newPersonWithApp();
  const { challengeToken } = (await beginSignIn(person)).body;
  const currentPassword = person.password;
  const change = { currentPassword, newPassword: "another horse battery" };
  const changed = await app.call("PUT", "/v1/users/me/password", { cookie, body: change });
  assert.equal(changed.status, 204);
  const guesses = [
    { method: "TOTP", code: code() },
    { method: "RECOVERY_CODE", code: recoveryCodes[0] ?? "" },
  ];
  for (const guess of guesses) {
    const answer = await answerChallenge({ challengeToken, ...guess });
    assert.equal(answer.status, 401, answer.text);
    assert.match(answer.body.message, /Start again/);
  }
  // Rejected because of the challenge, so neither code was consumed.
  const next = (await beginSignIn({ ...person, password: change.newPassword })).body;
  const right = { challengeToken: next.challengeToken, method: "TOTP", code: code() };
  assert.equal((await answerChallenge(right)).status, 201);
});

test("ending all other sessions also invalidates sign-ins in progress", async () => {
  const { person, cookie, code } = await newPersonWithApp();
  const { challengeToken } = (await beginSignIn(person)).body;
  assert.equal((await app.call("DELETE", "/v1/sessions", { cookie })).status, 204);
  const answer = await answerChallenge({ challengeToken, method: "TOTP", code: code() });
  assert.equal(answer.status, 401);
});
