import assert from "node:assert/strict";
import { test } from "node:test";
import { captureLog } from "../../test/support/apps/log.ts";
import { createTestDatabase } from "../../test/support/database/database.ts";
import { runSql } from "./database.ts";
import { openDatabase } from "./database-pool.ts";
import { deleteOldQuarantine, quarantine } from "./quarantine.ts";

const dayMs = 86_400_000;

test("abandoned entries are deleted after 30 days, entries still retried are not", async (t) => {
  const database = await createTestDatabase();
  const { log } = captureLog();
  const { db, close } = openDatabase({ connectionString: database.url }, log);
  t.after(async () => {
    await close();
    await database.drop();
  });
  const start = new Date("2026-01-01T00:00:00Z");
  const fail = (key: string, now: Date) =>
    quarantine({ db, log }, { work: "test", key, error: new Error("poisoned"), now });
  let retryAt: Date | null = start;
  while (retryAt !== null) retryAt = await fail("given up", retryAt);
  const listKeys = async () =>
    (await runSql<{ key: string }>(db, "select key from set_aside order by key")).map(
      ({ key }) => key,
    );
  const later = (days: number) => new Date(start.getTime() + days * dayMs);
  await fail("still tried", later(31));
  await deleteOldQuarantine(db, later(30));
  assert.deepEqual(
    await listKeys(),
    ["given up", "still tried"],
    "the last attempt was a day later",
  );
  await deleteOldQuarantine(db, later(32));
  assert.deepEqual(await listKeys(), ["still tried"]);
});
