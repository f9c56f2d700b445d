import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addMember, signIn } from "../../../../test/support/apps/cast.ts";
import { openDatabase } from "../../../platform/database-pool.ts";
import { createLog } from "../../../platform/log.ts";
import { createLinkFromCommandLine } from "./sign-in-links.ts";

let app: TestApp;
let firstToken: string;
before(async () => {
  app = await startTestApp({ TRUSTED_PROXIES: "127.0.0.1", BOOTSTRAP_PASSWORD: "" });
  assert.equal(app.owner.password, null, "no password is invented");
  assert.ok(app.owner.linkToken);
  firstToken = app.owner.linkToken;
});
beforeEach(() => app.clock.advance(600_000));
after(() => app.stop());

const email = "owner@example.com";
const exchange = (token: string, from = "192.0.2.1") =>
  app.call("POST", "/v1/sessions/link", {
    key: null,
    body: { token },
    headers: { "x-forwarded-for": from },
  });
const cookieOf = (answer: { headers: Headers }) =>
  (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";

/** Creates a link like the command line, beside the running server. */
async function makeLink(forEmail: string | null = null): Promise<string> {
  const { db, close } = openDatabase({ connectionString: app.databaseUrl }, createLog("silent"));
  try {
    return (await createLinkFromCommandLine({ db, clock: app.clock }, forEmail)).token;
  } finally {
    await close();
  }
}

test("the owner's first link signs in once and allows choosing a password", async () => {
  const before = await app.call("POST", "/v1/sessions", {
    key: null,
    body: { email, password: "any password at all" },
  });
  assert.equal(before.status, 401, "nobody signs in with a password that was never chosen");
  const [one, other] = await Promise.all([exchange(firstToken), exchange(firstToken)]);
  assert.deepEqual([one.status, other.status].sort(), [201, 404], "even for two at once");
  const opened = one.status === 201 ? one : other;
  assert.equal(opened.body.way, "LINK");
  assert.match(opened.headers.get("set-cookie") ?? "", /HttpOnly/);
  const cookie = cookieOf(opened);
  const me = await app.call("GET", "/v1/users/me", { cookie });
  assert.deepEqual([me.body.hasPassword, me.body.mayChoosePassword], [false, true]);
  const body = { newPassword: "chosen at the first start" };
  const chosen = await app.call("PUT", "/v1/users/me/password", { cookie, body });
  assert.equal(chosen.status, 204);
  await signIn(app, email, body.newPassword);
  assert.equal((await app.call("GET", "/v1/users/me", { cookie })).body.hasPassword, true);
});

test("only the hash of a link is stored, and no log contains it", async () => {
  const token = await makeLink();
  const { rows } = await app.query("select encode(token_hash, 'hex') as hash from sign_in_links");
  assert.ok(rows.length > 0 && rows.every(({ hash }) => /^[0-9a-f]{64}$/.test(hash)));
  assert.equal((await exchange(token)).status, 201);
  assert.equal(app.logText().includes(token), false);
});

test("a link works for an hour, and an invented token never works", async () => {
  const late = await makeLink();
  app.clock.advance(3_600_000);
  assert.equal((await exchange(late)).status, 404);
  assert.equal((await exchange("there-is-no-such-token-at-all")).status, 404);
  assert.equal((await exchange("short")).status, 400);
});

test("only a session opened by link within the last hour can set a password without the old one", async () => {
  const body = { newPassword: "chosen without the old one" };
  const cookie = cookieOf(await exchange(await makeLink()));
  app.clock.advance(3_600_000);
  const late = await app.call("PUT", "/v1/users/me/password", { cookie, body });
  assert.equal(late.status, 400);
  assert.match(
    late.body.message,
    /^currentPassword is required, unless you signed in with a one-time link/,
  );
  const byPassword = await signIn(app, email, "chosen at the first start");
  for (const how of [{ cookie: byPassword }, {}]) {
    const rejected = await app.call("PUT", "/v1/users/me/password", { ...how, body });
    assert.deepEqual(rejected.body.validation, { source: "body", keys: ["currentPassword"] });
  }
  const fresh = cookieOf(await exchange(await makeLink()));
  const me = await app.call("GET", "/v1/users/me", { cookie: byPassword });
  assert.equal(me.body.mayChoosePassword, false);
  const wrong = { ...body, currentPassword: "not this one" };
  const answer = await app.call("PUT", "/v1/users/me/password", { cookie: fresh, body: wrong });
  assert.equal(answer.status, 400, "a wrong current password is wrong for everybody");
});

test("a new password that breaks a rule is rejected with the rule", async () => {
  const cookie = cookieOf(await exchange(await makeLink()));
  const rules: Readonly<Record<string, RegExp>> = {
    short: /10 characters/,
    "Owner@Example.com": /must not be your email address/,
    password123: /common password/,
    aaaaaaaaaaaa: /four different/,
  };
  for (const [newPassword, rule] of Object.entries(rules)) {
    const answer = await app.call("PUT", "/v1/users/me/password", {
      cookie,
      body: { newPassword },
    });
    assert.equal(answer.status, 400, newPassword);
    assert.match(answer.body.message, rule);
    assert.deepEqual(answer.body.validation.keys, ["newPassword"]);
  }
});

test("a changed password revokes open links", async () => {
  const open = await makeLink();
  const cookie = cookieOf(await exchange(await makeLink()));
  const body = { newPassword: "chosen once again" };
  await app.call("PUT", "/v1/users/me/password", { cookie, body });
  assert.equal((await exchange(open)).status, 404);
});

test("the command creates links for the only owner or the named user", async () => {
  const person = await addMember(app, "colleague@example.com", { role: "READ_ONLY" });
  const opened = await exchange(await makeLink(person.email.toUpperCase()));
  assert.equal(opened.body.user.email, person.email);
  await assert.rejects(makeLink("nobody@example.com"), (error: Error) => {
    assert.match(error.message, /^No user has the email address nobody@example\.com\./);
    assert.match(error.message, /npm run vedette sign-in-link -- --email owner@example\.com$/);
    return true;
  });
  await app.call("PATCH", `/v1/accounts/me/members/${person.userId}`, { body: { role: "OWNER" } });
  await assert.rejects(makeLink(), /several owners\. .*\n.*--email owner@example\.com\n/);
  const log = await app.call("GET", "/v1/audit-log?action=sign-in-link.created&limit=1");
  assert.deepEqual(log.body.entries[0].changes, { email: person.email });
  assert.equal(log.body.entries[0].actor.name, "Command line");
});

test("a link works despite password guessing from many networks", async () => {
  const token = await makeLink("owner@example.com");
  for (let index = 0; index < 150; index += 1) {
    const from = `2001:db8:${index.toString(16)}::1`;
    const headers = { "x-forwarded-for": from };
    await exchange(`a-guess-at-a-token-that-nobody-made-${index}`, from);
    const body = { email, password: "a guess" };
    await app.call("POST", "/v1/sessions", { key: null, body, headers });
  }
  const locked = await app.call("POST", "/v1/sessions", {
    key: null,
    body: { email, password: "chosen once again" },
    headers: { "x-forwarded-for": "203.0.113.9" },
  });
  assert.equal(locked.status, 429, "an unknown network shares the count of the strangers");
  assert.equal((await exchange(token, "203.0.113.9")).status, 201);
  const known = await app.call("POST", "/v1/sessions", {
    key: null,
    body: { email, password: "chosen once again" },
    headers: { "x-forwarded-for": "203.0.113.9" },
  });
  assert.equal(known.status, 201, "the link has made the network a known one");
});
