/** Two servers on one database, one with a wrong clock: shared work, and work done once. */
import assert from "node:assert/strict";
import { copyFile, cp, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { startApp } from "../src/app/app.ts";
import { parseConfig } from "../src/config.ts";
import { FollowingClock } from "../src/platform/clock.ts";
import { type Database, inTransaction, onOneConnection, runSql } from "../src/platform/database.ts";
import { openDatabase } from "../src/platform/database-pool.ts";
import { migrate, migrationsFolder } from "../src/platform/migrations.ts";
import { tryDeciderLock } from "../src/response/alerting/decider-store.ts";
import { tryRollupLock } from "../src/runs/statistics/rollups/rollup-store.ts";
import { ownerKey, startTestApp, type TestApp } from "./support/apps/app.ts";
import { createKey } from "./support/apps/cast.ts";
import { captureLog } from "./support/apps/log.ts";
import { type SecondApp, startSecondApp } from "./support/apps/second-app.ts";
import { projectFolder } from "./support/project/source-files.ts";
import { openEvents } from "./support/servers/event-stream.ts";
import { startHttpReceiver } from "./support/servers/http-receiver.ts";
import { waitUntil } from "./support/time/wait-until.ts";

const aheadMs = 300_000;
const environment = {
  OUTBOUND_ALLOW_PRIVATE: "true",
  BUILT_IN_PROBE: "false",
  RATE_LIMIT_PER_MINUTE: "100000",
};

let first: TestApp;
let second: SecondApp;
before(async () => {
  first = await startTestApp(environment, { clock: new FollowingClock() });
  const wrong = new FollowingClock(() => Date.now() + aheadMs);
  second = await startSecondApp(first, environment, { clock: wrong });
});
after(async () => {
  await second.stop();
  await first.stop();
});

async function countShards(): Promise<number[]> {
  const { rows } = await first.query(
    `select count(*)::int as count from schedule_leases
      where holder <> '' and expires_at > now() group by holder order by 1`,
  );
  return rows.map(({ count }) => count);
}

const areShared = async (...counts: readonly number[]) => `${await countShards()}` === `${counts}`;

test("a second server receives half of the shards, and the first has all after it stops", async () => {
  await waitUntil("each has half", () => areShared(32, 32));
  const third = await startSecondApp(first, environment, { clock: new FollowingClock() });
  await waitUntil("each has a third", () => areShared(21, 21, 22));
  await third.stop();
  await waitUntil("each has half again", () => areShared(32, 32));
});

test("GET /v1/servers names the servers, their shards and whose clock is wrong", async () => {
  const list = () => second.call("GET", "/v1/servers", { key: ownerKey });
  await waitUntil("both have reported their address and shards", async () => {
    const { body } = await list();
    const hasTold = ({ address, shards, clockOffsetSeconds }: Record<string, unknown>) =>
      address !== null && shards === 32 && clockOffsetSeconds !== null;
    return body.servers.length === 2 && body.servers.every(hasTold);
  });
  const { status, body } = await list();
  assert.equal(status, 200);
  const seen = body.servers.map((one: Record<string, unknown>) => ({
    ...{ isThis: one.isThis, isLive: one.isLive, shards: one.shards, isWrong: one.isClockWrong },
  }));
  const both = { isLive: true, shards: 32 };
  assert.deepEqual(seen, [
    { isThis: false, ...both, isWrong: false },
    { isThis: true, ...both, isWrong: true },
  ]);
  assert.deepEqual(body.shards, { total: 64, free: 0 });
  const { key: reader } = await createKey(first, "READ_ONLY");
  const { body: seenByReader } = await second.call("GET", "/v1/servers", { key: reader });
  assert.deepEqual([seenByReader.servers[0].name, seenByReader.servers[0].address], [null, null]);
});

test("each server admits its share of a key's rate limit", async () => {
  for (const app of [first, second]) {
    await waitUntil("it knows the other server", async () => {
      const { headers } = await app.call("GET", "/v1/accounts/me");
      return headers.get("ratelimit-limit") === "50000";
    });
  }
});

test("/metrics of each server has the number of live servers and its shards", async () => {
  await waitUntil("each has half", () => areShared(32, 32));
  await waitUntil("the metrics exist", async () => {
    const { text } = await second.call("GET", "/metrics");
    return /^vedette_live_servers 2$/m.test(text) && /^vedette_held_shards 32$/m.test(text);
  });
  const { text } = await second.call("GET", "/metrics");
  const offset = Number(/^vedette_clock_offset_seconds (\S+)$/m.exec(text)?.[1]);
  // The database may respond late.
  assert.ok(Math.abs(offset - aheadMs / 1_000) < 60, `${offset} s`);
  for (const name of ["turns_total", "last_turn_timestamp_seconds", "errors_total"]) {
    assert.match(text, new RegExp(`^vedette_loop_${name}\\{loop="hold leases"\\} [0-9.]+$`, "m"));
  }
});

test("the guide explains for every loop why several servers may run it", async () => {
  const guide = await readFile(join(projectFolder, "docs/many-machines.md"), "utf8");
  const { body } = await first.call("GET", "/v1/about");
  const names: string[] = body.health.loops.map(({ name }: { name: string }) => name);
  assert.ok(names.includes("deliver alerts"));
  const missing = names.filter((name) => !name.startsWith("forget ") && !guide.includes(name));
  assert.deepEqual(missing, [], "add it to the table with the reason");
});

test("a copied data folder is rejected while the original server runs", async () => {
  const copy = await mkdtemp(join(tmpdir(), "vedette-copied-"));
  await copyFile(join(second.dataDir, "server.id"), join(copy, "server.id"));
  await assert.rejects(
    startSecondApp(first, { ...environment, DATA_DIR: copy }),
    /Another server with the same id is running on this database[\s\S]*server\.id/,
  );
  await waitUntil("both continue", () => areShared(32, 32));
});

test("a server with another key is rejected before it writes anything", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "vedette-keyless-"));
  const base = { PORT: "0", DATABASE_URL: first.databaseUrl, DATA_DIR: dataDir };
  const { log } = captureLog();
  await assert.rejects(
    startApp(parseConfig(base), { log }),
    /has no encryption key[\s\S]*the same ENCRYPTION_KEY[\s\S]*encryption\.key/,
  );
  const another = { ...base, ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64") };
  await assert.rejects(
    startApp(parseConfig(another), { log }),
    /is not the one that encrypted the secrets/,
  );
  const left = await readdir(dataDir);
  assert.ok(!left.includes("encryption.key") && !left.includes("server.id"), left.join());
  const { rows } = await first.query("select 1 from servers");
  assert.equal(rows.length, 2);
});

