import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addMember, signIn } from "../../../../test/support/apps/cast.ts";
import { setUpTotp } from "../../../../test/support/modules/second-factors.ts";
import {
  type MailReceiver,
  startMailReceiver,
} from "../../../../test/support/servers/mail-receiver.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";
import { isPlaceholderEmail } from "./user.ts";

/** One server with mail, and one without. */
let mailing: TestApp;
let plain: TestApp;
let post: MailReceiver;
const ends: (() => unknown)[] = [];
before(async () => {
  post = await startMailReceiver({ after: (end) => ends.push(end as () => unknown) });
  mailing = await startTestApp({ SMTP_URL: post.url, PUBLIC_URL: "https://status.example.com" });
  plain = await startTestApp();
});
beforeEach(() => {
  for (const app of [mailing, plain]) app.clock.advance(3_600_000);
  post.mails.length = 0;
});
after(async () => {
  await mailing.stop();
  await plain.stop();
  for (const end of ends) await end();
});

let count = 0;
async function newPerson(app: TestApp) {
  count += 1;
  const person = await addMember(app, `before-${count}@example.com`, { role: "READ_ONLY" });
  const cookie = await signIn(app, person.email, person.password);
  post.mails.length = 0;
  const change = (body: object) => app.call("PUT", "/v1/users/me/email", { cookie, body });
  const self = async () => (await app.call("GET", "/v1/users/me", { cookie })).body;
  return { ...person, cookie, change, self, next: `after-${count}@example.com` };
}

function readMails(to: string): string[] {
  const unfold = (raw: string) => raw.replaceAll("=\r\n", "").replaceAll("=3D", "=");
  return post.mails.filter((mail) => mail.to.includes(to)).map(({ raw }) => unfold(raw));
}

async function readToken(to: string): Promise<string> {
  await waitUntil(`a mail to ${to}`, () => readMails(to).length > 0);
  return /confirm-email#token=([\w-]{43})/.exec(readMails(to).at(-1) ?? "")?.[1] ?? "";
}

const confirm = (cookie: string, token: string) =>
  mailing.call("POST", "/v1/users/me/email/confirm", { cookie, body: { token } });

test("without mail, the address changes immediately", async () => {
  const person = await newPerson(plain);
  const { next: email, password } = person;
  assert.equal((await person.change({ email })).status, 400);
  const wrong = await person.change({ email, currentPassword: "not the password" });
  assert.deepEqual(wrong.body.validation.keys, ["currentPassword"]);
  const changed = await person.change({ email, currentPassword: password });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual([changed.body.email, changed.body.pendingEmail], [email, null]);
  await signIn(plain, email, password);
  const sent = { key: null, body: { email: person.email, password } };
  assert.equal((await plain.call("POST", "/v1/sessions", sent)).status, 401);
  const log = await plain.call("GET", "/v1/audit-log?action=user.email-changed&limit=1");
  assert.deepEqual(log.body.entries[0].changes.email, { from: person.email, to: email });
});

test("with mail, the address changes when its link is opened", async () => {
  const person = await newPerson(mailing);
  const { next: email, password, cookie } = person;
  const requested = await person.change({ email, currentPassword: password });
  assert.deepEqual([requested.body.email, requested.body.pendingEmail], [person.email, email]);
  const token = await readToken(email);
  assert.match(readMails(email)[0] ?? "", /^Subject: Confirm your email address for Vedette/m);
  const done = await confirm(cookie, token);
  assert.equal(done.status, 200, done.text);
  assert.deepEqual([done.body.email, done.body.pendingEmail], [email, null]);
  assert.equal((await confirm(cookie, token)).status, 404, "it works once");
  await waitUntil("the old address is notified", () => readMails(person.email).length > 0);
  assert.match(readMails(person.email)[0] ?? "", new RegExp(`is now ${email}`));
  const reset = { key: null, body: { email } };
  assert.equal((await mailing.call("POST", "/v1/password-resets", reset)).status, 204);
  await waitUntil("the reset reaches the new address", () =>
    readMails(email).some((mail) => mail.includes("/reset-password#")),
  );
});

test("a link is rejected for another user, without a session, or after a day", async () => {
  const person = await newPerson(mailing);
  const { next: email, password: currentPassword, cookie } = person;
  await person.change({ email, currentPassword });
  const token = await readToken(email);
  const other = await newPerson(mailing);
  assert.equal((await confirm(other.cookie, token)).status, 404);
  const body = { token };
  const nobody = await mailing.call("POST", "/v1/users/me/email/confirm", { key: null, body });
  assert.equal(nobody.status, 401);
  mailing.clock.advance(24 * 3_600_000);
  assert.equal((await confirm(cookie, token)).status, 404);
  assert.equal((await person.self()).pendingEmail, null);
});

