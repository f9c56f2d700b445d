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

const ask = (email: string, from = "192.0.2.1") =>
  app.call("POST", "/v1/password-resets", {
    key: null,
    body: { email },
    headers: { "x-forwarded-for": from },
  });
const answerWith = (token: string, newPassword: string) =>
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

test("a mailed link lets its reader choose a password, ends all sessions and signs in", async () => {
  const person = await addMember(app, "forgetful@example.com", { role: "READ_ONLY" });
  const elsewhere = await signIn(app, person.email, person.password);
  post.mails.length = 0;
  const asked = await ask("Forgetful@Example.com");
  assert.deepEqual([asked.status, asked.text], [204, ""]);
  const token = await readTokenFor(person.email);
  const mail = resetMailsTo(person.email)[0]?.text ?? "";
  assert.match(mail, /^Subject: Choose a new password for Vedette/m);
  assert.match(mail, /Content-Type: text\/plain/);
  assert.match(mail, /Content-Type: text\/html/);
  assert.match(mail, /https:\/\/status\.example\.com\/reset-password#token=/);
  assert.match(mail, /The request came from 192\.0\.2\.1/);
  const refused = await answerWith(token, "password123");
  assert.equal(refused.status, 400);
  assert.match(refused.body.message, /^newPassword is among the commonest/);
  const done = await answerWith(token, "a password to remember");
  assert.equal(done.status, 201, "a refused password has not spent the link");
  assert.deepEqual([done.body.way, done.body.user.email], ["RESET", person.email]);
  const cookie = done.headers.get("set-cookie")?.split(";")[0] ?? "";
  assert.equal((await app.call("GET", "/v1/users/me", { cookie })).status, 200);
  assert.equal((await app.call("GET", "/v1/users/me", { cookie: elsewhere })).status, 401);
  await signIn(app, person.email, "a password to remember");
  assert.equal((await answerWith(token, "another password")).status, 404, "it works once");
  assert.equal(app.logText().includes(token), false);
  const log = await app.call("GET", "/v1/audit-log?action=user.password-reset&limit=1");
  assert.equal(log.body.entries[0].actor.name, person.email);
});

test("a link is valid for an hour, and all of them are spent by the first that is used", async () => {
  const person = await addMember(app, "slow@example.com", { role: "READ_ONLY" });
  await ask(person.email);
  const late = await readTokenFor(person.email);
  app.clock.advance(3_600_000);
  assert.equal((await answerWith(late, "a password to remember")).status, 404);
  const tokens: string[] = [];
  for (let index = 0; index < 2; index += 1) {
    post.mails.length = 0;
    await ask(person.email);
    tokens.push(await readTokenFor(person.email));
  }
  const [first = "", second = ""] = tokens;
  assert.equal((await answerWith(second, "a password to remember")).status, 201);
  assert.equal((await answerWith(first, "another password")).status, 404);
  const reused = await app.call("POST", "/v1/sessions/link", { key: null, body: { token: first } });
  assert.equal(reused.status, 404, "it never was a link to sign in with");
});

test("an address that nobody has is answered alike, and gets no mail", async () => {
  const unknown = await ask("nobody@example.com");
  assert.deepEqual([unknown.status, unknown.text], [204, ""]);
  await ask("owner@example.com");
  await readTokenFor("owner@example.com");
  assert.deepEqual(resetMailsTo("nobody@example.com"), []);
  assert.equal((await ask("not an address")).status, 400);
});

test("a network may ask so often, and is then told when to try again", async () => {
  for (let index = 0; index < 20; index += 1) {
    assert.equal((await ask(`${index}@example.com`, "198.51.100.7")).status, 204);
  }
  const refused = await ask("owner@example.com", "198.51.100.7");
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get("retry-after"), "3600");
});

test("strangers from many networks fill no mailbox, and keep nobody from a reset", async () => {
  const person = await addMember(app, "target@example.com", { role: "READ_ONLY" });
  post.mails.length = 0;
  for (let index = 0; index < 60; index += 1) {
    assert.equal((await ask(person.email, `2001:db8:${index.toString(16)}::1`)).status, 204);
  }
  await waitUntil(
    "the mails that strangers may cause",
    () => resetMailsTo(person.email).length >= 5,
  );
  await ask("owner@example.com");
  await readTokenFor("owner@example.com");
  assert.equal(resetMailsTo(person.email).length, 5);
  post.mails.length = 0;
  // The network that they accepted their invite from is a known one.
  await ask(person.email, "127.0.0.1");
  assert.match(await readTokenFor(person.email), /^[\w-]{43}$/);
});

test("a server without mail says so, and what to do instead", async () => {
  const silent = await startTestApp();
  try {
    const body = { email: "owner@example.com" };
    const refused = await silent.call("POST", "/v1/password-resets", { key: null, body });
    assert.equal(refused.status, 409);
    assert.match(refused.body.message, /sends no mail; .*vedette sign-in-link/);
    const ways = await silent.call("GET", "/v1/sign-in-ways", { key: null });
    assert.deepEqual([ways.body.password, ways.body.passwordReset], [true, false]);
  } finally {
    await silent.stop();
  }
  const ways = await app.call("GET", "/v1/sign-in-ways", { key: null });
  assert.deepEqual([ways.body.password, ways.body.passwordReset], [true, true]);
});

test("an invite is mailed where mail is set up, with who invites to what", async () => {
  await app.call("PATCH", "/v1/accounts/me", { body: { name: "Acme <b>& Sons" } });
  const cookie = await signIn(app, "owner@example.com", ownerPassword);
  const invited = await app.call("POST", "/v1/accounts/me/invites", {
    cookie,
    body: { email: "mailed@example.com", role: "READ_ONLY" },
  });
  assert.deepEqual([invited.body.isMailed, invited.body.mailFault], [true, null]);
  const mail = unfold(post.mails.find(({ to }) => to.includes("mailed@example.com"))?.raw ?? "");
  assert.match(mail, /^Subject: owner@example\.com invites you to Acme <b>& Sons/m);
  assert.match(mail, /look at everything and change nothing/);
  assert.match(mail, /Acme &lt;b&gt;&amp; Sons/);
  assert.ok(mail.includes(invited.body.url));
  assert.match(invited.body.url, /^https:\/\/status\.example\.com\/invite#token=[\w-]{43}$/);
});
