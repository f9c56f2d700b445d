import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import pg from "pg";
import { createTestDatabase } from "../../test/support/database/database.ts";
import { describeSchema } from "../../test/support/database/describe-schema.ts";
import { copyMigrations } from "../../test/support/database/migrations.ts";
import { migrate, migrationsFolder } from "./migrations.ts";

/** Migrates an empty database with each folder in turn, and connects to it. */
async function migrateNew(t: TestContext, ...folders: readonly string[]): Promise<pg.Client> {
  const database = await createTestDatabase({ isEmpty: true });
  const client = new pg.Client(database.url);
  t.after(async () => {
    await client.end();
    await database.drop();
  });
  for (const folder of folders) await migrate({ connectionString: database.url }, folder);
  await client.connect();
  return client;
}

/** A folder with the first migrations only, as a database of an earlier version has them. */
async function copyFirstMigrations(t: TestContext, count: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "vedette-first-migrations-"));
  t.after(() => rm(folder, { recursive: true }));
  await copyMigrations(folder);
  const names = (await readdir(folder)).sort().slice(count);
  for (const name of names) await rm(join(folder, name));
  return folder;
}

function compare(migrated: ReadonlySet<string>, fresh: ReadonlySet<string>): string[] {
  return [
    ...[...migrated.difference(fresh)].map((line) => `only migrated: ${line}`),
    ...[...fresh.difference(migrated)].map((line) => `only from the baseline: ${line}`),
  ].sort();
}

/** Changes of a schema, and what the comparison must report. */
const changes: Readonly<Record<string, RegExp>> = {
  "create table additional (id int)": /relations: .*"additional"/,
  "alter table checks add column extra text": /columns: .*"extra"/,
  "alter table members alter column role type varchar(80)": /columns: .*"character varying\(80\)"/,
  "alter table checks alter column tags drop not null": /columns: .*"attname":"tags"/,
  "alter table checks alter column status set default 'none'": /columns: .*'none'/,
  "alter table audit_entries alter column changes set storage external": /columns: .*"changes"/,
  "alter table check_states set (fillfactor = 80)": /relations: .*fillfactor=80/,
  "alter table late_hours set unlogged": /relations: .*"late_hours"/,
  "alter table deliveries validate constraint deliveries_status_check":
    /constraints: .*deliveries_status_check/,
  "alter table invites drop constraint invites_role_check": /constraints: .*invites_role_check/,
  "drop index sessions_user": /indexes: .*sessions_user/,
  "drop trigger sessions_changed on sessions": /triggers: .*sessions_changed/,
  "alter table users disable trigger users_changed": /triggers: .*users_changed/,
  "create or replace function announce_places() returns trigger language plpgsql as $$begin end$$":
    /functions: .*announce_places/,
  "alter function join_lines strict": /functions: .*join_lines/,
  "drop view checks_with_group": /views: .*checks_with_group/,
  "alter sequence saved_views_id_seq increment 2": /sequences: .*saved_views_id_seq/,
  "select nextval('snippets_id_seq')": /sequences: .*snippets_id_seq/,
  "comment on table users is 'extra'": /comments: .*extra/,
  "grant select on accounts to public": /relations: .*"accounts"/,
  "create statistics extra on account_id, user_id from members": /others: .*extra/,
  "create domain kind as text": /types: .*"kind"/,
  "alter table late_hours alter column hour set default now()": /dependencies: .*late_hours/,
  "delete from ping_service": /rows: .*ping_service/,
  "delete from migrations where name like '0100%'": /rows: .*0100/,
  [`alter table passkeys drop constraint passkeys_user_id_fkey,
    add constraint passkeys_user_id_fkey foreign key (user_id) references users on delete cascade`]:
    /actions of foreign keys.*passkeys_user_id_fkey/,
};

test("a database of the baseline is the same as one with each migration applied", async (t) => {
  const old = await migrateNew(t, await copyFirstMigrations(t, 12), migrationsFolder);
  const fresh = await migrateNew(t, migrationsFolder);
  const expected = await describeSchema(old);
  assert.deepEqual(compare(expected, await describeSchema(fresh)), []);
  assert.ok(expected.size > 2_000, `${expected.size} lines are compared`);

  for (const change of Object.keys(changes)) await fresh.query(change);
  const found = compare(expected, await describeSchema(fresh));
  for (const [change, report] of Object.entries(changes)) {
    assert.ok(
      found.some((line) => report.test(line)),
      `the comparison misses: ${change}`,
    );
  }
});
