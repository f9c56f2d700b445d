import { Counter, type Registry } from "prom-client";
import { holdChecks } from "../../checks/checks/index.ts";
import {
  type AssetRun,
  type AssetSink,
  boundAssets,
  type RunAsset,
} from "../../contract/run-asset.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction, lockName } from "../../platform/database.ts";
import type { Log } from "../../platform/log.ts";
import { type Loop, startLoop, takeEach } from "../../platform/loop.ts";
import { createOrderedIds } from "../../platform/ordered-id.ts";
import { isUuid } from "../../platform/text/patterns.ts";
import {
  deleteAbandonedBefore,
  deleteAssetsBefore,
  deleteLossesBefore,
  deleteMissingAssets,
  deleteRemovals,
  deleteRemovalsBefore,
  listKnownPaths,
  listOnDisk,
  listRemovals,
} from "./cleaning-store.ts";
import type { AssetPlace, ByteRange, FolderPlace } from "./places.ts";
import {
  completeAssets,
  deleteRunAssets,
  insertAssets,
  type StoredAsset,
  trimAssets,
} from "./store.ts";

interface AssetMetrics {
  readonly saved: Counter;
  readonly removed: Counter;
  readonly failed: Counter;
}

export function createAssetMetrics(registry: Registry): AssetMetrics {
  const registers = [registry];
  return {
    saved: new Counter({
      name: "vedette_assets_saved_total",
      help: "Number of files of runs that were stored.",
      registers,
    }),
    removed: new Counter({
      name: "vedette_assets_removed_total",
      help: "Number of files of runs that were deleted, by reason: quota, expired or missing.",
      labelNames: ["reason"],
      registers,
    }),
    failed: new Counter({
      name: "vedette_assets_failed_total",
      help: "Number of files of runs that could not be stored.",
      registers,
    }),
  };
}

export interface AssetKeeperOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly serverId: string;
  readonly folder: FolderPlace;
  /** Object storage that all servers share; `null` if files are stored on the server's disk. */
  readonly shared: AssetPlace | null;
  /** Maximum total size of the files of an account. */
  readonly quotaBytes: number;
  readonly retentionDays: number;
  readonly resultRetentionDays: number;
  readonly metrics: AssetMetrics;
}

const createId = createOrderedIds();

/**
 * Maximum number of stored files per account. To apply the size quota, the sizes of all files of
 * the account are added up whenever files are stored. The maximum keeps this calculation fast.
 */
const maxAccountFiles = 20_000;
/** Age after which an incomplete row is treated as a remainder of an interrupted upload. */
const abandonedMs = 3_600_000;
/** How long removal requests for the disk of a server that no longer exists are stored. */
const rememberedMs = 30 * 86_400_000;
const cleanEveryMs = 60_000;
const compareEveryMs = 6 * 3_600_000;
const maxRemovalBatches = 20;

/** Stores the files of runs, and deletes them when they expire or exceed the quota. */
export class AssetKeeper implements AssetSink {
  readonly #options: AssetKeeperOptions;

  constructor(options: AssetKeeperOptions) {
    this.#options = options;
  }

  async save(run: AssetRun, assets: readonly RunAsset[]): Promise<void> {
    const { db, metrics, folder, shared } = this.#options;
    const files = boundAssets(assets);
    if (files.length === 0) return;
    // Write the rows before the files, so that a crash leaves no file without a row.
    const rows = await this.#reserve(run, files);
    const place = shared ?? folder;
    try {
      for (const [at, { content }] of files.entries()) {
        await place.write(rows[at]?.path ?? "", content);
      }
      const ids = rows.map(({ id }) => id);
      await completeAssets(db, run.accountId, ids);
    } catch (error) {
      metrics.failed.inc(files.length);
      await deleteRunAssets(db, run.accountId, run.runId).catch(() => {});
      throw error;
    }
    metrics.saved.inc(files.length);
  }

  /** Reads a range of a file. Returns `null` if the file is missing or on another server's disk. */
  async read({ path, serverId }: StoredAsset, range: ByteRange) {
    const { folder, shared } = this.#options;
    if (serverId === null) return (await shared?.read(path, range)) ?? null;
    return this.isHere({ serverId }) ? folder.read(path, range) : null;
  }

  isHere({ serverId }: Pick<StoredAsset, "serverId">): boolean {
    return serverId === null || serverId === this.#options.serverId;
  }

