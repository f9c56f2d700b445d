import { randomUUIDv7 } from "node:crypto";
import { mkdir, readdir, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { Gauge, type Registry } from "prom-client";
import {
  type BackupThread,
  CannotVerify,
  startBackupThread,
  unfinishedSuffix,
} from "../../platform/backup/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { DatabaseConnection } from "../../platform/database-pool.ts";
import { conflict, ExplainedError } from "../../platform/errors.ts";
import type { Log } from "../../platform/log.ts";
import { type Loop, startLoop } from "../../platform/loop.ts";
import {
  type Backup,
  type BackupSettings,
  type BackupStanding,
  chooseOldFiles,
  claimBackup,
  closeAbandoned,
  deleteOldRows,
  findBackupProblem,
  finishBackup,
  isBackupDue,
  isVerifyDue,
  nameFile,
  readStanding,
  recordAlive,
  recordRemoved,
  recordWritten,
} from "./backup-store.ts";

interface BackupKeeperOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly connection: DatabaseConnection;
  readonly serverId: string;
  readonly settings: BackupSettings;
  /** Version of Vedette that writes the backup. */
  readonly program: string;
  readonly findKey: () => Promise<{ readonly text: string; readonly passphrase: string } | null>;
  /** Data folder of the embedded database; `null` for an external database. */
  readonly dataDir: string | null;
}

const pollEveryMs = 30_000;
/** Delay of backups that nobody configured, so that they do not slow down the start. */
const firstDefaultAfterMs = 600_000;
/** Share of the database's disk that default backups may use, and that they leave free. */
const diskShare = 0.1;
const aliveEveryMs = 15_000;
const abandonedAfterMs = 120_000;

function describe(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll("\n", " ").slice(0, 500);
}

/** Makes backups that are due or requested. All servers together make one backup at a time. */
export class BackupKeeper {
  readonly #options: BackupKeeperOptions;
  #standing: BackupStanding = { latest: null, lastSuccess: null, lastVerified: null };
  #thread: BackupThread | null = null;
  #work: Promise<void> = Promise.resolve();
  #isStopping = false;
  readonly #startedAtMs: number;

  constructor(options: BackupKeeperOptions) {
    this.#options = options;
    this.#startedAtMs = options.clock.nowMs();
  }

  get settings(): BackupSettings {
    return this.#options.settings;
  }

  /** Newest backups as of the last poll. The database is polled every 30 seconds. */
  get standing(): BackupStanding {
    return this.#standing;
  }

