/** Commands for a running server: their errors if no server has stored anything. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { runVedette } from "./support/apps/vedette-process.ts";

describe("a command for a running server", () => {
  it("names the missing setting if no server has stored anything", async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "vedette-empty-"));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const dataDir = join(folder, "data");
    for (const command of ["sign-in-link", "nats-users"]) {
      const { code, output, errors } = await runVedette(t, [command], { DATA_DIR: dataDir });
      assert.equal(code, 1);
      assert.equal(output, "");
      assert.ok(errors.startsWith(`No server has stored anything in ${dataDir}. Set DATA_DIR`));
      assert.match(errors, /^ {2}DATA_DIR=\/var\/lib\/vedette npm run vedette sign-in-link$/m);
    }
    // Nothing was created, which the next attempt would mistake for a server's data.
    assert.deepEqual(await readdir(folder), []);
  });

  it("reports that DATABASE_URL is missing or unusable", async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), "vedette-elsewhere-"));
    t.after(() => rm(dataDir, { recursive: true, force: true }));
    await writeFile(join(dataDir, "server.id"), "01890000-0000-7000-8000-000000000000");
    const missing = await runVedette(t, ["sign-in-link"], { DATA_DIR: dataDir });
    assert.match(missing.errors, /does not use the embedded database. Set DATABASE_URL/);
    const settings = { DATA_DIR: dataDir, DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" };
    const wrong = await runVedette(t, ["sign-in-link"], settings);
    assert.match(wrong.errors, /^The database of DATABASE_URL cannot be used: .*ECONNREFUSED/);
    assert.deepEqual([missing.code, wrong.code], [1, 1]);
  });
});
