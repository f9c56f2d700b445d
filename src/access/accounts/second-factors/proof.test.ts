import assert from "node:assert/strict";
import { test } from "node:test";
import { buildOtpauthUrl, computeCode, encodeBase32, findStep, stepAt } from "./proof.ts";

/** The secret of appendix B of RFC 6238. */
const secret = Buffer.from("12345678901234567890");

test("codes match appendix B of RFC 6238", () => {
  const vectors: readonly (readonly [number, string])[] = [
    [59, "94287082"],
    [1_111_111_109, "07081804"],
    [1_111_111_111, "14050471"],
    [1_234_567_890, "89005924"],
    [2_000_000_000, "69279037"],
    [20_000_000_000, "65353130"],
  ];
  for (const [seconds, code] of vectors) {
    assert.equal(computeCode(secret, stepAt(seconds * 1_000), 8), code);
    assert.equal(computeCode(secret, stepAt(seconds * 1_000)), code.slice(2));
  }
});

test("a code is valid in its own step and in the adjacent steps", () => {
  const nowMs = 1_111_111_109_000;
  const now = stepAt(nowMs);
  for (const offset of [-1, 0, 1]) {
    assert.equal(findStep(secret, computeCode(secret, now + offset), nowMs), now + offset);
  }
  for (const offset of [-2, 2]) {
    assert.equal(findStep(secret, computeCode(secret, now + offset), nowMs), null);
  }
  assert.equal(findStep(secret, "", nowMs), null);
});

test("secrets are encoded in base32 according to RFC 4648", () => {
  const vectors = { f: "MY", fo: "MZXQ", foo: "MZXW6", foob: "MZXW6YQ", foobar: "MZXW6YTBOI" };
  for (const [text, encoded] of Object.entries(vectors)) {
    assert.equal(encodeBase32(Buffer.from(text)), encoded);
  }
});

test("the otpauth URL escapes the names of server and user", () => {
  const url = buildOtpauthUrl(secret, { email: "a&b@example.com", host: "[::1]" });
  assert.equal(
    url,
    "otpauth://totp/Vedette%20(%5B--1%5D):a%26b%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Vedette%20(%5B--1%5D)&algorithm=SHA1&digits=6&period=30",
  );
});
