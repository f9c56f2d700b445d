/** Backups made by a server, through its API. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { captureLog } from "../../../test/support/apps/log.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { checkBackupFile } from "../../platform/backup/index.ts";
import { openDatabase } from "../../platform/database-pool.ts";
import { closeAbandoned } from "./backup-store.ts";
import { BackupKeeper } from "./keeper.ts";

let test: TestApp;
let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "vedette-backups-"));
  test = await startTestApp({ BACKUP_DIR: folder, BACKUP_KEEP: "1", BUILT_IN_PROBE: "false" });
});
after(async () => {
  await test.stop();
  await rm(folder, { recursive: true, force: true });
});

async function list() {
  return (await test.call("GET", "/v1/backups")).body;
}

async function waitForFinished(count: number) {
  await waitUntil("the backup is finished", async () => {
    const { backups } = await list();
    return (
      backups.length >= count && backups.every((one: { finishedAt: unknown }) => one.finishedAt)
    );
  });
  return list();
}

describe("backups", () => {
  it("are scheduled by the server, and verified as far as its database role permits", async () => {
    const { backups, isScheduled, canRequest } = await waitForFinished(1);
    assert.deepEqual([isScheduled, canRequest], [true, true]);
    const [made] = backups;
    assert.equal(made.status, "SUCCEEDED");
    assert.equal(made.reason, "SCHEDULE");
    assert.equal(made.hasKey, false);
    assert.ok(made.sizeBytes > 1_000 && made.rows > 10);
    assert.match(made.verifyProblem, /may not create databases.*alter role "vedette" createdb/);
    assert.deepEqual(await readdir(folder), [made.file]);
    const { header, end } = await checkBackupFile(join(folder, made.file));
    assert.equal(end.rows, made.rows);
    assert.equal(header.startedAt, made.startedAt);
  });

  it("are made on request of an administrator, one at a time, and replace older ones", async () => {
    const [first, second] = await Promise.all([
      test.call("POST", "/v1/backups"),
      test.call("POST", "/v1/backups"),
    ]);
    assert.deepEqual([first.status, second.status].sort(), [202, 409]);
    const asked = first.status === 202 ? first : second;
    const rejected = first.status === 409 ? first : second;
    assert.equal(asked.body.status, "RUNNING");
    assert.match(rejected.body.message, /already in progress/);
    const { backups } = await waitForFinished(2);
    assert.equal(backups[0].reason, "REQUEST");
    assert.notEqual(backups[1].removedAt, null);
    assert.deepEqual(await readdir(folder), [backups[0].file]);
  });

  it("are reported on the about page and as metrics", async () => {
    const { backups } = await list();
    const read = async () => (await test.call("GET", "/v1/about")).body.backups;
    await waitUntil(
      "the backup is reported",
      async () => (await read()).lastSizeBytes === backups[0].sizeBytes,
    );
    const about = await read();
    assert.equal(about.lastSuccessAt, backups[0].startedAt);
    assert.match(about.problem, /could not be verified/);
    const { text } = await test.call("GET", "/metrics", { key: null });
    assert.match(text, /^vedette_backup_last_success_timestamp_seconds 17\d+$/m);
    assert.match(text, /^vedette_backup_last_failed 0$/m);
    assert.match(text, /^vedette_backup_problem 1$/m);
    assert.doesNotMatch(text, /^vedette_backup_last_verified_timestamp_seconds \d/m);
  });

  it("that fail are reported, and release their claim", async () => {
    const { log } = captureLog();
    const opened = openDatabase({ connectionString: test.databaseUrl }, log);
    try {
      const keeper = new BackupKeeper({
        db: opened.db,
        clock: test.clock,
        log,
        connection: { connectionString: test.databaseUrl },
        serverId: "other",
        settings: {
          ...{ folder: "/dev/null/x", isBesideDatabase: false },
          ...{ everyHours: 0, keep: 1, verifyEveryHours: 0 },
        },
        program: "0.1.0",
        findKey: async () => null,
        dataDir: null,
      });
      await keeper.request();
      await waitForFinished(3);
      const failed = (await list()).backups.find(
        (one: { status: string }) => one.status === "FAILED",
      );
      assert.match(failed.problem, /The folder .* cannot be used/);
      await waitUntil("the problem is reported", () => keeper.findProblem() !== null);
      assert.match(keeper.findProblem() ?? "", /The last backup failed/);
      await test.query(
        `insert into backups (id, server_id, reason, file, started_at, alive_at)
          values (gen_random_uuid(), 'dead', 'SCHEDULE', 'x', $1, $1)`,
        [test.clock.now()],
      );
      assert.equal((await test.call("POST", "/v1/backups")).status, 409);
      const now = test.clock.now();
      assert.equal(await closeAbandoned(opened.db, new Date(now.getTime() + 1), now), 1);
      assert.equal((await test.call("POST", "/v1/backups")).status, 202);
      await waitForFinished(5);
    } finally {
      await opened.close();
    }
  });
});
