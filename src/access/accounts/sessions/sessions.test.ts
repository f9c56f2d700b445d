import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import pg from "pg";
import { ownerPassword, startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addMember, signIn } from "../../../../test/support/apps/cast.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";
import { hashPassword } from "../../../platform/secrets.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp({ TRUSTED_PROXIES: "127.0.0.1" });
});
beforeEach(() => {
  // Password attempts are counted over five minutes; every test starts with a fresh limit.
  app.clock.advance(600_000);
});
after(() => app.stop());

const email = "owner@example.com";
const signInAs = (body: Record<string, unknown>, from = "192.0.2.1") =>
  app.call("POST", "/v1/sessions", { key: null, body, headers: { "x-forwarded-for": from } });

test("signing in sets a cookie that scripts cannot read, and it opens the account", async () => {
  const answer = await signInAs({ email, password: ownerPassword });
  assert.equal(answer.status, 201);
  assert.equal(answer.body.user.email, email);
  const cookie = answer.headers.get("set-cookie") ?? "";
  assert.match(cookie, /^vedette_session=[\w-]{43}; /);
  assert.match(cookie, /HttpOnly/);
  assert.match(cookie, /SameSite=Lax/);
  assert.match(cookie, /Path=\//);
  assert.equal(answer.text.includes(cookie.slice(16, 40)), false);
  const [pair = ""] = cookie.split(";");
  const account = await app.call("GET", "/v1/accounts/me", { cookie: pair });
  assert.equal(account.body.id, app.owner.accountId);
});

test("a session and its audit entry record how it was opened", async () => {
  const { body } = await signInAs({ email, password: ownerPassword });
  assert.equal(body.way, "PASSWORD");
  const log = await app.call("GET", "/v1/audit-log?action=session.created&limit=1");
  const [entry] = log.body.entries;
  assert.deepEqual([entry.target.id, entry.changes], [body.id, { way: "PASSWORD" }]);
});

test("a wrong password and an unknown email receive the same response", async () => {
  const wrong = await signInAs({ email, password: "not the password" });
  const unknown = await signInAs({ email: "nobody@example.com", password: "not the password" });
  for (const answer of [wrong, unknown]) {
    assert.equal(answer.status, 401);
    assert.equal(answer.body.message, "Wrong email or password");
    assert.equal(answer.headers.get("set-cookie"), null);
  }
});

test("the email address is case-insensitive", async () => {
  assert.equal(
    (await signInAs({ email: "OWNER@Example.com", password: ownerPassword })).status,
    201,
  );
});

test("after ten wrong passwords, a network receives 429 for five minutes", async () => {
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    const from = `2001:db8:1:2::${attempt}`;
    assert.equal((await signInAs({ email, password: "guess" }, from)).status, 401);
  }
  const from = "2001:db8:1:2:ffff::1";
  const rejected = await signInAs({ email, password: ownerPassword }, from);
  assert.equal(rejected.status, 429);
  assert.deepEqual(rejected.body, {
    statusCode: 429,
    error: "Too Many Requests",
    message: "Too Many Requests",
    attributes: {},
  });
  assert.equal(rejected.headers.get("retry-after"), "300");
  assert.equal((await signInAs({ email, password: ownerPassword })).status, 201, "not locked out");
  app.clock.advance(300_000);
  assert.equal((await signInAs({ email, password: ownerPassword }, from)).status, 201);
});

test("a sign-in stores its network permanently", async () => {
  const { rows } = await app.query("select network from sign_in_networks order by network");
  assert.deepEqual(
    rows.map(({ network }) => network),
    ["192.0.2.1", "2001:db8:1:2::/64"],
  );
});

test("signing out ends the session and deletes the cookie", async () => {
  const cookie = await signIn(app, email, ownerPassword);
  const out = await app.call("DELETE", "/v1/sessions/current", { cookie });
  assert.equal(out.status, 204);
  assert.match(out.headers.get("set-cookie") ?? "", /Expires=Thu, 01 Jan 1970/);
  assert.equal((await app.call("GET", "/v1/accounts/me", { cookie })).status, 401);
});

test("a session ends after thirty days", async () => {
  const cookie = await signIn(app, email, ownerPassword);
  app.clock.advance(30 * 86_400_000 - 1);
  assert.equal((await app.call("GET", "/v1/accounts/me", { cookie })).status, 200);
  app.clock.advance(1);
  assert.equal((await app.call("GET", "/v1/accounts/me", { cookie })).status, 401);
});

test("changing the password ends every other session and keeps this one", async () => {
  const person = await addMember(app, "changer@example.com", { role: "READ_ONLY" });
  const here = await signIn(app, person.email, person.password);
  const elsewhere = await signIn(app, person.email, person.password);
  const body = { currentPassword: person.password, newPassword: "an even better one" };
  assert.equal(
    (await app.call("PUT", "/v1/users/me/password", { cookie: here, body })).status,
    204,
  );
  assert.equal((await app.call("GET", "/v1/users/me", { cookie: here })).status, 200);
  assert.equal((await app.call("GET", "/v1/users/me", { cookie: elsewhere })).status, 401);
  assert.equal((await signInAs({ email: person.email, password: person.password })).status, 401);
  assert.equal((await signInAs({ email: person.email, password: body.newPassword })).status, 201);
});