  startLoops(): Loop[] {
    const { log } = this.#options;
    const common = { log, isEssential: false };
    return [
      startLoop({
        ...{ ...common, name: "delete files of runs", everyMs: cleanEveryMs },
        turn: () => this.clean(),
      }),
      startLoop({
        ...{ ...common, name: "compare files of runs", everyMs: compareEveryMs },
        turn: () => this.compare(),
      }),
    ];
  }

  /** Deletes expired files, and files whose rows were deleted. */
  async clean(): Promise<void> {
    const { db, clock, metrics, serverId, folder, shared } = this.#options;
    const { retentionDays, resultRetentionDays } = this.#options;
    const nowMs = clock.nowMs();
    const daysAgo = (days: number) => new Date(nowMs - days * 86_400_000);
    await takeEach([
      async () => {
        const count = await deleteAssetsBefore(db, daysAgo(retentionDays));
        metrics.removed.inc({ reason: "expired" }, count);
      },
      () => deleteAbandonedBefore(db, new Date(nowMs - abandonedMs)),
      () => deleteLossesBefore(db, daysAgo(resultRetentionDays)),
      () => this.#removeFiles(serverId, folder),
      async () => {
        if (shared !== null) await this.#removeFiles(null, shared);
      },
      () => deleteRemovalsBefore(db, new Date(nowMs - rememberedMs)),
    ]);
  }

  /**
   * Deletes files without a row and rows without a file from this server. Such files and rows exist
   * after a backup has been restored. After a crash, `clean` is sufficient.
   */
  async compare(): Promise<void> {
    await this.#removeUnknownFiles();
    await this.#deleteRowsWithoutFile();
  }

  async #reserve(run: AssetRun, files: readonly RunAsset[]): Promise<StoredAsset[]> {
    const { db: pool, clock, shared, serverId, quotaBytes, metrics } = this.#options;
    const { accountId, runId } = run;
    const bytes = files.reduce((sum, { content }) => sum + content.length, 0);
    const createdAt = clock.now();
    return inTransaction(pool, async (db) => {
      await lockName(db, `assets ${accountId}`);
      await deleteRunAssets(db, accountId, runId);
      const limits = { maxBytes: quotaBytes - bytes, maxFiles: maxAccountFiles - files.length };
      metrics.removed.inc({ reason: "quota" }, await trimAssets(db, accountId, limits));
      const isSaved = (await holdChecks(db, accountId, [run.checkId])).has(run.checkId);
      const folder = `${accountId}/${isSaved ? run.checkId : "unsaved"}/${runId}`;
      const rows = files.map(({ type, name, contentType, content }): StoredAsset => {
        const id = createId();
        return {
          ...{ id, accountId, runId, type, name, contentType, createdAt },
          checkId: isSaved ? run.checkId : null,
          byteCount: content.length,
          path: `${folder}/${id}-${name}`,
          serverId: shared === null ? serverId : null,
        };
      });
      await insertAssets(db, accountId, rows);
      return rows;
    });
  }

  async #removeFiles(serverId: string | null, place: AssetPlace): Promise<void> {
    const { db } = this.#options;
    for (let batch = 0; batch < maxRemovalBatches; batch += 1) {
      const paths = await listRemovals(db, serverId);
      if (paths.length === 0) return;
      for (const path of paths) await place.remove(path);
      await deleteRemovals(db, paths);
    }
  }

  async #removeUnknownFiles(): Promise<void> {
    const { db, serverId, folder } = this.#options;
    for await (const { run, paths } of folder.listRuns()) {
      // The path of an unfinished file is the path of its row with the suffix `.part`.
      const stored = paths.map((path) => path.replace(/\.part$/, ""));
      const known = isUuid(run)
        ? await listKnownPaths(db, serverId, { runId: run, paths: stored })
        : new Set();
      for (const path of new Set(stored)) if (!known.has(path)) await folder.remove(path);
    }
  }

  async #deleteRowsWithoutFile(): Promise<void> {
    const { db, serverId, folder, metrics } = this.#options;
    for (let after: string | null = null; ; ) {
      const rows = await listOnDisk(db, serverId, after);
      const missing: string[] = [];
      for (const { id, path } of rows) if (!(await folder.has(path))) missing.push(id);
      if (missing.length > 0) await deleteMissingAssets(db, missing);
      metrics.removed.inc({ reason: "missing" }, missing.length);
      after = rows.at(-1)?.id ?? null;
      if (after === null) return;
    }
  }
}
