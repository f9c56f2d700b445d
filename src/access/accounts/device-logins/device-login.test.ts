import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createUserCode,
  type DeviceLogin,
  decidePoll,
  formatUserCode,
  parseUserCode,
} from "./device-login.ts";

const nowMs = 1_000_000;

function newLogin(change: Partial<DeviceLogin> = {}): DeviceLogin {
  return {
    id: "1",
    userCode: "BCDFGHJK",
    client: "vedette",
    address: "192.0.2.1",
    createdAt: new Date(nowMs - 60_000),
    expiresAt: new Date(nowMs + 60_000),
    polledAt: null,
    intervalSeconds: 5,
    status: "PENDING",
    userId: null,
    ...change,
  };
}

const decide = (change: Partial<DeviceLogin>) => decidePoll(newLogin(change), nowMs);
const rejected = (error: string) => ({ kind: "rejected", error });

test("a device waits until the user has decided", () => {
  assert.deepEqual(decide({}), { kind: "pending", error: "authorization_pending" });
  assert.deepEqual(decide({ status: "APPROVED" }), { kind: "granted" });
  assert.deepEqual(decide({ status: "DENIED" }), rejected("access_denied"));
});

test("a login that was used, or never existed, grants nothing", () => {
  assert.deepEqual(decide({ status: "USED" }), rejected("invalid_grant"));
  assert.deepEqual(decidePoll(null, nowMs), rejected("invalid_grant"));
});

test("an expired login grants nothing, even if it was approved", () => {
  for (const status of ["PENDING", "APPROVED", "DENIED"] as const) {
    const expiresAt = new Date(nowMs);
    assert.deepEqual(decide({ status, expiresAt }), rejected("expired_token"));
  }
  const expiresAt = new Date(nowMs + 1);
  assert.deepEqual(decide({ status: "APPROVED", expiresAt }), { kind: "granted" });
});

test("a device that polls before its interval must add five seconds, also once approved", () => {
  const slow = { kind: "pending", error: "slow_down", intervalSeconds: 10 };
  for (const status of ["PENDING", "APPROVED"] as const) {
    const polledAt = new Date(nowMs - 4_999);
    assert.deepEqual(decide({ status, polledAt }), slow);
  }
  const inTime = decide({ status: "APPROVED", polledAt: new Date(nowMs - 5_000) });
  assert.deepEqual(inTime, { kind: "granted" });
  const slower = decide({ intervalSeconds: 10, polledAt: new Date(nowMs - 9_000) });
  assert.deepEqual(slower, { ...slow, intervalSeconds: 15 });
});

test("a code that people type is recognised however it is spaced and written", () => {
  for (const text of ["BCDFGHJK", "bcdf-ghjk", " bcdf ghjk ", "b-c-d-f-g-h-j-k"]) {
    assert.equal(parseUserCode(text), "BCDFGHJK", text);
  }
  // Vowels, digits, signs, other lengths, and letters that become these only in upper case.
  const lengths = ["", "BCDFGHJ", "BCDFGHJKL"];
  for (const text of [...lengths, "ACDFGHJK", "BCDFGHJ1", "BCDF_GHJ", "BCDFGHJß"]) {
    assert.equal(parseUserCode(text), null, text);
  }
});

test("created codes are shown in two halves and read back", () => {
  for (let count = 0; count < 50; count += 1) {
    const code = createUserCode();
    const shown = formatUserCode(code);
    assert.match(shown, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    assert.equal(parseUserCode(shown), code);
  }
});
