import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import { captureLog } from "../../test/support/apps/log.ts";
import { createTestDatabase } from "../../test/support/database/database.ts";
import { runSql } from "./database.ts";
import { openDatabase } from "./database-pool.ts";
import { Encryption } from "./encryption.ts";
import { ExplainedError } from "./errors.ts";
import { acceptSealingKey, checkSealingKey } from "./sealing-key.ts";

async function openTestDatabase(t: TestContext) {
  const database = await createTestDatabase();
  const { db, close } = openDatabase({ connectionString: database.url }, captureLog().log);
  t.after(async () => {
    await close();
    await database.drop();
  });
  return db;
}

test("the check value is not written with a key that decrypts none of the existing secrets", async (t) => {
  const db = await openTestDatabase(t);
  const [right, wrong] = [new Encryption(randomBytes(32)), new Encryption(randomBytes(32))];
  const listSealed = async () => ["not encrypted", right.encrypt("secret")];
  await assert.rejects(checkSealingKey(db, wrong, listSealed), ExplainedError);
  const rows = await runSql(db, "select sealed from sealing_key_check");
  assert.deepEqual(rows, []);
  await checkSealingKey(db, right, listSealed);
  await checkSealingKey(db, right, listSealed);
  await assert.rejects(checkSealingKey(db, wrong, listSealed), ExplainedError);
});

test("a server with the wrong key is rejected with instructions, and can accept its key", async (t) => {
  const db = await openTestDatabase(t);
  const [first, second] = [new Encryption(randomBytes(32)), new Encryption(randomBytes(32))];
  await checkSealingKey(db, first, async () => []);
  await checkSealingKey(db, first, async () => []);
  await assert.rejects(
    checkSealingKey(db, second, async () => []),
    (error: Error) => {
      assert.ok(error instanceof ExplainedError);
      assert.match(error.message, /encryption\.key/);
      assert.match(error.message, /ENCRYPTION_KEY/);
      assert.match(error.message, /accept-key/);
      return true;
    },
  );
  await acceptSealingKey(db, second);
  await checkSealingKey(db, second, async () => []);
  await assert.rejects(
    checkSealingKey(db, first, async () => []),
    ExplainedError,
  );
});
