/**
 * Attacks by an administrator who creates a user for another person's address before that person
 * signs in.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addMember, signIn } from "../../../../test/support/apps/cast.ts";
import { Walker } from "../../../../test/support/modules/oidc.ts";
import { readAppCode, setUpTotp } from "../../../../test/support/modules/second-factors.ts";
import { findFreePort } from "../../../../test/support/servers/free-port.ts";
import {
  type OidcServer,
  type PersonAtProvider,
  startOidcServer,
} from "../../../../test/support/servers/oidc-server.ts";

let app: TestApp;
let provider: OidcServer;

before(async () => {
  const port = await findFreePort();
  const nobody = { sub: "nobody", email: "nobody@example.com", email_verified: false };
  provider = await startOidcServer(`http://127.0.0.1:${port}/sign-in/oidc/callback`, nobody);
  app = await startTestApp({
    PORT: String(port),
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: provider.clientSecret,
    OIDC_NAME: "Example ID",
    OIDC_ROLE_CLAIM: "groups",
    OIDC_ROLES: "owners=OWNER",
  });
});
beforeEach(() => app.clock.advance(600_000));
after(async () => {
  await app.stop();
  await provider.stop();
});

const isOver = (url: string) => url.startsWith(app.url) && !url.includes("/sign-in/oidc");

/** Signs in at the provider, in a browser that may already have a session cookie. */
async function arrive(person: Partial<PersonAtProvider> & { sub: string }, cookie = "") {
  const address = { email: `${person.sub}@example.com`, email_verified: true };
  provider.present = { ...address, groups: ["owners"], ...person };
  const walker = new Walker();
  if (cookie !== "") walker.keepCookie(cookie);
  const { url } = await walker.walk(`${app.url}/sign-in/oidc`, isOver);
  return { url, cookie: walker.cookieHeader };
}

/** Creates an attacker's user with a victim's address and every credential that can be prepared. */
async function prepare(name: string) {
  const person = await addMember(app, `${name}@example.com`, { role: "READ_ONLY" });
  const { email, password } = person;
  const cookie = await signIn(app, email, password);
  const body = { name: "kept for later", type: "USER", role: "READ_ONLY" };
  const key = await app.call("POST", "/v1/api-keys", { cookie, body });
  assert.equal(key.status, 201, key.text);
  const { secret, recoveryCodes } = await setUpTotp(app, cookie);
  app.clock.advance(30_000);
  const begun = await app.call("POST", "/v1/sessions", { key: null, body: { email, password } });
  assert.equal(begun.status, 202);
  const { challengeToken } = begun.body as { challengeToken: string };
  return { person, cookie, key: key.body.rawKey, secret, recoveryCodes, challengeToken };
}

const read = async (how: { readonly key: string } | { readonly cookie: string }) =>
  (await app.call("GET", "/v1/users/me", how)).status;

test("linking a user removes the password, sessions, keys and second factors of its creator", async () => {
  const attacker = await prepare("victim");
  assert.deepEqual([await read({ key: attacker.key }), await read(attacker)], [200, 200]);
  const { url, cookie } = await arrive({ sub: "victim" });
  assert.equal(url, `${app.url}/`, "the attacker's second factor is not required");
  const self = await app.call("GET", "/v1/users/me", { cookie });
  assert.deepEqual(
    [self.body.id, self.body.email, self.body.hasPassword],
    [attacker.person.userId, "victim@example.com", false],
  );
  const key = { key: attacker.key };
  const session = { cookie: attacker.cookie };
  assert.deepEqual([await read(key), await read(session)], [401, 401]);
  const { email, password } = attacker.person;
  const again = await app.call("POST", "/v1/sessions", { key: null, body: { email, password } });
  assert.equal(again.status, 401);
  const codes = [
    { method: "TOTP", code: readAppCode(app, attacker.secret) },
    { method: "RECOVERY_CODE", code: attacker.recoveryCodes[0] },
  ];
  for (const code of codes) {
    const body = { challengeToken: attacker.challengeToken, ...code };
    const answer = await app.call("POST", "/v1/sessions/second-factor", { key: null, body });
    assert.equal(answer.status, 401, answer.text);
  }
  const { body } = await app.call("GET", "/v1/users/me/second-factors", { cookie });
  assert.deepEqual([body.hasSecondFactor, body.recoveryCodesLeft], [false, 0]);
});