test("alerts are decided and sent once by either of two servers", async (t) => {
  let underWay = 0;
  let mostUnderWay = 0;
  const receiver = await startHttpReceiver(t, async () => {
    underWay += 1;
    mostUnderWay = Math.max(mostUnderWay, underWay);
    // One server sends at most two at once; the third comes from the other.
    await waitUntil("both servers send", () => receiver.requests.length >= 3);
    underWay -= 1;
    return {};
  });
  const config = { name: "Hook", url: receiver.url, method: "POST" };
  const sends = { sendRecovery: true, sendFailure: true, digest: false };
  const body = { type: "WEBHOOK", config, ...sends };
  const { body: channel } = await first.call("POST", "/v1/alert-channels", { body });
  const alertChannelSubscriptions = [{ alertChannelId: channel.id, activated: true }];
  const checkIds: string[] = [];
  for (let count = 0; count < 12; count += 1) {
    const check = { name: `Router ${count}`, request: { hostname: "192.0.2.1" } };
    const body = { ...check, frequency: 1440, alertChannelSubscriptions };
    const { body: made } = await first.call("POST", "/v1/checks/icmp", { body });
    checkIds.push(made.id);
  }
  await first.query(
    `insert into notable_runs (account_id, check_id, result_id, location, verdict, due_at,
        recorded_at) select $1, id, gen_random_uuid(), 'home', 'failing', now(), now()
      from unnest($2::uuid[]) as id`,
    [first.owner.accountId, checkIds],
  );
  await waitUntil("all were sent", async () => {
    const { rows } = await first.query("select 1 from deliveries where status = 'SENT'");
    return rows.length >= checkIds.length;
  });
  const keys = receiver.requests.map(({ headers }) => headers["idempotency-key"]);
  assert.equal(keys.length, checkIds.length);
  assert.equal(new Set(keys).size, checkIds.length);
  assert.ok(mostUnderWay <= 4, `${mostUnderWay} at once, of 4 for a channel over all servers`);
});

