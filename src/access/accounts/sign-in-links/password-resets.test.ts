import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { ownerPassword, startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addMember, signIn } from "../../../../test/support/apps/cast.ts";
import {
  type MailReceiver,
  startMailReceiver,
} from "../../../../test/support/servers/mail-receiver.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";

let app: TestApp;
let post: MailReceiver;
const ends: (() => unknown)[] = [];
before(async () => {
  post = await startMailReceiver({ after: (end) => ends.push(end as () => unknown) });
  app = await startTestApp({
    TRUSTED_PROXIES: "127.0.0.1",
    SMTP_URL: post.url,
    MAIL_FROM: "vedette@example.com",
    PUBLIC_URL: "https://status.example.com",
  });
});
beforeEach(() => {
  app.clock.advance(3_600_000);
  post.mails.length = 0;
});
after(async () => {
  await app.stop();
  for (const end of ends) await end();
});

const requestReset = (email: string, from = "192.0.2.1") =>
  app.call("POST", "/v1/password-resets", {
    key: null,
    body: { email },
    headers: { "x-forwarded-for": from },
  });
const resetWith = (token: string, newPassword: string) =>
  app.call("POST", "/v1/password-resets/answer", { key: null, body: { token, newPassword } });

function unfold(raw: string): string {
  return raw.replaceAll("=\r\n", "").replaceAll("=3D", "=");
}

const resetMailsTo = (email: string) =>
  post.mails
    .map(({ to, raw }) => ({ to, text: unfold(raw) }))
    .filter(({ to, text }) => to.includes(email) && text.includes("/reset-password#"));

async function readTokenFor(email: string): Promise<string> {
  await waitUntil(`a mail to ${email}`, () => resetMailsTo(email).length > 0);
  const [, token = ""] = /#token=([\w-]{43})/.exec(resetMailsTo(email)[0]?.text ?? "") ?? [];
  return token;
}

