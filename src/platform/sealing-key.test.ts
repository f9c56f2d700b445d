import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createTestDatabase } from "../../test/support/database.ts";
import { captureLog } from "../../test/support/log.ts";
import { openDatabase } from "./database.ts";
import { Encryption } from "./encryption.ts";
import { ExplainedError } from "./explained-error.ts";
import { acceptSealingKey, checkSealingKey } from "./sealing-key.ts";

test("a server whose key does not fit the database is told what to do, and may accept it", async (t) => {
  const database = await createTestDatabase();
  const { pool, close } = openDatabase({ connectionString: database.url }, captureLog().log);
  t.after(async () => {
    await close();
    await database.drop();
  });
  const [first, second] = [new Encryption(randomBytes(32)), new Encryption(randomBytes(32))];
  await checkSealingKey(pool, first);
  await checkSealingKey(pool, first);
  await assert.rejects(checkSealingKey(pool, second), (error: Error) => {
    assert.ok(error instanceof ExplainedError);
    assert.match(error.message, /encryption\.key/);
    assert.match(error.message, /ENCRYPTION_KEY/);
    assert.match(error.message, /accept-key/);
    return true;
  });
  await acceptSealingKey(pool, second);
  await checkSealingKey(pool, second);
  await assert.rejects(checkSealingKey(pool, first), ExplainedError);
});
