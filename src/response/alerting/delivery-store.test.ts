import assert from "node:assert/strict";
import { randomUUIDv7 } from "node:crypto";
import { test } from "node:test";
import { createAlertingFixture } from "../../../test/support/modules/alerting.ts";
import { createPagesFixture } from "../../../test/support/modules/pages.ts";
import { type Database, inTransaction, runSql } from "../../platform/database.ts";
import { claimDeliveries, finishDeliveries } from "./delivery-store.ts";
import { formDigests } from "./digest-store.ts";

const waiting = 2_000;

/** Number of rows that this transaction has read from the table. */
async function countRowsRead(db: Database): Promise<number> {
  const [row] = await runSql<{ rows: number }>(
    db,
    `select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables
      where relname = 'deliveries'`,
  );
  assert.ok(row);
  return row.rows;
}

test("a claim with a plan cached for an empty queue reads a long queue efficiently", async (t) => {
  const fixture = await createAlertingFixture(t);
  const channelId = await fixture.addWebhook("/hook");
  const now = fixture.context.clock.now();
  const until = new Date(now.getTime() + 60_000);
  await inTransaction(fixture.context.db, async (db) => {
    const claim = () => claimDeliveries(db, { now, until, limit: 100, underWay: new Map() }, 50);
    // PostgreSQL switches to a generic plan at the sixth execution.
    for (let time = 0; time < 6; time += 1) assert.deepEqual(await claim(), []);
    await runSql(
      db,
      `insert into deliveries (id, account_id, alert_id, check_id, alert_channel_id, channel_type,
        recipient, message, status, next_attempt_at, decided_at)
      select gen_random_uuid(), account_id, $2, gen_random_uuid(), id, type, '', '{}', 'PENDING',
        $3, $3
      from alert_channels cross join generate_series(1, $4::int) where id = $1`,
      [channelId, randomUUIDv7(), now, waiting],
    );
    const before = await countRowsRead(db);
    assert.equal((await claim()).length, 50);
    const read = (await countRowsRead(db)) - before;
    assert.ok(read < waiting * 10, `${read} rows were read`);
  });
});

test("a claim does not wait for a message that another server claims or finishes", async (t) => {
  const fixture = await createAlertingFixture(t);
  const channelId = await fixture.addWebhook("/hook");
  const { db } = fixture.context;
  const now = fixture.clock.now();
  const until = new Date(now.getTime() + 60_000);
  const claim = (on: Database) =>
    claimDeliveries(on, { now, until, limit: 10, underWay: new Map() }, 4);
  const insert = (digestId: string) =>
    runSql(
      db,
      `insert into deliveries (id, account_id, alert_id, check_id, alert_channel_id, channel_type,
        recipient, message, status, next_attempt_at, decided_at, digest_id)
      select gen_random_uuid(), account_id, $2, gen_random_uuid(), id, type, '', $5, 'PENDING',
        $3, $3, $4
      from alert_channels cross join generate_series(1, 3) where id = $1`,
      [channelId, randomUUIDv7(), now, digestId, JSON.stringify({ kind: "ALERT_FAILURE" })],
    );
  await insert(randomUUIDv7());
  await inTransaction(db, async (one) => {
    const claimed = await claim(one);
    assert.deepEqual(
      claimed.map(({ deliveryIds }) => deliveryIds.length),
      [3],
    );
    await insert(randomUUIDv7());
    const others = await inTransaction(db, async (other) => {
      await runSql(other, "set local lock_timeout = 2000");
      return claim(other);
    });
    assert.deepEqual(
      others.map(({ deliveryIds }) => deliveryIds.length),
      [3],
      "the digest that is free",
    );
    await finishDeliveries(one, claimed[0]?.deliveryIds ?? [], {
      ...{
        status: "SENT",
        nextAttemptAt: now,
        sentAt: now,
        statusCode: 200,
        reason: null,
        at: now,
      },
    });
    assert.deepEqual(await inTransaction(db, claim), []);
  });
});

test("a storm of 2,000 messages becomes digests efficiently", async (t) => {
  const fixture = await createPagesFixture(t);
  const userId = await fixture.addMember("Ada", []);
  const { db } = fixture.context;
  const now = fixture.clock.now();
  await runSql(
    db,
    `insert into deliveries (id, account_id, alert_id, check_id, channel_type, recipient, message,
      status, next_attempt_at, decided_at, is_collected, storm_id, user_id, method_id)
    select gen_random_uuid(), $1, $2, gen_random_uuid(), 'WEBHOOK', '', '{}', 'PENDING', $3, $3,
      true, $4, $5, method
    from generate_series(1, $6::int / 2), unnest(array['one', 'other']) as method`,
    [fixture.accountId, randomUUIDv7(), now, randomUUIDv7(), userId, waiting],
  );
  await inTransaction(db, async (tx) => {
    const before = await countRowsRead(tx);
    await formDigests(tx, now);
    const read = (await countRowsRead(tx)) - before;
    assert.ok(read < waiting * 10, `${read} rows were read`);
    const digests = await runSql(
      tx,
      "select method_id, count(*)::int from deliveries group by method_id, digest_id order by 1",
    );
    assert.deepEqual(digests, [
      { method_id: "one", count: waiting / 2 },
      { method_id: "other", count: waiting / 2 },
    ]);
  });
});