test("a mailed link sets a new password, ends all sessions and signs in", async () => {
  const person = await addMember(app, "forgetful@example.com", { role: "READ_ONLY" });
  const elsewhere = await signIn(app, person.email, person.password);
  const keyBody = { name: "of an attacker", type: "USER", role: "READ_ONLY" };
  const made = await app.call("POST", "/v1/api-keys", { cookie: elsewhere, body: keyBody });
  const key = made.body.rawKey;
  assert.equal((await app.call("GET", "/v1/users/me", { key })).status, 200);
  post.mails.length = 0;
  const requested = await requestReset("Forgetful@Example.com");
  assert.deepEqual([requested.status, requested.text], [204, ""]);
  const token = await readTokenFor(person.email);
  const mail = resetMailsTo(person.email)[0]?.text ?? "";
  assert.match(mail, /^Subject: Choose a new password for Vedette/m);
  assert.match(mail, /Content-Type: text\/plain/);
  assert.match(mail, /Content-Type: text\/html/);
  assert.match(mail, /https:\/\/status\.example\.com\/reset-password#token=/);
  assert.match(mail, /The request came from 192\.0\.2\.1/);
  const rejected = await resetWith(token, "password123");
  assert.equal(rejected.status, 400);
  assert.match(rejected.body.message, /^newPassword is a common password/);
  const done = await resetWith(token, "a password to remember");
  assert.equal(done.status, 201, "a rejected password does not consume the link");
  assert.deepEqual([done.body.way, done.body.user.email], ["RESET", person.email]);
  const cookie = done.headers.get("set-cookie")?.split(";")[0] ?? "";
  assert.equal((await app.call("GET", "/v1/users/me", { cookie })).status, 200);
  assert.equal((await app.call("GET", "/v1/users/me", { cookie: elsewhere })).status, 401);
  assert.equal((await app.call("GET", "/v1/users/me", { key })).status, 401);
  await signIn(app, person.email, "a password to remember");
  assert.equal((await resetWith(token, "another password")).status, 404, "it works once");
  assert.equal(app.logText().includes(token), false);
  const log = await app.call("GET", "/v1/audit-log?action=user.password-reset&limit=1");
  assert.equal(log.body.entries[0].actor.name, person.email);
});

test("a link is valid for an hour, and using one revokes all others", async () => {
  const person = await addMember(app, "slow@example.com", { role: "READ_ONLY" });
  await requestReset(person.email);
  const late = await readTokenFor(person.email);
  app.clock.advance(3_600_000);
  assert.equal((await resetWith(late, "a password to remember")).status, 404);
  const tokens: string[] = [];
  for (let index = 0; index < 2; index += 1) {
    post.mails.length = 0;
    await requestReset(person.email);
    tokens.push(await readTokenFor(person.email));
  }
  const [first = "", second = ""] = tokens;
  assert.equal((await resetWith(second, "a password to remember")).status, 201);
  assert.equal((await resetWith(first, "another password")).status, 404);
  const reused = await app.call("POST", "/v1/sessions/link", { key: null, body: { token: first } });
  assert.equal(reused.status, 404, "it never was a link to sign in with");
});

test("an unknown address receives the same response and no mail", async () => {
  const unknown = await requestReset("nobody@example.com");
  assert.deepEqual([unknown.status, unknown.text], [204, ""]);
  await requestReset("owner@example.com");
  await readTokenFor("owner@example.com");
  assert.deepEqual(resetMailsTo("nobody@example.com"), []);
  assert.equal((await requestReset("not an address")).status, 400);
});

test("requests are limited per network, with Retry-After", async () => {
  for (let index = 0; index < 20; index += 1) {
    assert.equal((await requestReset(`${index}@example.com`, "198.51.100.7")).status, 204);
  }
  const rejected = await requestReset("owner@example.com", "198.51.100.7");
  assert.equal(rejected.status, 429);
  assert.equal(rejected.headers.get("retry-after"), "3600");
});

test("requests from many networks neither flood a mailbox nor block a reset", async () => {
  const person = await addMember(app, "target@example.com", { role: "READ_ONLY" });
  post.mails.length = 0;
  for (let index = 0; index < 60; index += 1) {
    assert.equal(
      (await requestReset(person.email, `2001:db8:${index.toString(16)}::1`)).status,
      204,
    );
  }
  await waitUntil(
    "the mails that strangers may cause",
    () => resetMailsTo(person.email).length >= 5,
  );
  await requestReset("owner@example.com");
  await readTokenFor("owner@example.com");
  assert.equal(resetMailsTo(person.email).length, 5);
  post.mails.length = 0;
  // The user accepted their invite from this network, so it is a known one.
  await requestReset(person.email, "127.0.0.1");
  assert.match(await readTokenFor(person.email), /^[\w-]{43}$/);
});

test("a server without mail responds with what to do instead", async () => {
  const silent = await startTestApp();
  try {
    const body = { email: "owner@example.com" };
    const rejected = await silent.call("POST", "/v1/password-resets", { key: null, body });
    assert.equal(rejected.status, 409);
    assert.match(rejected.body.message, /cannot send mail; .*vedette sign-in-link/);
    const ways = await silent.call("GET", "/v1/sign-in-ways", { key: null });
    assert.deepEqual([ways.body.password, ways.body.passwordReset], [true, false]);
  } finally {
    await silent.stop();
  }
  const ways = await app.call("GET", "/v1/sign-in-ways", { key: null });
  assert.deepEqual([ways.body.password, ways.body.passwordReset], [true, true]);
});

test("an invite mail names the inviter, the account and the role", async () => {
  await app.call("PATCH", "/v1/accounts/me", { body: { name: "Acme <b>& Sons" } });
  const cookie = await signIn(app, "owner@example.com", ownerPassword);
  const invited = await app.call("POST", "/v1/accounts/me/invites", {
    cookie,
    body: { email: "mailed@example.com", role: "READ_ONLY" },
  });
  assert.deepEqual([invited.body.isMailed, invited.body.mailFault], [true, null]);
  const mail = unfold(post.mails.find(({ to }) => to.includes("mailed@example.com"))?.raw ?? "");
  assert.match(mail, /^Subject: owner@example\.com invites you to Acme <b>& Sons/m);
  assert.match(mail, /view everything and change nothing/);
  assert.match(mail, /Acme &lt;b&gt;&amp; Sons/);
  assert.match(mail, /https:\/\/status\.example\.com\/invite#token=[\w-]{43}/);
  assert.deepEqual([invited.body.token, invited.body.url], [null, null], "only the mail has it");
});