test("a later request replaces an earlier one, and a pending change can be cancelled", async () => {
  const person = await newPerson(mailing);
  const { next: email, password: currentPassword, cookie } = person;
  await person.change({ email, currentPassword });
  const first = await readToken(email);
  const second = `second-${email}`;
  await person.change({ email: second, currentPassword });
  assert.equal((await confirm(cookie, first)).status, 404);
  assert.equal((await person.self()).pendingEmail, second);
  const token = await readToken(second);
  const drop = () => mailing.call("DELETE", "/v1/users/me/email/pending", { cookie });
  assert.deepEqual([(await drop()).status, (await drop()).status], [204, 404]);
  assert.equal((await confirm(cookie, token)).status, 404);
});

test("an address in use is rejected, at the request and at the link", async () => {
  const person = await newPerson(mailing);
  const { next: email, password: currentPassword, cookie } = person;
  const owner = await person.change({ email: "OWNER@example.com", currentPassword });
  assert.equal(owner.status, 409);
  await person.change({ email, currentPassword });
  const token = await readToken(email);
  await addMember(mailing, email, { role: "READ_ONLY" });
  const late = await confirm(cookie, token);
  assert.equal(late.status, 409, late.text);
  assert.equal((await person.self()).email, person.email);
});

test("an invalid, unchanged or undeliverable address is rejected", async () => {
  const person = await newPerson(plain);
  const { password: currentPassword } = person;
  for (const email of ["", "no address", "a@", person.email, "me@vedette.localhost", 5, null]) {
    const { status, body } = await person.change({ email, currentPassword });
    assert.deepEqual([status, body.validation.keys], [400, ["email"]], String(email));
  }
});

test("if the mail server does not respond, the address stays unchanged", async () => {
  const app = await startTestApp({ SMTP_URL: "smtp://127.0.0.1:9?connectionTimeout=1000" });
  try {
    const person = await newPerson(app);
    const { next: email, password: currentPassword } = person;
    const answer = await person.change({ email, currentPassword });
    assert.equal(answer.status, 409, answer.text);
    assert.match(answer.body.message, /could not be sent/);
    assert.equal((await person.self()).pendingEmail, null);
  } finally {
    await app.stop();
  }
});

test("an API key cannot change the address, because its holder could then reset the password", async () => {
  const body = { email: "key@example.com", currentPassword: "correct horse battery" };
  assert.equal((await plain.call("PUT", "/v1/users/me/email", { body })).status, 403);
});

test("a changed address revokes links to the old one and sign-ins in progress", async () => {
  const person = await newPerson(mailing);
  const { next: email, password, cookie } = person;
  await setUpTotp(mailing, cookie);
  const begun = { key: null, body: { email: person.email, password } };
  const { challengeToken } = (await mailing.call("POST", "/v1/sessions", begun)).body;
  assert.ok(challengeToken);
  const reset = { key: null, body: { email: person.email } };
  await mailing.call("POST", "/v1/password-resets", reset);
  await waitUntil("a reset mail", () => readMails(person.email).length > 0);
  await person.change({ email, currentPassword: password });
  await confirm(cookie, await readToken(email));
  const links = await mailing.query("select from sign_in_links where user_id = $1", [
    person.userId,
  ]);
  assert.equal(links.rowCount, 0);
  const { rows } = await mailing.query("select credential_version from users where id = $1", [
    person.userId,
  ]);
  assert.equal(rows[0].credential_version, 3, "for the app and for the address");
});

test("the first owner has a placeholder until they enter an address", async () => {
  const app = await startTestApp({
    BOOTSTRAP_EMAIL: "owner@vedette.localhost",
    BOOTSTRAP_PASSWORD: "",
  });
  try {
    const body = { token: app.owner.linkToken };
    const linked = await app.call("POST", "/v1/sessions/link", { key: null, body });
    const cookie = linked.headers.get("set-cookie")?.split(";")[0] ?? "";
    const self = async () => (await app.call("GET", "/v1/users/me", { cookie })).body;
    assert.equal((await self()).isEmailPlaceholder, true);
    const own = { cookie, body: { email: "ada@example.com" } };
    assert.equal((await app.call("PUT", "/v1/users/me/email", own)).status, 200);
    const { email, isEmailPlaceholder } = await self();
    assert.deepEqual([email, isEmailPlaceholder], ["ada@example.com", false]);
  } finally {
    await app.stop();
  }
});

test("a placeholder is a name below localhost, which receives no mail", () => {
  for (const email of ["owner@vedette.localhost", "a@localhost", "A@B.LOCALHOST"]) {
    assert.equal(isPlaceholderEmail(email), true, email);
  }
  for (const email of ["a@localhost.example.com", "localhost@example.com", "a@notlocalhost"]) {
    assert.equal(isPlaceholderEmail(email), false, email);
  }
});
