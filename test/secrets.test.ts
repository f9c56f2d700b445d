/** No secret leaks through the log, the audit log or another response. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ownerKey, ownerPassword, startTestApp } from "./support/apps/app.ts";
import { addMember, createKey, signIn } from "./support/apps/cast.ts";

test("keys, passwords, tokens and cookies are in no log line and no audit entry", async () => {
  const app = await startTestApp();
  const secrets = [ownerKey, ownerPassword];
  try {
    const { id, key } = await createKey(app, "ADMIN");
    const person = await addMember(app, "person@example.com", { role: "ADMIN" });
    const cookie = await signIn(app, person.email, person.password);
    const invite = await app.call("POST", "/v1/accounts/me/invites", {
      body: { email: "next@example.com", role: "READ_ONLY" },
    });
    const newPassword = "another good password";
    await app.call("PUT", "/v1/users/me/password", {
      cookie,
      body: { currentPassword: person.password, newPassword },
    });
    const wrong = "vd_wrong-key-wrong-key-wrong-key";
    await app.call("GET", `/v1/runtimes?token=${wrong}`, { key: wrong });
    await app.call("POST", "/v1/sessions", {
      key: null,
      body: { email: person.email, password: "wrong password here" },
    });
    await app.call("POST", "/v1/api-keys", { rawBody: `{"name": "${newPassword}", "role": 5}` });
    await app.call("DELETE", `/v1/api-keys/${id}`);
    secrets.push(key, person.password, cookie.slice("vedette_session=".length));
    secrets.push(invite.body.token, newPassword, wrong, "wrong password here");
    const audit = await app.call("GET", "/v1/audit-log?limit=100");
    assert.ok(audit.body.length >= 6);
    const log = app.logText();
    assert.ok(log.includes('"statusCode":401'));
    for (const secret of secrets) {
      assert.equal(log.includes(secret), false, `the log has ${secret}`);
      assert.equal(audit.text.includes(secret), false, `the audit log has ${secret}`);
    }
  } finally {
    await app.stop();
  }
});

test("a secret logged by mistake is redacted", async () => {
  const { captureLog } = await import("./support/apps/log.ts");
  const { log, text } = captureLog();
  log.info({ password: "p1", request: { headers: { authorization: "a1", cookie: "c1" } } }, "oops");
  log.info({ user: { apiKey: "k1", token: "t1" } }, "oops");
  for (const secret of ["p1", "a1", "c1", "k1", "t1"])
    assert.equal(text().includes(`"${secret}"`), false);
});
