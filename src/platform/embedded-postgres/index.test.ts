import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "node:test";
import {
  createFolder,
  query,
  spawnOwner,
  startPostgres,
} from "../../../test/support/database/embedded-postgres.ts";
import { it } from "../../../test/support/long-run.ts";
import { findProcesses, isGone } from "../../../test/support/programs/processes.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

const isLinux = process.platform === "linux";
const needsProc = { skip: isLinux ? false : "needs /proc" };

describe("the embedded PostgreSQL", () => {
  it("starts in a folder that does not exist yet, and keeps its rows", async (t) => {
    const dataDir = join(await createFolder(t), "deep", "data");
    const first = await startPostgres(t, dataDir);
    await query(first.connection, "create table kept (id int); insert into kept values (7)");
    await first.stop();
    const second = await startPostgres(t, dataDir);
    assert.deepEqual(await query(second.connection, "select id from kept"), [7]);
    assert.equal(second.restarts(), 0);
  });

  it("rejects the files of another major version with instructions", async (t) => {
    const dataDir = await createFolder(t);
    await mkdir(join(dataDir, "postgres"));
    await writeFile(join(dataDir, "postgres", "PG_VERSION"), "17\n");
    const { message } = await startPostgres(t, dataDir).catch((error) => error);
    assert.match(
      message,
      /was created by PostgreSQL 17, and this release .* includes PostgreSQL 18\./,
    );
    assert.match(
      message,
      /vedette backup [\s\S]*mv .*postgres .*postgres-17[\s\S]*vedette restore/,
    );
    assert.deepEqual(await readdir(join(dataDir, "postgres")), ["PG_VERSION"]);
  });

  it("serves a role that is not superuser, and only on its socket", async (t) => {
    const dataDir = join(await createFolder(t), "data");
    const { connection } = await startPostgres(t, dataDir);
    assert.deepEqual(
      await query(connection, "select rolsuper from pg_roles where rolname = user"),
      [false],
    );
    assert.deepEqual(await query(connection, "show listen_addresses"), [""]);
    assert.deepEqual(await query(connection, "show server_encoding"), ["UTF8"]);
    assert.deepEqual(await query(connection, "show data_checksums"), ["on"]);
    for (const folder of ["postgres", "socket"]) {
      assert.equal((await stat(join(dataDir, folder))).mode & 0o777, 0o700, folder);
    }
  });

  it("rejects a second server on the same folder while the first runs", {
    isLong: true,
  }, async (t) => {
    const dataDir = join(await createFolder(t), "data");
    const owner = spawnOwner(t, dataDir);
    const connection = await owner.started;
    await assert.rejects(startPostgres(t, dataDir), {
      message:
        `Another Vedette (process ${owner.pid}) already uses the data folder ${dataDir}.\n` +
        "Stop it first, or set DATA_DIR to another folder.",
    });
    assert.deepEqual(await query(connection, "select 1"), [1], "the first one still works");
    owner.process.stdin?.end();
    assert.equal(await owner.exited, 0);
    const second = await startPostgres(t, dataDir);
    await assert.rejects(startPostgres(t, dataDir), /already uses the data folder/);
    assert.deepEqual(await query(second.connection, "select 1"), [1]);
  });

  it("restarts with its rows after it was killed, and logs it", async (t) => {
    const postgres = await startPostgres(t, join(await createFolder(t), "data"));
    await query(postgres.connection, "create table kept (id int); insert into kept values (7)");
    const before = postgres.pid();
    process.kill(before, "SIGKILL");
    await waitUntil("it was restarted", () => postgres.restarts() === 1);
    assert.notEqual(postgres.pid(), before);
    assert.deepEqual(await query(postgres.connection, "select id from kept"), [7]);
    assert.match(postgres.logText(), /died; restarting it/);
  });

  it("is gone after a stop during its restart", {
    ...needsProc,
    isLong: true,
  }, async (t) => {
    const dataDir = join(await createFolder(t), "data");
    const postgres = await startPostgres(t, dataDir);
    process.kill(postgres.pid(), "SIGKILL");
    await waitUntil("the exit is noticed", () => postgres.logText().includes("restarting it"));
    await postgres.stop();
    assert.deepEqual(findProcesses(dataDir), []);
  });

  it("leaves no process, lock or socket behind after a stop", {
    ...needsProc,
    isLong: true,
  }, async (t) => {
    const dataDir = join(await createFolder(t), "data");
    const postgres = await startPostgres(t, dataDir);
    const pid = postgres.pid();
    assert.equal(findProcesses(`vedette-watcher ${pid}`).length, 1);
    await postgres.stop();
    assert.ok(isGone(pid));
    await waitUntil("no watcher", () => findProcesses(`vedette-watcher ${pid}`).length === 0);
    assert.deepEqual((await readdir(dataDir)).sort(), ["postgres", "socket"]);
    assert.deepEqual(await readdir(join(dataDir, "socket")), []);
  });

  it("never removes unknown files", { isLong: true }, async (t) => {
    const dataDir = join(await createFolder(t), "data");
    await mkdir(join(dataDir, "postgres", "base"), { recursive: true });
    await writeFile(join(dataDir, "postgres", "base", "precious"), "rows");
    await assert.rejects(startPostgres(t, dataDir), /contains files but no PG_VERSION/);
    assert.equal(await readFile(join(dataDir, "postgres", "base", "precious"), "utf8"), "rows");
    await rm(join(dataDir, "postgres", "base"), { recursive: true });
    const { connection } = await startPostgres(t, dataDir);
    assert.deepEqual(await query(connection, "select 1"), [1], "an empty folder is accepted");
  });

  it("works under a path too long for a socket, and removes its short folder", {
    isLong: true,
  }, async (t) => {
    const dataDir = join(await createFolder(t), "x".repeat(100), "data");
    const postgres = await startPostgres(t, dataDir);
    const { host } = postgres.connection;
    assert.ok(host.startsWith(tmpdir()) && host.length < 60, host);
    assert.equal((await stat(host)).mode & 0o777, 0o700);
    assert.deepEqual(await query(postgres.connection, "select 1"), [1]);
    await postgres.stop();
    assert.equal(existsSync(host), false);
  });
});
