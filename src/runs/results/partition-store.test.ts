import assert from "node:assert/strict";
import { it } from "node:test";
import pg from "pg";
import { captureLog } from "../../../test/support/apps/log.ts";
import { createTestDatabase } from "../../../test/support/database/database.ts";
import { openDatabase } from "../../platform/database-pool.ts";
import {
  createPartition,
  dropPartitionsBefore,
  findOldestPartition,
} from "./result-write-store.ts";

const dayMs = 86_400_000;

it("a partition in use is not dropped until the next round", async (t) => {
  const database = await createTestDatabase();
  const { db, close } = openDatabase({ connectionString: database.url }, captureLog().log);
  const reader = new pg.Client({ connectionString: database.url });
  await reader.connect();
  t.after(async () => {
    await reader.end();
    await close();
    await database.drop();
  });
  const days = [100 * dayMs, 101 * dayMs];
  for (const day of days) await createPartition(db, day);
  await reader.query("begin");
  await reader.query("select 1 from results_1970_04_11");
  assert.deepEqual(await dropPartitionsBefore(db, 103 * dayMs), []);
  assert.equal(await findOldestPartition(db), days[0]);
  await reader.query("commit");
  const dropped = await dropPartitionsBefore(db, 103 * dayMs);
  assert.deepEqual(dropped, ["results_1970_04_11", "results_1970_04_12"]);
});
