/** Two servers on one database: what they share, and what only one of them may do. */
import assert from "node:assert/strict";
import { copyFile, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "./support/apps/app.ts";
import { type SecondApp, startSecondApp } from "./support/apps/second-app.ts";
import { waitUntil } from "./support/time/wait-until.ts";

let first: TestApp;
let second: SecondApp;
before(async () => {
  first = await startTestApp();
  second = await startSecondApp(first);
});
after(async () => {
  await second.stop();
  await first.stop();
});

async function countShards(): Promise<number[]> {
  const { rows } = await first.query(
    `select count(*)::int as count from schedule_leases
      where holder <> '' and expires_at > now() group by holder order by 1`,
  );
  return rows.map(({ count }) => count);
}

const arePairs = (counts: readonly number[], pair: readonly number[]) =>
  counts.length === pair.length && counts.every((count, index) => count === pair[index]);

test("the second server gets half of the shards, and the first has all when it stops", async () => {
  await waitUntil("each has half", async () => arePairs(await countShards(), [32, 32]));
  const third = await startSecondApp(first);
  await waitUntil("each has a third", async () => arePairs(await countShards(), [21, 21, 22]));
  await third.stop();
  await waitUntil("each has half again", async () => arePairs(await countShards(), [32, 32]));
});

test("a copy of a data folder is refused while the server that it was copied from runs", async () => {
  const copy = await mkdtemp(join(tmpdir(), "vedette-copied-"));
  await copyFile(join(second.dataDir, "server.id"), join(copy, "server.id"));
  await assert.rejects(
    startSecondApp(first, { DATA_DIR: copy }),
    /Another server with the same id is running on this database[\s\S]*server\.id/,
  );
  await waitUntil("the two go on", async () => arePairs(await countShards(), [32, 32]));
});
