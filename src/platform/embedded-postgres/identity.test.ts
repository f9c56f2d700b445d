/** The user that the embedded PostgreSQL runs as, on a real system. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, chown, mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, type TestContext } from "node:test";
import {
  createFolder,
  ownerScript,
  query,
  spawnOwner,
  startPostgres,
} from "../../../test/support/database/embedded-postgres.ts";
import { it } from "../../../test/support/long-run.ts";
import { readIdentity } from "../../../test/support/programs/processes.ts";
import { findLack } from "../../../test/support/programs/programs.ts";

const isRoot = process.platform === "linux" && process.getuid?.() === 0;
const needsRoot = { skip: isRoot ? false : "needs root on Linux" };
const dedicatedUid = 54_329;
const nobodyUid = 65_534;
const asNobody = ["setpriv", `--reuid=${nobodyUid}`, `--regid=${nobodyUid}`, "--clear-groups"];

function canUnshare(): boolean {
  const list = ["-U", "--map-user=65534", "true"];
  return findLack("unshare") === false && spawnSync("unshare", list).status === 0;
}

/** Reported loudly, because a skipped test is untested on this machine. */
function skipLoudly(t: TestContext, reason: string): void {
  t.diagnostic(`SKIPPED: ${reason}`);
  t.skip(reason);
}

/** A folder that other users can traverse. */
async function createReachableFolder(t: TestContext): Promise<string> {
  const folder = await createFolder(t);
  await chmod(folder, 0o711);
  return folder;
}

describe("as root, the embedded PostgreSQL", needsRoot, () => {
  it("runs as a dedicated user if other users can reach the data", async (t) => {
    const dataDir = join(await createReachableFolder(t), "data");
    const postgres = await startPostgres(t, dataDir);
    assert.deepEqual(readIdentity(postgres.pid()), { uid: dedicatedUid, gid: dedicatedUid });
    for (const folder of ["postgres", "postgres/base", "socket"]) {
      assert.equal((await stat(join(dataDir, folder))).uid, dedicatedUid, folder);
    }
    assert.deepEqual(await query(postgres.connection, "select 1"), [1]);
  });

  it("runs in a user namespace if no other user can reach the data", {
    isLong: true,
  }, async (t) => {
    if (!canUnshare()) return skipLoudly(t, "this machine has no user namespaces");
    const folder = await createFolder(t);
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    const dataDir = join(folder, "data");
    const postgres = await startPostgres(t, dataDir);
    assert.equal((await stat(join(dataDir, "postgres"))).uid, 0, "the files still belong to root");
    assert.deepEqual(await query(postgres.connection, "select 1"), [1]);
  });

  it("switches between both and keeps its rows", { isLong: true }, async (t) => {
    if (!canUnshare()) return skipLoudly(t, "this machine has no user namespaces");
    const folder = await createFolder(t);
    const dataDir = join(folder, "data");
    const owners: number[] = [];
    for (const [start, mode] of [0o700, 0o711, 0o700].entries()) {
      await chmod(folder, mode);
      const postgres = await startPostgres(t, dataDir);
      owners.push((await stat(join(dataDir, "postgres", "base"))).uid);
      await query(postgres.connection, "create table if not exists kept (id int)");
      assert.deepEqual(await query(postgres.connection, "select count(*)::int from kept"), [start]);
      await query(postgres.connection, `insert into kept values (${start})`);
      await postgres.stop();
    }
    assert.deepEqual(owners, [0, dedicatedUid, 0]);
  });
});

/** Returns why `nobody` cannot run the checkout, or null. */
function findHindrance(): string | null {
  const lack = findLack("setpriv");
  if (lack !== false) return lack;
  const [file = "", ...list] = asNobody;
  const script = ownerScript;
  const look = "process.exit(require('fs').readFileSync(process.argv[1]).length > 0 ? 0 : 1)";
  const answer = spawnSync(file, [...list, process.execPath, "-e", look, script], { cwd: "/" });
  return answer.status === 0
    ? null
    : `nobody cannot run ${script}: ${answer.stderr ?? answer.error}`;
}

describe("as an ordinary user, the embedded PostgreSQL", needsRoot, () => {
  it("runs as that user, and keeps its rows for the next start", { isLong: true }, async (t) => {
    const hindrance = findHindrance();
    if (hindrance !== null) return skipLoudly(t, hindrance);
    const folder = await createReachableFolder(t);
    const dataDir = join(folder, "data");
    await mkdir(dataDir);
    await chown(dataDir, nobodyUid, nobodyUid);
    for (const start of [0, 1]) {
      const owner = spawnOwner(t, dataDir, asNobody);
      const connection = await owner.started;
      assert.deepEqual(readIdentity(connection.pid), { uid: nobodyUid, gid: nobodyUid });
      await query(connection, "create table if not exists kept (id int)");
      assert.deepEqual(await query(connection, "select count(*)::int from kept"), [start]);
      await query(connection, "insert into kept values (1)");
      owner.process.stdin?.end();
      assert.equal(await owner.exited, 0);
    }
  });

  it("reports what to do if the data folder belongs to another user", {
    isLong: true,
  }, async (t) => {
    const hindrance = findHindrance();
    if (hindrance !== null) return skipLoudly(t, hindrance);
    const folder = await createReachableFolder(t);
    const dataDir = join(folder, "data");
    await mkdir(dataDir);
    await assert.rejects(spawnOwner(t, dataDir, asNobody).started, (error: Error) => {
      assert.match(error.message, /cannot be written to by user 65534/);
      assert.ok(error.message.includes(`chown -R 65534 ${dataDir}`));
      return true;
    });
    const first = await startPostgres(t, dataDir);
    await first.stop();
    await chown(dataDir, nobodyUid, nobodyUid);
    await assert.rejects(spawnOwner(t, dataDir, asNobody).started, (error: Error) => {
      assert.match(error.message, /belongs to user 54329, and this is user 65534/);
      return true;
    });
  });
});
