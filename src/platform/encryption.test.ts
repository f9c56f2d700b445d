import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../test/support/properties.ts";
import { Encryption, loadEncryption } from "./encryption.ts";

const encryption = new Encryption(randomBytes(32));
const texts = fc.string({ unit: anyCharacter });

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "vedette-encryption-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "data");
}

test("any text decrypts to itself, and equal texts encrypt differently", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const sealed = encryption.encrypt(text);
      assert.equal(encryption.decrypt(sealed), text);
      assert.notEqual(sealed, encryption.encrypt(text));
      assert.ok(text.length < 4 || !Buffer.from(sealed, "base64").includes(text));
    }),
  );
});

test("another key decrypts nothing", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const sealed = new Encryption(randomBytes(32)).encrypt(text);
      assert.throws(() => encryption.decrypt(sealed));
    }),
  );
});

test("rejects a changed, truncated or extended ciphertext", () => {
  fc.assert(
    fc.property(texts, fc.nat(), fc.integer({ min: 1, max: 255 }), (text, place, change) => {
      const bytes = Buffer.from(encryption.encrypt(text), "base64");
      const at = place % bytes.length;
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ change;
      for (const broken of [changed, bytes.subarray(0, at), Buffer.concat([bytes, bytes])]) {
        assert.throws(() => encryption.decrypt(broken.toString("base64")));
      }
    }),
  );
});

test("rejects a truncated authentication tag", () => {
  const bytes = Buffer.from(encryption.encrypt(""), "base64");
  for (let length = 0; length < bytes.length; length += 1) {
    assert.throws(() => encryption.decrypt(bytes.subarray(0, length).toString("base64")));
  }
});

test("rejects a key of any other length", () => {
  for (const length of [0, 16, 31, 33]) {
    assert.throws(() => new Encryption(randomBytes(length)), /32 bytes/);
  }
});

test("creates the key once, readable only by its owner, and leaves no temporary file", async (t) => {
  const folder = await makeFolder(t);
  const sealed = (await loadEncryption(folder, undefined)).encrypt("secret");
  const path = join(folder, "encryption.key");
  const key = await readFile(path, "utf8");
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.equal((await loadEncryption(folder, undefined)).decrypt(sealed), "secret");
  assert.equal(await readFile(path, "utf8"), key);
  assert.deepEqual(await readdir(folder), ["encryption.key"]);
});

test("servers that start concurrently agree on one key", async (t) => {
  for (let round = 0; round < 60; round += 1) {
    const folder = await makeFolder(t);
    const all = await Promise.all(
      Array.from({ length: 6 }, () => loadEncryption(folder, undefined)),
    );
    const last = await loadEncryption(folder, undefined);
    for (const one of all) assert.equal(last.decrypt(one.encrypt("secret")), "secret");
  }
});

test("uses a configured key and creates none", async (t) => {
  const folder = await makeFolder(t);
  const key = randomBytes(32);
  const loaded = await loadEncryption(folder, key.toString("base64"));
  assert.equal(new Encryption(key).decrypt(loaded.encrypt("secret")), "secret");
  await assert.rejects(readdir(folder), { code: "ENOENT" });
  await assert.rejects(loadEncryption(folder, "too short"), /32 bytes/);
});
