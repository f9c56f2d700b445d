import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { withFiles } from "../../test/support/imports/golden.ts";
import { kumaTables, writeKumaDatabase } from "../../test/support/imports/kuma-database.ts";
import { withImportFiles } from "./import-command.ts";

const beat = (important: number) => ({
  ...{ monitor_id: 3, status: 1, time: "2026-11-01 00:00:00", important },
  msg: "x".repeat(1_000),
});
const tables = { ...kumaTables, heartbeat: [...Array(2_000).fill(beat(0)), beat(1)] };

const countBeats = (path: string) => {
  const db = new DatabaseSync(path, { readOnly: true });
  const { count } = db.prepare("select count(*) as count from heartbeat").get() as {
    count: number;
  };
  db.close();
  return count;
};

test("a database that is larger than an upload is sent without single heartbeats", async () => {
  await withFiles({}, async (_, folder) => {
    const path = join(folder, "kuma.db");
    writeKumaDatabase(path, 2, tables);
    await withImportFiles(
      [path],
      async ([file]) => {
        assert.ok(file);
        assert.ok(statSync(file.path).size < statSync(path).size / 5);
        assert.equal(countBeats(file.path), 1);
      },
      100_000,
    );
    await withImportFiles([path], async ([file]) => assert.equal(file?.path, path));
    assert.equal(countBeats(path), 2_001);
  });
});

test("the heartbeats of version 1 are its history and stay", async () => {
  await withFiles({}, async (_, folder) => {
    const path = join(folder, "kuma.db");
    writeKumaDatabase(path, 1, tables);
    const read = async ([file]: readonly { readonly path: string }[]) =>
      assert.equal(countBeats(file?.path ?? ""), 2_001);
    await withImportFiles([path], read, 100_000);
  });
});
