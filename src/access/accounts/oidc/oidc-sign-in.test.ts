/** Runs against a real provider, through the URLs that a browser would request. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addMember } from "../../../../test/support/apps/cast.ts";
import { Walker } from "../../../../test/support/modules/oidc.ts";
import { setUpTotp } from "../../../../test/support/modules/second-factors.ts";
import { findFreePort } from "../../../../test/support/servers/free-port.ts";
import {
  type OidcServer,
  type PersonAtProvider,
  startOidcServer,
} from "../../../../test/support/servers/oidc-server.ts";

let app: TestApp;
let provider: OidcServer;
const groups = ["vedette-readers"];
const verified = { email_verified: true, groups } as const;

before(async () => {
  const port = await findFreePort();
  const nobody = { sub: "nobody", email: "nobody@example.com", email_verified: false };
  const callback = `http://127.0.0.1:${port}/sign-in/oidc/callback`;
  provider = await startOidcServer(callback, nobody);
  app = await startTestApp({
    PORT: String(port),
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: provider.clientSecret,
    OIDC_NAME: "Example ID",
    OIDC_ALLOWED_DOMAINS: "example.com",
    OIDC_ROLE_CLAIM: "groups",
    OIDC_ROLES: "vedette-readers=READ_ONLY,vedette-admins=ADMIN",
  });
});
beforeEach(() => app.clock.advance(600_000));
after(async () => {
  await app.stop();
  await provider.stop();
});

const start = () => `${app.url}/sign-in/oidc`;

/** Signs in as far as possible; `url` is the final address of the browser. */
async function arrive(person: PersonAtProvider, query = "") {
  provider.present = person;
  const walker = new Walker();
  const isOver = (url: string) => url.startsWith(app.url) && !url.includes("/sign-in/oidc");
  const { url, response } = await walker.walk(`${start()}${query}`, isOver);
  const text = isOver(url) ? "" : await response.text();
  return { walker, url, status: response.status, text };
}

async function readSelf(walker: Walker) {
  const cookie = walker.cookieHeader;
  const user = await app.call("GET", "/v1/users/me", { cookie });
  const account = await app.call("GET", "/v1/accounts/me", { cookie });
  return { email: user.body?.email, role: account.body?.role, status: user.status };
}

test("the sign-in methods name the provider and its start URL", async () => {
  const { body } = await app.call("GET", "/v1/sign-in-ways", { key: null });
  assert.deepEqual(body.oidc, { name: "Example ID", path: "/sign-in/oidc" });
  assert.equal(body.passkey.isUsable, false);
  assert.match(body.passkey.reason, /IP address/);
});

test("a new person with a mapped role joins and returns to the requested path", async () => {
  const person = { sub: "s-1", email: "ada@example.com", name: "Ada", ...verified };
  const { walker, url } = await arrive(person, "?return=/checks%3Fstate%3Dfailing");
  assert.equal(url, `${app.url}/checks?state=failing`);
  assert.deepEqual(await readSelf(walker), {
    email: "ada@example.com",
    role: "READ_ONLY",
    status: 200,
  });
  const sessions = await app.call("GET", "/v1/sessions", { cookie: walker.cookieHeader });
  assert.equal(sessions.body[0].way, "OIDC");
  const log = await app.call("GET", "/v1/audit-log?action=member.joined&limit=1");
  assert.equal(log.body.entries[0].actor.name, "Example ID");
});

test("the role follows the claim at each sign-in; without one, access is lost", async () => {
  const person = { sub: "s-2", email: "grace@example.com", ...verified };
  await arrive(person);
  const raised = await arrive({ ...person, groups: ["vedette-admins"] });
  assert.equal((await readSelf(raised.walker)).role, "ADMIN");
  const lowered = await arrive(person);
  assert.equal((await readSelf(lowered.walker)).role, "READ_ONLY");
  const lost = await arrive({ ...person, groups: [] });
  assert.equal(lost.status, 403);
  assert.match(lost.text, /no longer grants you a role/);
  assert.equal((await readSelf(lowered.walker)).status, 403);
  const log = await app.call("GET", "/v1/audit-log?action=member.removed&limit=1");
  assert.deepEqual(log.body.entries[0].changes.role, { from: "READ_ONLY", to: null });
});

test("the last owner stays owner, whatever the claim contains", async () => {
  const owner = { sub: "s-owner", email: app.owner.email, ...verified };
  const { walker } = await arrive(owner);
  assert.equal((await readSelf(walker)).role, "OWNER");
});

test("an existing user is matched by verified address once, then by subject", async () => {
  const person = await addMember(app, "linus@example.com", { role: "READ_WRITE" });
  const first = await arrive({ sub: "s-3", email: "LINUS@example.com", ...verified, groups: [] });
  assert.deepEqual(await readSelf(first.walker), {
    email: person.email,
    role: "READ_WRITE",
    status: 200,
  });
  const moved = await arrive({ sub: "s-3", email: "torvalds@example.com", ...verified });
  assert.equal((await readSelf(moved.walker)).email, person.email);
  const other = await arrive({ sub: "s-4", email: person.email, ...verified });
  assert.equal(other.status, 403);
  assert.match(other.text, /already linked to another identity/);
});

