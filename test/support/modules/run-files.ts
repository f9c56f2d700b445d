import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Registry } from "prom-client";
import type { RunAsset } from "../../../src/contract/run-asset.ts";
import { type Clock, FollowingClock } from "../../../src/platform/clock.ts";
import { runSql } from "../../../src/platform/database.ts";
import { openDatabase } from "../../../src/platform/database-pool.ts";
import { AssetKeeper, createAssetMetrics, FolderPlace } from "../../../src/runs/assets/index.ts";
import { captureLog } from "../apps/log.ts";
import type { ServedApp } from "../apps/served-app.ts";

/** PNG image of one pixel. An image of one uniform pixel can be displayed at any size. */
const onePixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

export const screenshot = (name = "shot.png", content: Uint8Array = onePixel): RunAsset => ({
  ...{ type: "screenshot", name, contentType: "image/png", content },
});
export const trace = (content: Uint8Array = Buffer.from("PK\u0003\u0004 trace")): RunAsset => ({
  ...{ type: "trace", name: "trace.zip", contentType: "application/zip", content },
});

/** Stores the files of a run like the app's built-in probe, and returns the id of the run. */
export async function saveFiles(
  app: ServedApp & { readonly clock?: Clock },
  checkId: string,
  assets: readonly RunAsset[] = [screenshot("cart.png"), trace()],
  runId: string = randomUUID(),
): Promise<string> {
  const { log } = captureLog();
  const { db, close } = openDatabase({ connectionString: app.databaseUrl }, log);
  const find = 'select account_id as "accountId" from checks where id = $1';
  const [{ accountId } = { accountId: "" }] = await runSql<{ accountId: string }>(db, find, [
    checkId,
  ]);
  const keeper = new AssetKeeper({
    ...{ db, log, clock: app.clock ?? new FollowingClock(), shared: null, quotaBytes: 2 ** 30 },
    ...{ retentionDays: 30, resultRetentionDays: 30 },
    serverId: await readFile(join(app.dataDir, "server.id"), "utf8"),
    folder: new FolderPlace(join(app.dataDir, "assets")),
    metrics: createAssetMetrics(new Registry()),
  });
  try {
    await keeper.save({ accountId, checkId, runId }, assets);
  } finally {
    await close();
  }
  return runId;
}

/** Records that files of a run have been deleted. */
export async function addLosses(app: ServedApp, checkId: string, runId: string): Promise<void> {
  const { db, close } = openDatabase({ connectionString: app.databaseUrl }, captureLog().log);
  await runSql(
    db,
    `insert into lost_assets (account_id, run_id, reason, file_count, created_at)
      select account_id, $2, reason, file_count, now() from checks,
        (values ('quota', 3), ('expired', 1)) as lost (reason, file_count) where id = $1`,
    [checkId, runId],
  );
  await close();
}
