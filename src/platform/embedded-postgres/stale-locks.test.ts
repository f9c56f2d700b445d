import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import {
  createFolder,
  query,
  startPostgres,
} from "../../../test/support/database/embedded-postgres.ts";

/** Files with the pid of a running PostgreSQL. It does not start if they name another process. */
const listLocks = (folder: string) => [
  join(folder, "postgres", "postmaster.pid"),
  join(folder, "socket", ".s.PGSQL.5432.lock"),
];

test("locks left empty or broken by a power failure do not prevent a start", async (t) => {
  const folder = await createFolder(t);
  const first = await startPostgres(t, folder);
  await first.stop();
  for (const content of ["", "\0\0\0\0\0\0\0\0", "not a number\n"]) {
    for (const path of listLocks(folder)) await writeFile(path, content);
    const again = await startPostgres(t, folder);
    assert.deepEqual(await query(again.connection, "select 1"), [1]);
    for (const path of listLocks(folder)) {
      assert.ok(again.logText().includes(`"path":"${path}"`), `${path} is removed`);
    }
    await again.stop();
  }
});

test("nor do locks whose pid was reused by another process, as in a restarted container", async (t) => {
  const folder = await createFolder(t);
  const first = await startPostgres(t, folder);
  const written = await Promise.all(listLocks(folder).map((path) => readFile(path, "utf8")));
  await first.stop();
  const stranger = spawn("sh", ["-c", "read -r _"], { stdio: ["pipe", "ignore", "inherit"] });
  t.after(() => stranger.stdin.end());
  for (const [index, path] of listLocks(folder).entries()) {
    await writeFile(path, written[index]?.replace(/^\d+/, String(stranger.pid)) ?? "");
  }
  const again = await startPostgres(t, folder);
  assert.deepEqual(await query(again.connection, "select 1"), [1]);
  assert.equal(stranger.exitCode, null, "no other process is ended");
});
