import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../test/support/properties.ts";
import {
  createSecret,
  hashPassword,
  hashSecret,
  setPasswordCost,
  verifyPassword,
} from "./secrets.ts";

describe("a secret", () => {
  it("has the requested number of bytes, in characters valid in a URL and a header", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), (byteLength) => {
        const secret = createSecret(byteLength);
        assert.match(secret, /^[A-Za-z0-9_-]+$/);
        assert.equal(Buffer.from(secret, "base64url").length, byteLength);
      }),
    );
  });

  it("has 32 bytes by default and is never the same twice", () => {
    const secrets = Array.from({ length: 1_000 }, () => createSecret());
    assert.equal(new Set(secrets).size, secrets.length);
    assert.equal(Buffer.from(secrets[0] ?? "", "base64url").length, 32);
  });

  it("is stored as its SHA-256", () => {
    assert.equal(
      hashSecret("abc").toString("hex"),
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
  });
});

describe("a password", () => {
  it("is accepted again and no other is, for any characters", async () => {
    const password = fc.string({ unit: "grapheme", maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(password, password, async (right, other) => {
        const stored = await hashPassword(right);
        assert.equal(await verifyPassword(right, stored), true);
        assert.equal(await verifyPassword(other, stored), other === right);
      }),
      { numRuns: propertyRuns / 10 },
    );
  });

  it("is hashed with a random nonce, and is not in the hash", async () => {
    // Another test file of this process may have lowered it.
    setPasswordCost();
    const [one, two] = await Promise.all([
      hashPassword("hello hello"),
      hashPassword("hello hello"),
    ]);
    assert.notEqual(one, two);
    assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    assert.ok(!one.includes("hello"));
  });

  it("is verified against a hash with other parameters by another program", async () => {
    // A test vector of Argon2's reference implementation.
    const stored =
      "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";
    assert.equal(await verifyPassword("password", stored), true);
    assert.equal(await verifyPassword("passwore", stored), false);
  });

  it("is rejected if the stored value is not a valid hash", async () => {
    const stored = await hashPassword("password");
    const broken = [
      "",
      "password",
      stored.slice(1),
      stored.replace("argon2id", "argon2i"),
      stored.replace("v=19", "v=16"),
      `${stored}\n`,
      `${stored}=`,
      stored.slice(0, stored.lastIndexOf("$")),
      "$2b$12$abcdefghijklmnopqrstuv",
    ];
    for (const text of broken) assert.equal(await verifyPassword("password", text), false, text);
  });

  it("is rejected if any character of the stored tag was changed", async () => {
    const stored = await hashPassword("password");
    const start = stored.lastIndexOf("$") + 1;
    // The last character has unused bits, so changing it may yield the same bytes.
    const place = fc.integer({ min: start, max: stored.length - 2 });
    await fc.assert(
      fc.asyncProperty(place, async (index) => {
        const other = stored[index] === "A" ? "B" : "A";
        const changed = stored.slice(0, index) + other + stored.slice(index + 1);
        assert.equal(await verifyPassword("password", changed), false);
      }),
      { numRuns: propertyRuns / 20 },
    );
  });
});
