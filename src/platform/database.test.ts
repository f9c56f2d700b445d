import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createTestDatabase } from "../../test/support/database.ts";
import { captureLog } from "../../test/support/log.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { openDatabase } from "./database.ts";

describe("the pool of database connections", () => {
  it("outlives a connection that breaks while it is in use", async (t) => {
    const test = await createTestDatabase({ isEmpty: true });
    const { log, text: logText } = captureLog();
    const { pool, close } = openDatabase({ connectionString: test.url }, log);
    t.after(async () => {
      await close();
      await test.drop();
    });
    const client = await pool.connect();
    const { rows } = await client.query("select pg_backend_pid() as pid");
    await pool.query("select pg_terminate_backend($1)", [rows[0].pid]);
    await waitUntil("the break is seen", () => logText().includes("broke in use"));
    await assert.rejects(client.query("select 1"), /is not queryable/);
    client.release(true);
    assert.equal((await pool.query("select 1 as one")).rows[0].one, 1);
  });
});