test("changing the password needs the current one and a new one of sufficient length", async () => {
  const wrong = { currentPassword: "not mine at all", newPassword: "an even better one" };
  const answer = await app.call("PUT", "/v1/users/me/password", { body: wrong });
  assert.equal(answer.status, 400);
  assert.deepEqual(answer.body.validation, { source: "body", keys: ["currentPassword"] });
  const user = { id: app.owner.accountId, passwordHash: await hashPassword("not mine at all") };
  const smuggled = await app.call("PUT", "/v1/users/me/password", { body: { ...wrong, user } });
  assert.equal(smuggled.status, 400, "a hash in the body is ignored");
  const short = { currentPassword: ownerPassword, newPassword: "short" };
  const rejected = await app.call("PUT", "/v1/users/me/password", { body: short });
  assert.deepEqual(rejected.body.validation, { source: "body", keys: ["newPassword"] });
});

test("a user can list their sessions and end one of them", async () => {
  const person = await addMember(app, "afar@example.com", { role: "READ_ONLY" });
  const lost = await signIn(app, person.email, person.password);
  const here = await signIn(app, person.email, person.password);
  const { body } = await app.call("GET", "/v1/sessions", { cookie: here });
  assert.equal(body.length, 3, "the one of the accepted invite is the oldest");
  const path = `/v1/sessions/${body[1].id}`;
  assert.equal((await app.call("DELETE", path, { cookie: here })).status, 204);
  assert.equal((await app.call("GET", "/v1/users/me", { cookie: lost })).status, 401);
});

test("the list shows the current session and the browser of each", async () => {
  const person = await addMember(app, "devices@example.com", { role: "READ_ONLY" });
  const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  const answer = await app.call("POST", "/v1/sessions", {
    key: null,
    body: { email: person.email, password: person.password },
    headers: { "user-agent": agent },
  });
  const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  const { body } = await app.call("GET", "/v1/sessions", { cookie });
  const shown = body.map((one: Record<"isCurrent" | "device", unknown>) => [
    one.isCurrent,
    one.device,
  ]);
  assert.deepEqual(shown, [
    [true, "Firefox on Linux"],
    [false, "Unknown"],
  ]);
});

test("ending all other sessions keeps the current one", async () => {
  const person = await addMember(app, "others@example.com", { role: "READ_ONLY" });
  const here = await signIn(app, person.email, person.password);
  const elsewhere = await signIn(app, person.email, person.password);
  assert.equal((await app.call("DELETE", "/v1/sessions", { cookie: here })).status, 204);
  assert.equal((await app.call("GET", "/v1/users/me", { cookie: elsewhere })).status, 401);
  assert.equal((await app.call("GET", "/v1/sessions", { cookie: here })).body.length, 1);
});

test("an ended session receives 401, and an insufficient role 403", async () => {
  const person = await addMember(app, "ended@example.com", { role: "READ_ONLY" });
  const cookie = await signIn(app, person.email, person.password);
  const write = () => app.call("PATCH", "/v1/accounts/me", { cookie, body: { name: "Mine" } });
  assert.equal((await write()).status, 403);
  await app.call("DELETE", "/v1/sessions/current", { cookie });
  const ended = await write();
  assert.deepEqual([ended.status, ended.body.message], [401, "Bad Token"]);
});

test("a cross-origin page cannot write with the session cookie", async () => {
  const cookie = await signIn(app, email, ownerPassword);
  const write = (headers: Record<string, string>) =>
    app.call("PATCH", "/v1/users/me", { cookie, headers, body: { name: "Owner" } });
  const { host } = new URL(app.url);
  assert.equal((await write({ origin: "https://evil.example" })).status, 403);
  assert.equal((await write({ origin: "null" })).status, 403);
  assert.equal((await write({ origin: `http://${host}.evil.example` })).status, 403);
  assert.equal((await write({ origin: `http://${host}` })).status, 200);
  assert.equal((await write({})).status, 200);
});

test("a bearer header takes precedence over a cookie", async () => {
  const cookie = await signIn(app, email, ownerPassword);
  const headers = { authorization: "Bearer not-a-key-that-anybody-knows" };
  assert.equal((await app.call("GET", "/v1/users/me", { cookie, headers })).status, 401);
});

test("over https, the cookie is Secure", async () => {
  const secure = await startTestApp({ PUBLIC_URL: "https://status.example.com" });
  try {
    const answer = await secure.call("POST", "/v1/sessions", {
      key: null,
      body: { email, password: ownerPassword },
    });
    assert.match(answer.headers.get("set-cookie") ?? "", /; Secure/);
  } finally {
    await secure.stop();
  }
});

test("a password changed during its check opens no session", async () => {
  const person = await addMember(app, "raced@example.com", { role: "READ_ONLY" });
  const changing = new pg.Client({ connectionString: app.databaseUrl });
  await changing.connect();
  try {
    await changing.query("begin");
    const raise = "update users set credential_version = credential_version + 1 where id = $1";
    await changing.query(raise, [person.userId]);
    const { email, password } = person;
    const answer = signInAs({ email, password });
    await waitUntil("the sign-in waits for the change", async () => {
      const waiting = await app.query(
        `select from pg_stat_activity where datname = current_database()
          and wait_event_type = 'Lock'`,
      );
      return (waiting.rowCount ?? 0) > 0;
    });
    await changing.query("commit");
    assert.equal((await answer).status, 401);
  } finally {
    await changing.end();
  }
  assert.equal((await signInAs({ email: person.email, password: person.password })).status, 201);
});
