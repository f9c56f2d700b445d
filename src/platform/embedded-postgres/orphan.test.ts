/** What remains of the embedded PostgreSQL when its owner process is killed. */
import assert from "node:assert/strict";
import { existsSync, globSync } from "node:fs";
import { readdir } from "node:fs/promises";
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

const skip = process.platform === "linux" ? false : "needs /proc";

/** Whether the first start has created the file, in its final or temporary place. */
function hasMade(dataDir: string, file: string): boolean {
  const clusters = globSync("postgres*", { cwd: dataDir });
  if (clusters.includes("postgres") && file !== "postmaster.pid") return true;
  return clusters.some((cluster) => existsSync(join(dataDir, cluster, file)));
}

describe("when the owner of the embedded PostgreSQL is killed", { skip }, () => {
  it("its watcher stops PostgreSQL, and the next start finds the rows", async (t) => {
    const dataDir = join(await createFolder(t), "data");
    const owner = spawnOwner(t, dataDir);
    const connection = await owner.started;
    await query(connection, "create table kept (id int); insert into kept values (7)");
    process.kill(owner.pid, "SIGKILL");
    await waitUntil("PostgreSQL is gone", () => isGone(connection.pid));
    const next = await startPostgres(t, dataDir);
    assert.deepEqual(await query(next.connection, "select id from kept"), [7]);
  });

  it("and its watcher too, the next start stops the orphan and finds the rows", {
    isLong: true,
  }, async (t) => {
    const dataDir = join(await createFolder(t), "data");
    const owner = spawnOwner(t, dataDir);
    const connection = await owner.started;
    await query(connection, "create table kept (id int); insert into kept values (7)");
    const [watcher] = findProcesses(`vedette-watcher ${connection.pid}`);
    assert.ok(watcher, "there is a watcher");
    process.kill(watcher.pid, "SIGKILL");
    process.kill(owner.pid, "SIGKILL");
    await owner.exited;
    assert.deepEqual(await query(connection, "select 1"), [1], "the orphan lives");
    const next = await startPostgres(t, dataDir);
    assert.ok(isGone(connection.pid));
    assert.notEqual(next.pid(), connection.pid);
    assert.deepEqual(await query(next.connection, "select id from kept"), [7]);
  });

  it("at any time during the first start, the next start works", { isLong: true }, async (t) => {
    const stages = ["", "PG_VERSION", "global/pg_control", "base/5", "postmaster.pid"];
    for (const file of stages) {
      const dataDir = join(await createFolder(t), "data");
      const owner = spawnOwner(t, dataDir);
      await waitUntil(`it made ${file}`, () => hasMade(dataDir, file));
      process.kill(owner.pid, "SIGKILL");
      await owner.exited;
      const next = await startPostgres(t, dataDir);
      assert.deepEqual(await query(next.connection, "select 1"), [1]);
      await next.stop();
      const left = (await readdir(dataDir)).filter((name) => name.includes("init"));
      assert.deepEqual(left, [], "nothing incomplete remains");
    }
  });
});
