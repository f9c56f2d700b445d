import assert from "node:assert/strict";
import { mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { openWorkspace, readProgress } from "./workspace.ts";

test("the progress of an installation stays current during a long phase", async (t) => {
  const runtimesFolder = mkdtempSync(join(tmpdir(), "vedette-workspace-"));
  t.after(() => rmSync(runtimesFolder, { recursive: true, force: true }));
  const { signal } = new AbortController();
  const options = { runtimesFolder, name: "runtime", signal, onWait: () => {}, repeatMs: 20 };
  const { folder, writeProgress, release } = await openWorkspace(options);
  const progress = { phase: "finishing", packagesDone: 2, packagesTotal: 2 } as const;
  await writeProgress(progress);
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(join(folder, "progress.json"), longAgo, longAgo);
  await waitUntil("the progress is current again", () => {
    return readProgress(runtimesFolder, "runtime") !== null;
  });
  assert.deepEqual(readProgress(runtimesFolder, "runtime"), progress);
  await release();
  assert.equal(readProgress(runtimesFolder, "runtime"), null);
});