test("the audit log and the server log record that a user was taken over", async () => {
  const { person } = await prepare("logged");
  await arrive({ sub: "logged" });
  const log = await app.call("GET", "/v1/audit-log?action=user.taken-over&limit=1");
  const [entry] = log.body.entries;
  assert.deepEqual([entry.target.id, entry.actor.name], [person.userId, "Example ID"]);
  assert.equal(entry.changes.email, person.email);
});

test("the attacker's link and invite stop working after linking", async () => {
  const { person } = await prepare("linked");
  const elsewhere = await app.call("POST", "/v1/accounts", { body: { name: "Elsewhere" } });
  const invited = await app.call("POST", `/v1/accounts/${elsewhere.body.id}/invites`, {
    body: { email: person.email, role: "ADMIN" },
  });
  await arrive({ sub: "linked" });
  const { token } = invited.body;
  const body = { token, password: person.password };
  const accepted = await app.call("POST", "/v1/invites/accept", { key: null, body });
  assert.equal(accepted.status, 400);
  const links = await app.query("select from sign_in_links where user_id = $1", [person.userId]);
  assert.equal(links.rowCount, 0);
});

test("a user signed in here and then at the provider keeps everything", async () => {
  const { person, cookie, key } = await prepare("both");
  await arrive({ sub: "both" }, cookie);
  assert.deepEqual([await read({ key }), await read({ cookie })], [200, 200]);
  const { email, password } = person;
  const again = await app.call("POST", "/v1/sessions", { key: null, body: { email, password } });
  assert.equal(again.status, 202);
});

test("another user's session proves nothing for the linked user", async () => {
  const { key } = await prepare("unrelated");
  const other = await addMember(app, "somebody-else@example.com", { role: "READ_ONLY" });
  const cookie = await signIn(app, other.email, other.password);
  await arrive({ sub: "unrelated" }, cookie);
  assert.equal(await read({ key }), 401);
});

test("a session that ended between the two steps proves nothing", async () => {
  const { cookie, key } = await prepare("ended");
  provider.present = { sub: "ended", email: "ended@example.com", email_verified: true };
  const walker = new Walker();
  walker.keepCookie(cookie);
  const isCallback = (url: string) => url.startsWith(`${app.url}/sign-in/oidc/callback`);
  const { url } = await walker.walk(`${app.url}/sign-in/oidc`, isCallback);
  await app.call("DELETE", "/v1/sessions/current", { cookie });
  await walker.walk(url, isOver);
  assert.equal(await read({ key }), 401);
});

test("a user who signed in at the provider before keeps their credentials", async () => {
  const first = await arrive({ sub: "known" });
  const made = await app.call("POST", "/v1/api-keys", {
    cookie: first.cookie,
    body: { name: "own key", type: "USER", role: "READ_ONLY" },
  });
  await arrive({ sub: "known" });
  assert.equal(await read({ key: made.body.rawKey }), 200);
});

test("the attacker's calendar feed stops working after linking", async () => {
  const attacker = await prepare("calendar");
  const { cookie } = attacker;
  const feed = await app.call("POST", "/v1/on-call/feeds", { body: {}, cookie });
  assert.equal(feed.status, 201, feed.text);
  const path = new URL(feed.body.url).pathname;
  const look = async () => (await app.call("GET", path, { key: null })).status;
  assert.equal(await look(), 200);
  await arrive({ sub: "calendar" });
  assert.equal(await look(), 404);
});
