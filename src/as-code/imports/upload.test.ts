import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { test } from "node:test";
import { KnownError } from "../../platform/errors.ts";
import { withUploadedFiles } from "./upload.ts";

async function* stream(text: string) {
  yield Buffer.from(text);
}

test("names from outside are never paths, and the files disappear after the work", async () => {
  const names = ["../../../etc/cron.d/x", "/etc/passwd", "a\0b", "C:\\..\\x", "file-0"];
  const body = stream(
    JSON.stringify({ files: names.map((name) => ({ name, content: `content of ${name}` })) }),
  );
  const upload = { body, isBundle: true, fileName: "../files", declaredBytes: null };
  const folder = await withUploadedFiles(upload, async (files) => {
    assert.deepEqual(
      files.map(({ name, path }) => [name, basename(path), readFileSync(path, "utf8")]),
      names.map((name, index) => [name, `file-${index}`, `content of ${name}`]),
    );
    const folders = new Set(files.map(({ path }) => dirname(path)));
    assert.equal(folders.size, 1);
    return [...folders].join();
  });
  assert.equal(existsSync(folder), false);
});

test("a body that is longer than its limit is rejected, declared or not, before any work", async () => {
  const fail = () => assert.fail("the work must not run");
  async function* endless() {
    for (;;) yield Buffer.alloc(1_048_576, " ");
  }
  const upload = { body: endless(), fileName: "x" };
  for (const isBundle of [true, false]) {
    const declared = { ...upload, isBundle, declaredBytes: 1e9 };
    const rule = isBundle ? /larger than 32 MiB together/ : /larger than 512 MiB.*command line/;
    await assert.rejects(withUploadedFiles(declared, fail), rule);
  }
  const undeclared = { ...upload, isBundle: true, declaredBytes: null };
  await assert.rejects(withUploadedFiles(undeclared, fail), /larger than 32 MiB together/);
});

test("a full or read-only disk is reported as such, and is no bug of the server", async () => {
  const work = () => assert.fail("the work must not run");
  for (const [code, text] of [
    ["ENOSPC", "is full"],
    ["EROFS", "is mounted read-only"],
  ]) {
    async function* body(): AsyncGenerator<Buffer> {
      yield Buffer.from("half");
      throw Object.assign(new Error(`${code}: write`), { code });
    }
    const upload = { body: body(), isBundle: false, fileName: "x", declaredBytes: null };
    await assert.rejects(withUploadedFiles(upload, work), (error) => {
      assert.ok(error instanceof KnownError && error.errorName === "unavailable");
      assert.match(
        error.message,
        new RegExp(`^The upload cannot be stored: The disk of .* ${text}`),
      );
      return true;
    });
  }
});
