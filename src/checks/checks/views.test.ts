import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import pg from "pg";
import { createTestDatabase } from "../../../test/support/database/database.ts";
import { allKinds } from "../../kinds/index.ts";

test("the view of periods leaves out the kinds without a schedule", async (t) => {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  t.after(async () => {
    await client.end();
    await database.drop();
  });
  const accountId = randomUUID();
  await client.query("insert into accounts (id, name, created_at) values ($1, 'a', now())", [
    accountId,
  ]);
  await client.query(
    `insert into checks (id, account_id, kind, name, tags, settings, private_settings, variables,
        status, created_at)
      select gen_random_uuid(), $1, kind, kind, '{}', '{"frequency": 5}', '{}', '[]', 'unknown',
        now()
      from unnest($2::text[]) as kind`,
    [accountId, allKinds.map(({ type }) => type)],
  );
  const { rows } = await client.query("select kind, period_seconds from checks_with_period");
  const expected = allKinds.map(({ type, isOrdered }) => [type, isOrdered ? 300 : null] as const);
  assert.deepEqual(
    new Map(rows.map(({ kind, period_seconds }) => [kind, period_seconds])),
    new Map(expected),
  );
});