  findProblem(): string | null {
    const { settings, clock } = this.#options;
    return findBackupProblem(this.#standing, settings, clock.nowMs());
  }

  start(): Loop {
    const { log } = this.#options;
    const loop = startLoop({
      name: "make backups",
      isEssential: false,
      everyMs: pollEveryMs,
      restMs: 1_000,
      log,
      turn: () => this.#poll(),
    });
    return {
      ...loop,
      stop: async () => {
        this.#isStopping = true;
        await this.#thread?.stop();
        await loop.stop();
        await this.#work;
      },
    };
  }

  /** Starts a requested backup and returns before the backup is finished. */
  async request(): Promise<Backup> {
    if (this.settings.folder === null) {
      throw conflict("this server has no folder for backups; set BACKUP_DIR and restart it");
    }
    const claimed = await this.#claim("REQUEST");
    if (claimed === null) throw conflict("a backup is already in progress");
    this.#work = this.#make(claimed);
    return claimed;
  }

  async #poll(): Promise<void> {
    const { db, clock, settings } = this.#options;
    const now = clock.now();
    await closeAbandoned(db, new Date(now.getTime() - abandonedAfterMs), now);
    this.#standing = await readStanding(db);
    if (!isBackupDue(this.#standing, settings, now.getTime())) return;
    const isEarly = now.getTime() - this.#startedAtMs < firstDefaultAfterMs;
    if (settings.isBesideDatabase && isEarly) return;
    const claimed = await this.#claim("SCHEDULE");
    // A backup can take hours. Do not await it, because this loop must continue to poll, and an
    // iteration of several hours would be reported as stuck.
    if (claimed !== null) this.#work = this.#make(claimed);
  }

  #claim(reason: Backup["reason"]): Promise<Backup | null> {
    const { db, clock, serverId } = this.#options;
    const [id, startedAt] = [randomUUIDv7(), clock.now()];
    const file = nameFile(startedAt, id);
    const nothing = { writtenAt: null, finishedAt: null, sizeBytes: null, rowCount: null };
    const unknown = { hasKey: null, problem: null, verifiedAt: null, verifyProblem: null };
    const fresh = { ...nothing, ...unknown, removedAt: null };
    return claimBackup(db, { id, serverId, reason, file, startedAt, ...fresh });
  }

  async #make(backup: Backup): Promise<void> {
    const { db, clock, log } = this.#options;
    const alive = setInterval(() => {
      recordAlive(db, backup.id, clock.now()).catch(() => {});
    }, aliveEveryMs);
    try {
      await this.#write(backup);
      const outcome = await this.#verify(backup);
      await this.#removeOld(backup).catch((error) =>
        log.warn({ err: error }, "could not remove old backups"),
      );
      await finishBackup(db, backup.id, clock.now(), outcome);
      log.info({ file: backup.file, ...outcome }, "backup finished");
    } catch (error) {
      log.error({ err: error, file: backup.file }, "backup failed");
      const problem = this.#isStopping ? "The server was stopped." : describe(error);
      await finishBackup(db, backup.id, clock.now(), { problem }).catch(() => {});
    } finally {
      clearInterval(alive);
      await readStanding(db).then(
        (standing) => {
          this.#standing = standing;
        },
        () => {},
      );
    }
  }

  #pathOf({ file }: Backup): string {
    return join(this.settings.folder ?? "", file);
  }

  async #write(backup: Backup): Promise<void> {
    const { db, clock, connection, program, findKey } = this.#options;
    const { isBesideDatabase } = this.settings;
    const folder = this.settings.folder ?? "";
    await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: Error) => {
      throw new ExplainedError(`The folder ${folder} cannot be used: ${error.message}`);
    });
    const { startedAt } = backup;
    const freeShare = isBesideDatabase ? diskShare : 0;
    const task = { connection, path: this.#pathOf(backup), program, startedAt, freeShare };
    const written = await this.#inThread((thread) =>
      findKey().then((key) => thread.write({ ...task, key })),
    );
    await recordWritten(db, backup.id, clock.now(), written);
  }

  async #verify(backup: Backup) {
    const { clock, settings, connection, dataDir } = this.#options;
    if (!isVerifyDue(this.#standing, settings, clock.nowMs())) return {};
    const path = this.#pathOf(backup);
    try {
      await this.#inThread((thread) => thread.verify({ connection, dataDir, path }));
      return { verifiedAt: clock.now() };
    } catch (error) {
      if (!(error instanceof CannotVerify)) this.#options.log.error({ err: error }, "not verified");
      return { verifyProblem: this.#isStopping ? "The server was stopped." : describe(error) };
    }
  }

  async #inThread<Outcome>(work: (thread: BackupThread) => Promise<Outcome>): Promise<Outcome> {
    if (this.#isStopping) throw new Error("the server is stopping");
    const thread = startBackupThread();
    this.#thread = thread;
    try {
      return await work(thread);
    } finally {
      this.#thread = null;
      await thread.stop();
    }
  }

  /**
   * Deletes old and unfinished backup files, but never the given backup. The name of a backup
   * contains its time, so the given backup may sort before older backups if the clock was set back.
   */
  async #removeOld({ file }: Backup): Promise<void> {
    const { db, clock, serverId } = this.#options;
    const { folder, keep, isBesideDatabase } = this.settings;
    if (folder === null) return;
    const sizeOf = async (name: string) => (await stat(join(folder, name))).size;
    const names = (await readdir(folder)).filter((name) => name !== file);
    const files = await Promise.all(
      names.map(async (name) => ({ name, sizeBytes: await sizeOf(name) })),
    );
    const { blocks, bsize } = await statfs(folder);
    const maxBytes = isBesideDatabase
      ? blocks * bsize * diskShare - (await sizeOf(file))
      : Infinity;
    const old = chooseOldFiles(files, { keep: keep - 1, maxBytes });
    // Unfinished files were left by a killed server, because this server makes one backup at a
    // time.
    const isLeft = (name: string) => /^vedette-.*\.backup/.test(name);
    const unfinished = names.filter((name) => isLeft(name) && name.endsWith(unfinishedSuffix));
    for (const name of [...old, ...unfinished]) await rm(join(folder, name), { force: true });
    await recordRemoved(db, serverId, old, clock.now());
    await deleteOldRows(db);
  }
}

/** Adds metrics about the newest backups of all servers, which are read from the database. */
export function addBackupMetrics(registry: Registry, keeper: BackupKeeper): void {
  const add = (name: string, help: string, read: () => number | null) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        const value = read();
        // Remove a gauge without a value: its default of 0 would be read as a time in 1970.
        if (value === null) this.remove();
        else this.set(value);
      },
    }).remove();
  const seconds = (at: Date | null | undefined) => (at == null ? null : at.getTime() / 1_000);
  add(
    "vedette_backup_last_success_timestamp_seconds",
    "Time of the data in the newest complete backup.",
    () => seconds(keeper.standing.lastSuccess?.startedAt),
  );
  add(
    "vedette_backup_last_size_bytes",
    "Size of the newest complete backup.",
    () => keeper.standing.lastSuccess?.sizeBytes ?? null,
  );
  add("vedette_backup_last_duration_seconds", "Duration of the newest complete backup.", () => {
    const { startedAt, writtenAt } = keeper.standing.lastSuccess ?? {};
    if (startedAt === undefined || writtenAt == null) return null;
    return (writtenAt.getTime() - startedAt.getTime()) / 1_000;
  });
  add("vedette_backup_last_failed", "1 if the newest backup failed.", () =>
    keeper.standing.latest === null ? null : Number(keeper.standing.latest.problem !== null),
  );
  add(
    "vedette_backup_last_verified_timestamp_seconds",
    "Time of the last successful verification: a restore into a scratch database.",
    () => seconds(keeper.standing.lastVerified?.verifiedAt),
  );
  add("vedette_backup_problem", "1 if there is a problem with backups; see Settings.", () =>
    Number(keeper.findProblem() !== null),
  );
}
