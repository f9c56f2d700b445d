import assert from "node:assert/strict";
import { chmod, lstat, mkdir, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { createFolder } from "../../../test/support/database/embedded-postgres.ts";
import { copyBinaries, prepareBinaries } from "./supervisor.ts";

/** Programs as installed by `npm ci` under umask 077. */
async function createPrivatePrograms(t: TestContext, version: string) {
  const root = await createFolder(t);
  await mkdir(join(root, "bin"), { mode: 0o700 });
  await writeFile(join(root, "bin", "postgres"), version, { mode: 0o700 });
  await writeFile(join(root, "library.so.1"), "", { mode: 0o600 });
  await symlink("library.so.1", join(root, "library.so"));
  await chmod(root, 0o700);
  return { version, root, initdb: "", postgres: join(root, "bin", "postgres") };
}

async function readMode(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}

describe("the programs of PostgreSQL", () => {
  it("are in node_modules for this platform, with all libraries linked", async () => {
    const { initdb, postgres, version } = await prepareBinaries();
    assert.ok((await readMode(initdb)) & 0o100);
    assert.ok((await readMode(postgres)) & 0o100);
    assert.match(version, /^\d+\.\d+/);
  });

  it("are copied so that another user can run them", async (t) => {
    const dataDir = await createFolder(t);
    const { root, postgres } = await copyBinaries(await createPrivatePrograms(t, "18.4"), dataDir);
    assert.equal(await readMode(root), 0o755);
    assert.equal(await readMode(join(root, "bin")), 0o755);
    assert.equal(await readMode(postgres), 0o755);
    assert.equal(await readMode(join(root, "library.so.1")), 0o644);
    assert.ok((await lstat(join(root, "library.so"))).isSymbolicLink());
  });

  it("are copied once per version, and the copy of an older version is removed", async (t) => {
    const dataDir = await createFolder(t);
    const old = await createPrivatePrograms(t, "18.4");
    const first = await copyBinaries(old, dataDir);
    const { birthtimeMs } = await stat(first.postgres);
    await copyBinaries(old, dataDir);
    assert.equal((await stat(first.postgres)).birthtimeMs, birthtimeMs);
    await copyBinaries(await createPrivatePrograms(t, "18.5"), dataDir);
    assert.deepEqual(await readdir(dataDir), ["postgres-programs-18.5"]);
  });

  it("are copied again if the copy was interrupted", async (t) => {
    const dataDir = await createFolder(t);
    await mkdir(join(dataDir, "postgres-programs-18.4.unfinished", "bin"), { recursive: true });
    await copyBinaries(await createPrivatePrograms(t, "18.4"), dataDir);
    assert.deepEqual(await readdir(dataDir), ["postgres-programs-18.4"]);
  });
});