test("without a role, only an invited person can sign in", async () => {
  const email = "invited@example.com";
  const person = { sub: "s-5", email, ...verified, groups: [] };
  const unknown = await arrive(person);
  assert.equal(unknown.status, 403);
  assert.match(unknown.text, /Request an invite from an owner of the account/);
  await app.call("POST", "/v1/accounts/me/invites", { body: { email, role: "READ_RUN" } });
  const invited = await arrive(person);
  assert.equal((await readSelf(invited.walker)).role, "READ_RUN");
});

test("a disallowed domain and an unverified address are rejected", async () => {
  const foreign = await arrive({ sub: "s-6", email: "eve@evil.example", ...verified });
  assert.equal(foreign.status, 403);
  assert.match(foreign.text, /email domain is not allowed/);
  const claimed = { sub: "s-7", email: app.owner.email, email_verified: false, groups };
  const unverified = await arrive(claimed);
  assert.equal(unverified.status, 403);
  assert.match(unverified.text, /has not verified/);
  assert.equal(unverified.walker.cookieHeader.includes("vedette_session"), false);
});

test("a response works once, in the same browser, with the same state", async () => {
  provider.present = { sub: "s-8", email: "hedy@example.com", ...verified };
  const walker = new Walker();
  const isCallback = (url: string) => url.startsWith(`${app.url}/sign-in/oidc/callback`);
  const { url } = await walker.walk(start(), isCallback);
  const cookie = walker.cookieHeader;
  assert.equal((await new Walker().step(url)).status, 400);
  assert.equal((await walker.step(url.replace(/state=./, "state=~"))).status, 400);
  assert.equal((await walker.step(url)).status, 302);
  const replayed = await fetch(url, { redirect: "manual", headers: { cookie } });
  assert.equal(replayed.status, 400);
  assert.match(await replayed.text(), /already used/);
});

test("a token for another sign-in is rejected", async () => {
  provider.present = { sub: "s-9", email: "mallory@example.com", ...verified };
  const walker = new Walker();
  const { url } = await walker.walk(start(), (next) => next.startsWith(provider.issuer));
  const tampered = new URL(url);
  tampered.searchParams.set("nonce", "of-somebody-else");
  const { response } = await walker.walk(tampered.href);
  assert.equal(response.status, 400);
  assert.match(await response.text(), /was rejected/);
});

test("a local second factor is required unless the provider verified one", async () => {
  const member = await addMember(app, "alan@example.com", { role: "READ_ONLY" });
  const person = { sub: "s-10", email: member.email, ...verified };
  const linked = await arrive(person);
  await setUpTotp(app, linked.walker.cookieHeader);
  const { url, walker } = await arrive(person, "?return=/checks");
  const [address, hash] = url.split("#");
  assert.equal(address, `${app.url}/sign-in?return=%2Fchecks`);
  assert.equal(walker.cookieHeader.includes("vedette_session"), false);
  const given = new URLSearchParams(hash);
  assert.equal(given.get("methods"), "TOTP,RECOVERY_CODE");
  assert.ok((given.get("challenge")?.length ?? 0) > 40);
  const strong = await arrive({ ...person, amr: ["pwd", "mfa"] });
  const sessions = await app.call("GET", "/v1/sessions", { cookie: strong.walker.cookieHeader });
  assert.equal(sessions.body[0].secondFactor, "PROVIDER");
});

test("a return URL of another site is ignored", async () => {
  const person = { sub: "s-11", email: "joan@example.com", ...verified };
  for (const target of ["//evil.example", "https://evil.example/", "/\\evil.example"]) {
    const { url } = await arrive(person, `?return=${encodeURIComponent(target)}`);
    assert.equal(url, `${app.url}/`);
  }
});

test("a denial by the provider and an unreachable provider are reported", async () => {
  const walker = new Walker();
  const { url } = await walker.walk(start(), (next) => next.startsWith(provider.issuer));
  const state = new URL(url).searchParams.get("state");
  const denied = new URLSearchParams({ error: "access_denied", state: state ?? "" });
  denied.set("iss", provider.issuer);
  const rejected = await walker.step(`${start()}/callback?${denied}`);
  assert.equal(rejected.status, 403);
  assert.match(await rejected.text(), /denied access/);
  const away = await startTestApp({
    OIDC_ISSUER: `http://127.0.0.1:${await findFreePort()}`,
    OIDC_CLIENT_ID: "x",
  });
  try {
    // The app's own address has port 0 here, so skip the redirect to the public address.
    const answer = await away.call("GET", "/sign-in/oidc?again=1", { key: null });
    assert.equal(answer.status, 503);
    assert.match(answer.text, /sign-in service cannot be reached/);
  } finally {
    await away.stop();
  }
});

test("without configuration, a page reports that single sign-on is unavailable", async () => {
  const plain = await startTestApp();
  try {
    for (const path of ["/sign-in/oidc?again=1", "/sign-in/oidc/callback"]) {
      const answer = await plain.call("GET", path, { key: null });
      assert.equal(answer.status, 404);
      assert.match(answer.text, /not configured on this server/);
    }
  } finally {
    await plain.stop();
  }
});
