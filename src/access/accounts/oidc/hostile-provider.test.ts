/** Attacks by somebody who controls the responses of the provider's endpoints. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { Walker } from "../../../../test/support/modules/oidc.ts";
import { findFreePort } from "../../../../test/support/servers/free-port.ts";
import {
  type HostileAnswer,
  type HostileOidcServer,
  type Signature,
  startHostileOidcServer,
} from "../../../../test/support/servers/hostile-oidc-server.ts";

let app: TestApp;
let provider: HostileOidcServer;

before(async () => {
  provider = await startHostileOidcServer();
  app = await startTestApp({
    PORT: String(await findFreePort()),
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: provider.clientSecret,
    OIDC_DEFAULT_ROLE: "READ_ONLY",
  });
});
beforeEach(() => app.clock.advance(600_000));
after(async () => {
  await app.stop();
  await provider.stop();
});

/** Returns the signed-in user after the provider's response; `null` if nobody is signed in. */
async function arrive(answer: Partial<HostileAnswer> & Pick<HostileAnswer, "token">) {
  provider.answer = { userinfo: null, signature: "right", ...answer };
  const walker = new Walker();
  const isOver = (url: string) => url.startsWith(app.url) && !url.includes("/sign-in/oidc");
  const { url, response } = await walker.walk(`${app.url}/sign-in/oidc`, isOver);
  const text = isOver(url) ? "" : await response.text();
  const isSignedIn = walker.cookieHeader.includes("vedette_session");
  const self = isSignedIn
    ? await app.call("GET", "/v1/users/me", { cookie: walker.cookieHeader })
    : null;
  return { email: self?.body.email ?? null, text };
}

const verified = { email_verified: true } as const;

test("a token with a valid signature signs the person in", async () => {
  const { email } = await arrive({ token: { sub: "h-1", email: "ada@example.com", ...verified } });
  assert.equal(email, "ada@example.com");
});

test("a token not signed with the provider's key is rejected", async () => {
  const forged: readonly Signature[] = [
    "none",
    "empty",
    "client-secret",
    "public-key-as-secret",
    "other-key",
    "key-in-header",
  ];
  const token = { sub: "h-2", email: app.owner.email, ...verified };
  for (const signature of forged) {
    const { email, text } = await arrive({ token, signature });
    assert.equal(email, null, signature);
    assert.match(text, /was rejected/, signature);
  }
});

test("a verified address in the userinfo does not verify the address of the token", async () => {
  const mine = { email: "eve@example.com", ...verified };
  const theirs = { email: app.owner.email };
  const tokens = [theirs, { ...theirs, email_verified: false }];
  for (const token of tokens) {
    const answer = { token: { sub: "h-3", ...token }, userinfo: { sub: "h-3", ...mine } };
    const { email, text } = await arrive(answer);
    assert.equal(email, null);
    assert.match(text, /has not verified/);
  }
});

test("the token's unverified address is not replaced by a verified one of the userinfo", async () => {
  const { email, text } = await arrive({
    token: { sub: "h-4", email: "eve@example.com", email_verified: false },
    userinfo: { sub: "h-4", email: app.owner.email, ...verified },
  });
  assert.equal(email, null);
  assert.match(text, /has not verified/);
});

test("without an address in the token, the userinfo must contain a verified one", async () => {
  const userinfo = { sub: "h-5", email: "grace@example.com" };
  const unverified = await arrive({ token: { sub: "h-5", ...verified }, userinfo });
  assert.equal(unverified.email, null);
  assert.match(unverified.text, /has not verified/);
  const proven = { ...userinfo, ...verified };
  assert.equal((await arrive({ token: { sub: "h-5" }, userinfo: proven })).email, proven.email);
});

test("a userinfo response of another subject is rejected", async () => {
  for (const sub of ["h-1", "", undefined]) {
    const userinfo = { sub, email: app.owner.email, ...verified };
    const { email, text } = await arrive({ token: { sub: "h-6" }, userinfo });
    assert.equal(email, null);
    assert.match(text, /was rejected/);
  }
});

test("a token of another issuer, for another client, or expired is rejected", async () => {
  const person = { sub: "h-7", email: app.owner.email, ...verified };
  const wrong = [
    { iss: "https://id.example.com" },
    { aud: "another-client" },
    { aud: [provider.clientId, "another-client"], azp: "another-client" },
    { exp: Math.floor(Date.now() / 1_000) - 3_600 },
    { nonce: "of-another-sign-in" },
    { sub: undefined },
  ];
  for (const claims of wrong) {
    const { email } = await arrive({ token: { ...person, ...claims } });
    assert.equal(email, null, JSON.stringify(claims));
  }
});

test("users are matched by issuer and subject, even if their address changes", async () => {
  const token = { sub: "h-8", email: "joan@example.com", ...verified };
  assert.equal((await arrive({ token })).email, "joan@example.com");
  const moved = { ...token, email: "clarke@example.com" };
  assert.equal((await arrive({ token: moved })).email, "joan@example.com");
  const other = { ...token, sub: "h-9" };
  const taken = await arrive({ token: other });
  assert.equal(taken.email, null);
  assert.match(taken.text, /already linked to another identity/);
});
