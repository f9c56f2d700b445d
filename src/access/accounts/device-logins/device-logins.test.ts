/** The command line signs in by RFC 8628, as its version 10 does. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { createKey, signInAs } from "../../../../test/support/apps/cast.ts";
import { createUserCode, formatUserCode, parseUserCode } from "./device-login.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const grant = "urn:ietf:params:oauth:grant-type:device_code";
const asClient = { "x-checkly-source": "CLI", "user-agent": "axios/1.21.1" };

const postForm = (path: string, fields: Readonly<Record<string, string>>) =>
  app.call("POST", path, {
    key: null,
    rawBody: new URLSearchParams(fields).toString(),
    headers: { ...asClient, "content-type": "application/x-www-form-urlencoded" },
  });

async function start() {
  app.clock.advance(61_000);
  const { status, body, text } = await postForm("/oauth/device/code", {
    client_id: "cli",
    scope: "openid profile email",
  });
  assert.equal(status, 200, text);
  return body as { readonly device_code: string; readonly user_code: string; interval: number };
}

async function poll(deviceCode: string) {
  const fields = { grant_type: grant, device_code: deviceCode, client_id: "cli" };
  return postForm("/oauth/token", fields);
}

/** Polls after the interval. */
async function pollError(deviceCode: string, afterMs = 5_001): Promise<string> {
  app.clock.advance(afterMs);
  const { status, body } = await poll(deviceCode);
  assert.equal(status, 400);
  return body.error;
}

async function answer(userCode: string, verb: "approve" | "deny") {
  const cookie = await signInAs(app, "OWNER");
  return app.call("POST", `/v1/device-logins/${userCode}/${verb}`, { cookie });
}

test("user codes have no vowels, and case, spaces and hyphens are ignored", () => {
  const code = createUserCode();
  assert.match(code, /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/);
  assert.equal(parseUserCode(` ${formatUserCode(code).toLowerCase()} `), code);
  assert.equal(parseUserCode("ABCD-EFGH"), null);
  assert.equal(parseUserCode("BCDF"), null);
});

test("a confirmed device receives a key once, and creates its named key with it", async () => {
  const login = await start();
  assert.equal(await pollError(login.device_code, 0), "authorization_pending");
  const cookie = await signInAs(app, "OWNER");
  const path = `/v1/device-logins/${login.user_code}`;
  const shown = await app.call("GET", path, { cookie });
  assert.equal(shown.body.client, "axios/1.21.1");
  assert.equal(shown.body.address, "127.0.0.1");
  assert.equal((await answer(login.user_code, "approve")).status, 204);
  // A decision is final.
  assert.equal((await answer(login.user_code, "deny")).status, 404);

  app.clock.advance(5_001);
  const { status, body, headers } = await poll(login.device_code);
  assert.equal(status, 200);
  assert.equal(headers.get("cache-control"), "no-store");
  const [, claims = ""] = body.id_token.split(".");
  const { name } = JSON.parse(Buffer.from(claims, "base64url").toString());
  assert.equal(name, "owner@example.com");
  assert.equal(await pollError(login.device_code), "invalid_grant");

  const token = { key: body.access_token as string };
  const self = await app.call("GET", "/users/me", { ...token, headers: asClient });
  assert.equal(self.body.name, "owner@example.com");
  const made = await app.call("POST", "/users/me/api-keys?name=CLI User Key (laptop)", {
    ...token,
    headers: { ...asClient, "content-type": "application/x-www-form-urlencoded" },
  });
  assert.equal(made.status, 201, made.text);
  const { key } = made.body as { readonly key: string };
  const accounts = await app.call("GET", "/next/accounts", { key, headers: asClient });
  assert.equal(accounts.body[0]?.id, app.owner.accountId);
  const keys = await app.call("GET", "/v1/api-keys");
  const listed = keys.body.entries.find((one: { name: string }) => one.name.includes("laptop"));
  assert.equal(listed.name, "CLI User Key (laptop)");
  assert.equal(listed.expiresAt, null);

  // The key of the login ends with it; the named key stays until it is revoked.
  app.clock.advance(600_000);
  assert.equal((await app.call("GET", "/users/me", token)).status, 401);
  assert.equal((await app.call("GET", "/next/accounts", { key })).status, 200);
  assert.equal((await app.call("DELETE", `/v1/api-keys/${listed.id}`)).status, 204);
  assert.equal((await app.call("GET", "/next/accounts", { key })).status, 401);
});

test("a device that polls too fast must slow down by five seconds", async () => {
  const { device_code } = await start();
  assert.equal(await pollError(device_code, 0), "authorization_pending");
  assert.equal(await pollError(device_code, 1_000), "slow_down");
  assert.equal(await pollError(device_code, 6_000), "slow_down");
  assert.equal(await pollError(device_code, 15_001), "authorization_pending");
});

test("a denied, expired or unknown login ends the sign-in", async () => {
  const denied = await start();
  assert.equal((await answer(denied.user_code, "deny")).status, 204);
  assert.equal(await pollError(denied.device_code), "access_denied");
  assert.equal((await answer(denied.user_code, "approve")).status, 404);
  const expired = await start();
  app.clock.advance(600_001);
  assert.equal(await pollError(expired.device_code), "expired_token");
  assert.equal((await answer(expired.user_code, "approve")).status, 404);
  assert.equal(await pollError("unknown"), "invalid_grant");
});

test("an approved login that is revoked before the device asks grants nothing", async () => {
  const login = await start();
  await answer(login.user_code, "approve");
  const keys = await app.call("GET", "/v1/api-keys");
  const isOwn = ({ name }: { name: string }) => name.startsWith("Sign-in of");
  const ids: string[] = keys.body.entries.filter(isOwn).map(({ id }: { id: string }) => id);
  for (const id of ids) await app.call("DELETE", `/v1/api-keys/${id}`);
  assert.equal(await pollError(login.device_code), "invalid_grant");
});

test("guessing codes and starting logins in a loop are limited", async () => {
  const { user_code } = await start();
  const cookie = await signInAs(app, "READ_WRITE");
  const guess = () => app.call("GET", "/v1/device-logins/BBBB-BBBB", { cookie });
  const statuses = await Promise.all(Array.from({ length: 10 }, guess));
  assert.ok(statuses.every(({ status }) => status === 404));
  const limited = await app.call("GET", `/v1/device-logins/${user_code}`, { cookie });
  assert.equal(limited.status, 429);
  assert.ok(Number(limited.headers.get("retry-after")) > 0);
  const begin = () => postForm("/oauth/device/code", { client_id: "cli" });
  for (let count = 1; count < 10; count += 1) assert.equal((await begin()).status, 200);
  assert.equal((await begin()).status, 429);
});

test("only a user can confirm a device, and the key has the rights of its user at most", async () => {
  const { user_code, device_code } = await start();
  const path = `/v1/device-logins/${user_code}/approve`;
  const service = await createKey(app, "READ_WRITE", { type: "SERVICE" });
  assert.equal((await app.call("POST", path, { key: service.key })).status, 400);
  const cookie = await signInAs(app, "READ_ONLY");
  assert.equal((await app.call("POST", path, { cookie })).status, 204);
  app.clock.advance(5_001);
  const { body } = await poll(device_code);
  const key = body.access_token as string;
  assert.equal((await app.call("GET", "/v1/checks", { key })).status, 200);
  assert.equal(
    (await app.call("POST", "/v1/check-groups", { key, body: { name: "G" } })).status,
    403,
  );
});