test("a change at one server reaches the other and invalidates its cache", async () => {
  const { id, key } = await createKey(first, "READ_ONLY");
  const known = await second.call("GET", "/v1/accounts/me", { key });
  assert.equal(known.status, 200);
  const events = await openEvents(`${second.url}/v1/events`, {
    authorization: `Bearer ${ownerKey}`,
    accept: "text/event-stream",
  });
  await waitUntil("the stream is open", () => events.names().includes("hello"));
  const check = { name: "Told", request: { hostname: "192.0.2.1" }, frequency: 1440 };
  await first.call("POST", "/v1/checks/icmp", { body: check });
  await waitUntil("the event arrives", () => events.names().includes("changes"));
  events.close();
  await first.call("DELETE", `/v1/api-keys/${id}`);
  await waitUntil("the other server rejects the key", async () => {
    const { status } = await second.call("GET", "/v1/accounts/me", { key });
    return status === 401;
  });
});

/** Takes a lock and then hangs, like a server stopped in the middle of its work. */
async function hang(
  db: Database,
  within: (db: Database, work: (db: Database) => Promise<void>) => Promise<unknown>,
  tryLock: (db: Database) => Promise<boolean>,
): Promise<() => Promise<void>> {
  const taken = Promise.withResolvers<void>();
  const woken = Promise.withResolvers<void>();
  const standing = within(db, async (connection) => {
    await waitUntil("the lock is free", () => tryLock(connection));
    taken.resolve();
    await woken.promise;
    await tryLock(connection);
  });
  standing.catch(() => {});
  await taken.promise;
  return async () => {
    woken.resolve();
    await assert.rejects(standing, "a server that resumes has lost its turn");
  };
}

test("a server that hangs while deciding or rolling up loses its turn", async () => {
  const open = () => openDatabase({ connectionString: first.databaseUrl }, captureLog().log);
  const [still, awake] = [open(), open()];
  const decided = await hang(still.db, inTransaction, tryDeciderLock);
  const rolled = await hang(still.db, onOneConnection, tryRollupLock);
  await waitUntil("another server decides", () => inTransaction(awake.db, tryDeciderLock));
  await waitUntil("another server rolls up", () => onOneConnection(awake.db, tryRollupLock));
  await decided();
  await rolled();
  await still.close();
  await awake.close();
});

/** The migrations of the next release: all current ones, and one more that adds a column. */
async function writeNextMigrations(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "vedette-next-release-"));
  await cp(migrationsFolder, folder, { recursive: true });
  const sql = "alter table checks add column next_release text not null default 'yes';";
  await writeFile(join(folder, "9999-next-release.sql"), sql);
  return folder;
}

test("servers keep running while a newer release migrates; starting this release is rejected", async () => {
  const folder = await writeNextMigrations();
  const connection = { connectionString: first.databaseUrl };
  // A long read of the table: the migration waits, and lets others pass.
  const reader = openDatabase(connection, captureLog().log);
  const isReading = Promise.withResolvers<void>();
  const isRead = Promise.withResolvers<void>();
  const reading = inTransaction(reader.db, async (db) => {
    await runSql(db, "select 1 from checks limit 1");
    isReading.resolve();
    await isRead.promise;
  });
  await isReading.promise;
  const migrating = migrate(connection, folder);
  await waitUntil("the migration has timed out once", async () => {
    const { rows } = await first.query(
      "select 1 from pg_stat_activity where query like 'rollback%' and datname = current_database()",
    );
    return rows.length > 0;
  });
  isRead.resolve();
  await reading;
  assert.deepEqual(await migrating, ["9999-next-release.sql"]);
  await reader.close();
  for (const app of [first, second]) {
    const check = { name: "After", request: { hostname: "192.0.2.1" }, frequency: 1440 };
    const made = await app.call("POST", "/v1/checks/icmp", { body: check });
    assert.equal(made.status, 201, made.text);
    assert.equal((await app.call("DELETE", `/v1/checks/${made.body.id}`)).status, 204);
  }
  await assert.rejects(startSecondApp(first, environment), /9999-next-release\.sql, which this/);
});
