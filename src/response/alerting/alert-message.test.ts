import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { Encryption } from "../../platform/encryption.ts";
import { createAcknowledgeUrl, createGroupUrl, readAcknowledgeToken } from "./alert-message.ts";

const encryption = new Encryption(randomBytes(32));
const [checkId, userId] = [
  "0199c3a5-0000-7000-8000-000000000001",
  "0199c3a5-0000-7000-8000-00000000000a",
];
const seal = (value: unknown) =>
  Buffer.from(encryption.encrypt(JSON.stringify(value)), "base64").toString("base64url");

test("an acknowledge link is read as it was created, also one of an earlier release", () => {
  for (const about of [
    { checkId, alertNumber: 3, userId },
    { checkId, alertNumber: 3, userId: null },
    { checkId, alertNumber: 3, userId, newestId: checkId },
    { checkId, alertNumber: 3, userId: null, newestId: checkId },
  ]) {
    const token = createAcknowledgeUrl({ encryption }, "", about).split("/").at(-1) ?? "";
    assert.deepEqual(readAcknowledgeToken({ encryption }, token), about);
  }
  const old = { checkId, alertNumber: 3 };
  assert.deepEqual(readAcknowledgeToken({ encryption }, seal([checkId, 3])), {
    ...old,
    userId: null,
  });
  assert.deepEqual(readAcknowledgeToken({ encryption }, seal([checkId, 3, userId])), {
    ...old,
    userId,
  });
});

test("no other value that is sealed with the same key is an acknowledge link", () => {
  for (const value of [
    ["page-key", "status-page", checkId, 1, "print", 1_800_000_000_000],
    [checkId, 3, userId, "confirmation"],
    [checkId, "3"],
    [checkId, 3, "nobody"],
    ["shop", 3],
    { checkId, alertNumber: 3 },
    checkId,
    null,
  ]) {
    assert.equal(readAcknowledgeToken({ encryption }, seal(value)), null, JSON.stringify(value));
  }
  assert.equal(readAcknowledgeToken({ encryption }, "forged"), null);
});

test("a message has a link for all of its alerts, also if the first one has none", () => {
  const tools = { encryption };
  const acknowledgeUrl = createAcknowledgeUrl(tools, "https://a", { checkId, alertNumber: 3 });
  const to = { userId, newestId: checkId };
  const url = createGroupUrl(tools, [{ acknowledgeUrl: null }, { acknowledgeUrl }], to) ?? "";
  const [base, token = ""] = url.split("/acknowledge/");
  assert.equal(base, "https://a");
  assert.deepEqual(readAcknowledgeToken(tools, token), { checkId, alertNumber: 3, ...to });
  assert.equal(createGroupUrl(tools, [{ acknowledgeUrl: null }], to), null);
});
