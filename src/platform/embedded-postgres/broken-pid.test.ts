import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  createFolder,
  query,
  startPostgres,
} from "../../../test/support/database/embedded-postgres.ts";
import { test } from "../../../test/support/long-run.ts";

test("a postmaster.pid left empty or broken by a power failure does not prevent a start", async (t) => {
  const folder = await createFolder(t);
  const first = await startPostgres(t, folder);
  await first.stop();
  for (const content of ["", "\0\0\0\0\0\0\0\0", "not a number\n"]) {
    await writeFile(join(folder, "postgres", "postmaster.pid"), content);
    const again = await startPostgres(t, folder);
    assert.deepEqual(await query(again.connection, "select 1"), [1]);
    assert.match(again.logText(), /removed a stale postmaster\.pid/);
    await again.stop();
  }
});

test("nor does one whose pid was reused by another process, as in a restarted container", {
  isLong: true,
}, async (t) => {
  const folder = await createFolder(t);
  const path = join(folder, "postgres", "postmaster.pid");
  const first = await startPostgres(t, folder);
  const written = await readFile(path, "utf8");
  await first.stop();
  const stranger = spawn("sh", ["-c", "read -r _"], { stdio: ["pipe", "ignore", "inherit"] });
  t.after(() => stranger.stdin.end());
  await writeFile(path, written.replace(/^\d+/, String(stranger.pid)));
  const again = await startPostgres(t, folder);
  assert.deepEqual(await query(again.connection, "select 1"), [1]);
  assert.equal(stranger.exitCode, null, "no other process is ended");
});
