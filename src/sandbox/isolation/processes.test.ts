import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import {
  countThreadsOfUser,
  listDescendants,
  measureFolder,
  readChildrenCpuMs,
  readProcess,
  readShareOfMemory,
  removeFolder,
} from "./processes.ts";

const folder = mkdtempSync(join(tmpdir(), "vedette-processes-"));
after(() => removeFolder(folder));
const self = String(process.pid);
const none = "4194304";

let count = 0;
function newFolder(): string {
  count += 1;
  const path = join(folder, String(count));
  mkdirSync(path);
  return path;
}

test("memory and threads of a process are read, and of one that has ended there are none", () => {
  const { bytes, threads } = readProcess(self);
  assert.ok(bytes > 2 ** 20 && bytes < 2 ** 36, `${bytes} bytes`);
  assert.ok(threads >= 1);
  assert.deepEqual(readProcess(none), {
    ...{ id: none, bytes: 0, tableBytes: 0, threads: 0, descriptors: 0 },
  });
});

test("the share of memory is at most what the process has, and unknown of one that has ended", () => {
  const share = readShareOfMemory(self);
  if (share !== null) assert.ok(share > 0 && share < 2 ** 36, `${share} bytes`);
  assert.equal(readShareOfMemory(none), null);
});

test("a process is not below itself, and a user without processes has no threads", () => {
  assert.ok(!listDescendants().includes(self));
  assert.ok(readChildrenCpuMs() >= 0);
  assert.ok(countThreadsOfUser(process.getuid?.() ?? 0) >= readProcess(self).threads);
  assert.equal(countThreadsOfUser(4_000_000), 0);
});

test("the blocks of all files of a folder count, also those in hidden folders", () => {
  const path = newFolder();
  assert.equal(measureFolder(path), 0);
  writeFileSync(join(path, "a"), Buffer.alloc(100_000, 1));
  const one = measureFolder(path);
  assert.ok(one >= 100_000 && one < 200_000, `${one} bytes`);
  mkdirSync(join(path, ".hidden", "deep"), { recursive: true });
  writeFileSync(join(path, ".hidden", "deep", "b"), Buffer.alloc(100_000, 1));
  assert.ok(measureFolder(path) >= 2 * one);
});

test("links are not followed, so that files of others do not count", () => {
  const path = newFolder();
  symlinkSync("/usr", join(path, "usr"));
  symlinkSync(".", join(path, "loop"));
  symlinkSync("/nowhere", join(path, "gone"));
  assert.ok(measureFolder(path) < 100_000);
});

test("what cannot be listed uses more than any limit, and a folder that is gone nothing", () => {
  const path = newFolder();
  assert.equal(measureFolder(join(path, "gone")), 0);
  // What is not a folder hides its files.
  writeFileSync(join(path, "file"), "");
  assert.equal(measureFolder(join(path, "file")), Number.POSITIVE_INFINITY);
});

test("a folder is removed even if its files may not be", () => {
  const path = newFolder();
  mkdirSync(join(path, "inner"));
  writeFileSync(join(path, "inner", "file"), "x");
  symlinkSync("/usr", join(path, "inner", "usr"));
  chmodSync(join(path, "inner"), 0o500);
  chmodSync(path, 0o500);
  removeFolder(path);
  assert.equal(existsSync(path), false);
  assert.ok(existsSync("/usr"));
  removeFolder(path);
});
