import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { createFolder } from "../../test/support/database/embedded-postgres.ts";
import { findScratchFolder, openDataFolder } from "./data-folder.ts";

const needsProc = { skip: process.platform === "linux" ? false : "needs /proc" };
const lockModule = join(import.meta.dirname, "data-folder.ts");

/** Acquires the lock in a separate process, reports it, and holds it until its input ends. */
const holdingScript = `
  const { openDataFolder } = await import(${JSON.stringify(lockModule)});
  try {
    await openDataFolder(process.argv[1]);
    process.stdout.write("held");
    process.stdin.resume();
  } catch (error) {
    process.stdout.write(error.message);
  }
`;

function spawnHolder(t: TestContext, folder: string): ChildProcess {
  const child = spawn(process.execPath, ["--input-type=module", "-e", holdingScript, folder], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  t.after(async () => {
    child.stdin?.end();
    await exited;
  });
  return child;
}

async function readAnswer(child: ChildProcess): Promise<string> {
  const [chunk] = await once(child.stdout ?? child, "data");
  return String(chunk);
}

async function startHolder(t: TestContext, folder: string): Promise<ChildProcess> {
  const child = spawnHolder(t, folder);
  assert.equal(await readAnswer(child), "held");
  return child;
}

function readLock(folder: string): Promise<{ pid: number; startedAt: string }> {
  return readFile(join(folder, "server.pid"), "utf8").then((text) => JSON.parse(text));
}

describe("the lock on the data folder", () => {
  it("names its holder, and is removed on release", async (t) => {
    const folder = await createFolder(t);
    const lock = await openDataFolder(folder);
    assert.equal((await readLock(folder)).pid, process.pid);
    assert.deepEqual(await readdir(folder), ["server.pid"]);
    await lock.release();
    assert.deepEqual(await readdir(folder), []);
    await (await openDataFolder(folder)).release();
  });

  it("is refused to a second process, with the holder and what to do", async (t) => {
    const folder = await createFolder(t);
    const { pid } = await startHolder(t, folder);
    await assert.rejects(openDataFolder(folder), {
      message:
        `Another Vedette (process ${pid}) already uses the data folder ${folder}.\n` +
        "Stop it first, or set DATA_DIR to another folder.",
    });
    assert.equal((await readLock(folder)).pid, pid, "the first one still holds it");
    assert.deepEqual(await readdir(folder), ["server.pid"]);
  });

  it(
    "is refused if the holder's pid is meaningless, as from another container",
    needsProc,
    async (t) => {
      const folder = await createFolder(t);
      await startHolder(t, folder);
      for (const holder of [{ pid: process.pid, startedAt: "12" }, { pid: 999_999_999 }, {}]) {
        await writeFile(join(folder, "server.pid"), JSON.stringify(holder));
        await assert.rejects(openDataFolder(folder), /already uses the data folder/);
      }
    },
  );

  it("is refused to a second user within the same process", async (t) => {
    const folder = await createFolder(t);
    const lock = await openDataFolder(folder);
    await assert.rejects(openDataFolder(folder), new RegExp(`\\(process ${process.pid}\\)`));
    await lock.release();
    await (await openDataFolder(folder)).release();
  });

  it("is taken over from a process that was killed", async (t) => {
    const folder = await createFolder(t);
    const holder = await startHolder(t, folder);
    holder.kill("SIGKILL");
    await once(holder, "exit");
    assert.equal(
      (await readLock(folder)).pid,
      holder.pid,
      "the dead process's lock file still exists",
    );
    const lock = await openDataFolder(folder);
    assert.equal((await readLock(folder)).pid, process.pid);
    assert.deepEqual(await readdir(folder), ["server.pid"]);
    await lock.release();
  });

  it("is taken over if its pid was reused by another process", needsProc, async (t) => {
    const folder = await createFolder(t);
    const other = await startHolder(t, await createFolder(t));
    for (const pid of [other.pid, process.pid, 1]) {
      await writeFile(join(folder, "server.pid"), JSON.stringify({ pid, startedAt: "earlier" }));
      const lock = await openDataFolder(folder);
      assert.equal((await readLock(folder)).pid, process.pid);
      await lock.release();
    }
  });

  it("is taken over if a crash left it empty or truncated", async (t) => {
    const folder = await createFolder(t);
    for (const text of ["", '{"pid":', "null", "7", "{}", '{"pid":"x"}']) {
      await writeFile(join(folder, "server.pid"), text);
      await (await openDataFolder(folder)).release();
    }
  });

  it(
    "is taken over from a dead process by exactly one of several processes",
    needsProc,
    async (t) => {
      const folder = await createFolder(t);
      await writeFile(join(folder, "server.pid"), JSON.stringify({ pid: 1, startedAt: "earlier" }));
      const holders = [1, 2, 3, 4].map(() => spawnHolder(t, folder));
      const answers = await Promise.all(holders.map(readAnswer));
      assert.equal(answers.filter((answer) => answer === "held").length, 1, answers.join("\n"));
      const winner = holders[answers.indexOf("held")];
      assert.equal((await readLock(folder)).pid, winner?.pid);
    },
  );
});

describe("temporary files in the data folder", () => {
  it("of an earlier process are removed at the start, but not while their server runs", async (t) => {
    const folder = await createFolder(t);
    await startHolder(t, folder);
    const upload = join(findScratchFolder(folder), "vedette-import-abc");
    await mkdir(upload, { recursive: true });
    await writeFile(join(upload, "file-0"), "rest");
    await assert.rejects(openDataFolder(folder), /already uses the data folder/);
    assert.deepEqual(await readdir(upload), ["file-0"]);
    const other = await createFolder(t);
    await cp(findScratchFolder(folder), findScratchFolder(other), { recursive: true });
    await (await openDataFolder(other)).release();
    assert.deepEqual(await readdir(findScratchFolder(other)), []);
  });
});
