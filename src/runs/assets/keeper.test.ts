import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { globSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, stat, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { after, before, beforeEach, test } from "node:test";
import { Registry } from "prom-client";
import { captureLog } from "../../../test/support/apps/log.ts";
import { createRunsFixture, type RunsFixture } from "../../../test/support/modules/runs.ts";
import { maxRunAssetBytes, type RunAsset } from "../../contract/run-asset.ts";
import type { Database } from "../../platform/database.ts";
import { AssetKeeper, type AssetKeeperOptions, createAssetMetrics } from "./keeper.ts";
import { type AssetPlace, FolderPlace } from "./places.ts";
import { listLosses, listRunAssets } from "./store.ts";

let fixture: RunsFixture;
let root: string;
before(async () => {
  fixture = await createRunsFixture();
});
after(() => fixture.stop());
beforeEach(async (t) => {
  root = await mkdtemp(join(tmpdir(), "vedette-assets-"));
  await fixture.query("delete from run_assets");
  await fixture.query("delete from asset_removals");
  if ("after" in t) t.after(() => rm(root, { recursive: true, force: true }));
});

const serverId = randomUUID();
const png = Buffer.from("89504e470d0a1a0a00", "hex");
const picture = (name = "shot.png", content: Uint8Array = png): RunAsset => ({
  ...{ type: "screenshot", name, content },
  contentType: "text/html",
});

function createKeeper(options: Partial<AssetKeeperOptions> = {}): AssetKeeper {
  const { context, clock } = fixture;
  return new AssetKeeper({
    ...{ db: context.db, clock, log: captureLog().log, serverId, shared: null },
    ...{ quotaBytes: 50 * 2 ** 20, retentionDays: 30, resultRetentionDays: 30 },
    folder: new FolderPlace(root),
    metrics: createAssetMetrics(new Registry()),
    ...options,
  });
}

async function makeRun() {
  const { checkId } = await fixture.addCheck();
  return { accountId: fixture.accountId, checkId, runId: randomUUID() };
}
const listFiles = () => globSync("**/*.*", { cwd: root }).filter((path) => path.includes("/"));
const list = ({ runId }: { readonly runId: string }) =>
  listRunAssets(fixture.context.db, fixture.accountId, { runId, checkId: null });
const lossesOf = (runId: string) => listLosses(fixture.context.db, fixture.accountId, runId);
const countRemovals = async () => (await fixture.query("select 1 from asset_removals")).length;

test("a file is stored for this user only, under a safe name and with its real type", async () => {
  const keeper = createKeeper();
  const run = await makeRun();
  await keeper.save(run, [picture("../../etc/pass wd.png"), picture("a.html", Buffer.from("<p>"))]);
  const [first, second] = await list(run);
  assert.ok(first !== undefined && second !== undefined);
  assert.deepEqual([first.name, first.contentType], ["pass-wd.png", "image/png"]);
  assert.deepEqual([second.name, second.contentType], ["a.html", "application/octet-stream"]);
  const folder = `${run.accountId}/${run.checkId}/${run.runId}`;
  assert.equal(first.path, `${folder}/${first.id}-pass-wd.png`);
  const { mode } = await stat(join(root, first.path));
  assert.equal(mode & 0o777, 0o600);
  assert.equal((await stat(join(root, folder))).mode & 0o777, 0o700);
  const read = await keeper.read(first, { start: 1, end: 3 });
  assert.ok(read !== null);
  assert.equal(String(await buffer(read)), "PNG");
});

test("a run has at most 50 files and 20 MB, and its second report replaces the first", async () => {
  const keeper = createKeeper();
  const run = await makeRun();
  const large = picture("large.png", Buffer.alloc(maxRunAssetBytes));
  await keeper.save(run, [picture(), large, picture("last.png")]);
  assert.deepEqual(
    (await list(run)).map(({ name }) => name),
    ["shot.png", "last.png"],
  );
  await keeper.save(
    run,
    Array.from({ length: 60 }, () => picture()),
  );
  assert.equal((await list(run)).length, 50);
  await keeper.clean();
  assert.equal(listFiles().length, 50);
  assert.equal(await countRemovals(), 0);
});

test("beyond the quota the oldest runs lose all of their files", async () => {
  const keeper = createKeeper({ quotaBytes: 100 });
  const runs = [await makeRun(), await makeRun(), await makeRun()];
  for (const run of runs) {
    fixture.clock.advance(1_000);
    await keeper.save(run, [
      picture("a.png", Buffer.alloc(20)),
      picture("b.png", Buffer.alloc(20)),
    ]);
  }
  const counts = await Promise.all(runs.map(async (run) => (await list(run)).length));
  assert.deepEqual(counts, [0, 2, 2]);
  await keeper.clean();
  assert.equal(listFiles().length, 4);
  const [oldest = "", newest = ""] = [runs[0]?.runId, runs[2]?.runId];
  assert.deepEqual(await lossesOf(oldest), [{ reason: "quota", fileCount: 2 }]);
  assert.deepEqual(await lossesOf(newest), []);
});

test("files expire, and disappear with their check", async () => {
  const keeper = createKeeper({ retentionDays: 2 });
  const [old, deleted] = [await makeRun(), await makeRun()];
  await keeper.save(old, [picture()]);
  fixture.clock.advance(2 * 86_400_000 + 1);
  await keeper.save(deleted, [picture()]);
  await keeper.clean();
  assert.deepEqual([(await list(old)).length, (await list(deleted)).length], [0, 1]);
  assert.equal(listFiles().length, 1);
  assert.deepEqual(await lossesOf(old.runId), [{ reason: "expired", fileCount: 1 }]);
  await fixture.deleteCheck(deleted.checkId);
  assert.equal((await list(deleted)).length, 0);
  await keeper.clean();
  assert.deepEqual(globSync("*", { cwd: root }), [], "empty folders are removed too");
});

test("a run of unsaved settings has files, but not under a check", async () => {
  const keeper = createKeeper();
  const run = { ...(await makeRun()), checkId: randomUUID() };
  await keeper.save(run, [picture()]);
  const [file] = await list(run);
  assert.deepEqual([file?.checkId, file?.path.split("/")[1]], [null, "unsaved"]);
});

test("what only the disk or only the database has is removed", async () => {
  const keeper = createKeeper();
  const [whole, lost] = [await makeRun(), await makeRun()];
  await keeper.save(whole, [picture()]);
  await keeper.save(lost, [picture()]);
  const [file] = await list(lost);
  await unlink(join(root, file?.path ?? ""));
  const stray = join(root, whole.accountId, whole.checkId, randomUUID(), "stray.png");
  await mkdir(dirname(stray), { recursive: true });
  await writeFile(stray, png);
  await mkdir(join(root, "not-an-account/x/not-a-run/folder.d"), { recursive: true });
  await keeper.compare();
  assert.deepEqual([(await list(whole)).length, (await list(lost)).length], [1, 0]);
  assert.equal(listFiles().length, 1);
  const elsewhere = createKeeper({ serverId: randomUUID() });
  const [other] = await list(whole);
  assert.ok(other !== undefined && !elsewhere.isHere(other));
  assert.equal(await elsewhere.read(other, { start: 0, end: 1 }), null);
});

test("links in the folder are neither followed nor listed", async () => {
  const keeper = createKeeper();
  const run = await makeRun();
  await keeper.save(run, [picture()]);
  const [file] = await list(run);
  assert.ok(file !== undefined);
  const secret = join(root, "..", `secret-${randomUUID()}`);
  await mkdir(secret);
  try {
    await writeFile(join(secret, "key"), "secret");
    await unlink(join(root, file.path));
    await symlink(join(secret, "key"), join(root, file.path));
    assert.equal(await keeper.read(file, { start: 0, end: 5 }), null);
    await keeper.compare();
    assert.equal((await list(run)).length, 0);
    await keeper.clean();
    const other = { ...(await makeRun()), accountId: fixture.accountId };
    await rm(join(root, other.accountId), { recursive: true, force: true });
    await symlink(secret, join(root, other.accountId));
    await assert.rejects(keeper.save(other, [picture()]), /symbolic link/);
    await keeper.compare();
    assert.equal(await readFile(join(secret, "key"), "utf8"), "secret");
  } finally {
    await rm(secret, { recursive: true });
  }
});

/** A database and a folder that stop working after a number of steps, as if the process died. */
function createMortal(steps: number) {
  let left = steps;
  const live = () => {
    left -= 1;
    if (left < 0) throw new Error("the process died");
  };
  const wrap = (db: Database): Database => ({
    isTransaction: db.isTransaction,
    run: async (statement) => {
      live();
      return db.run(statement);
    },
    transaction: (work) => db.transaction((inner) => work(wrap(inner))),
    connection: (work) => db.connection((inner) => work(wrap(inner))),
  });
  const real = new FolderPlace(root);
  const place: Pick<AssetPlace, "write" | "remove"> = {
    remove: async (path) => {
      live();
      await real.remove(path);
      live();
    },
    write: async (path, content) => {
      live();
      const part = join(root, `${path}.part`);
      await mkdir(dirname(part), { recursive: true });
      await writeFile(part, content.subarray(0, 3));
      live();
      await unlink(part);
      await real.write(path, content);
      live();
    },
  };
  return {
    db: wrap(fixture.context.db),
    folder: Object.assign(new FolderPlace(root), place),
    isDead: () => left < 0,
  };
}

test("a process that dies at any step leaves no file without a row and no row without a file", async () => {
  const run = await makeRun();
  let deaths = 0;
  for (let steps = 0; steps < 100; steps += 1) {
    const { db, folder, isDead } = createMortal(steps);
    const keeper = createKeeper({ db, folder });
    await keeper.save(run, [picture("a.png"), picture("b.png")]).catch(() => {});
    await keeper.clean().catch(() => {});
    // The next process, after the time that a save may take.
    fixture.clock.advance(2 * 3_600_000);
    await createKeeper().clean();
    const paths = (await list(run)).map(({ path }) => path).sort();
    assert.deepEqual(listFiles().sort(), paths, `died after ${steps} steps`);
    assert.equal(await countRemovals(), 0);
    const rows = await fixture.query("select 1 from run_assets where not is_complete");
    assert.equal(rows.length, 0);
    if (!isDead()) break;
    deaths += 1;
  }
  assert.ok(deaths > 20, `${deaths} deaths`);
  assert.equal((await list(run)).length, 2);
});
