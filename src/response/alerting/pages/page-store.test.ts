import assert from "node:assert/strict";
import { test } from "node:test";
import { failing } from "../../../../test/support/modules/alerting.ts";
import { createPagesFixture } from "../../../../test/support/modules/pages.ts";
import { type Database, inTransaction, runSql } from "../../../platform/database.ts";
import { cancelAcknowledged, listPagedAlerts, listPageMessages } from "./page-store.ts";
import { listPagesToRecover, listReached } from "./recovery-store.ts";

const others = 3_000;

/** Number of rows that this transaction has read from the tables of alerts and deliveries. */
async function countRowsRead(db: Database): Promise<number> {
  const [row] = await runSql<{ rows: number }>(
    db,
    `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows
      from pg_stat_xact_user_tables where relname in ('deliveries', 'alerts')`,
  );
  assert.ok(row);
  return row.rows;
}

test("the queries of a page read only its own rows, however many others are stored", async (t) => {
  const scene = await createPagesFixture(t);
  const { checkId } = await scene.addCheck({ frequency: 1 }).then(async (check) => {
    const ada = await scene.addMember("Ada", [
      ["first", 0],
      ["second", 5],
    ]);
    const primary = await scene.addSchedule("Primary", [ada]);
    await scene.subscribe(primary, { checkId: check.checkId });
    await scene.run(check, failing);
    await scene.deliver();
    return check;
  });
  await scene.query(
    `insert into deliveries (id, account_id, alert_id, check_id, channel_type, recipient, message,
        status, next_attempt_at, decided_at, page_id, user_id, method_id, after_minutes)
      select gen_random_uuid(), account_id, gen_random_uuid(), gen_random_uuid(), 'NTFY', '', '{}',
        'PENDING', decided_at + interval '1 day', decided_at, gen_random_uuid(), user_id, 'x', 5
      from deliveries cross join generate_series(1, ${others}) where method_id is null`,
  );
  await scene.query("analyze deliveries, alerts");
  const rows = await scene.query(
    `select page_id as "pageId", alert_channel_id as "channelId" from deliveries
      where method_id is null`,
  );
  const [{ pageId, channelId } = { pageId: "", channelId: 0 }] = rows as {
    pageId: string;
    channelId: number;
  }[];
  const now = scene.clock.now();
  await inTransaction(scene.context.db, async (db) => {
    const before = await countRowsRead(db);
    assert.equal((await listPageMessages(db, pageId)).length, 2);
    assert.equal((await listPagedAlerts(db, pageId)).length, 1);
    const recovery = { checkId, alertId: "ffffffff-ffff-7fff-bfff-ffffffffffff" };
    assert.equal((await listReached(db, [{ ...recovery, pageId }], now)).length, 1);
    assert.equal((await listPagesToRecover(db, [recovery], channelId)).length, 1);
    await cancelAcknowledged(db, [{ checkId, alertNumber: 1 }], { at: now, by: "Ben" });
    const read = (await countRowsRead(db)) - before;
    assert.ok(read < 60, `${read} rows were read`);
  });
});
