import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createFolder } from "../../test/support/database/embedded-postgres.ts";

const script = `
  const { keepTemporaryFiles } = await import(${JSON.stringify(join(import.meta.dirname, "process-tuning.ts"))});
  keepTemporaryFiles(process.argv[1]);
  process.stdout.write((await import("node:os")).tmpdir());
`;

test("temporary files are in the data folder unless TMPDIR is set or scripts cannot enter", async (t) => {
  const folder = await createFolder(t);
  const find = (TMPDIR?: string) =>
    execFileSync(process.execPath, ["--input-type=module", "-e", script, folder], {
      encoding: "utf8",
      env: { PATH: process.env.PATH, ...(TMPDIR !== undefined && { TMPDIR }) },
    });
  const isRoot = process.getuid?.() === 0;
  // The folder of the test is private. Root needs a folder that the users of scripts can enter.
  assert.equal(find(), isRoot ? "/tmp" : join(folder, "tmp"));
  await chmod(folder, 0o711);
  assert.equal(find(), join(folder, "tmp"));
  assert.equal(find("/var/tmp"), "/var/tmp");
});
