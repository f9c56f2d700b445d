import { Type } from "typebox";
import { type Caller, requireAccess, writeAuditEntry } from "../../access/accounts/index.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction } from "../../platform/database.ts";
import { answers, DateTime, Described, Guid, OneOf, OrNull } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  type Backup,
  type BackupSettings,
  type BackupStanding,
  findBackupProblem,
  listBackups,
  readStanding,
  statusOf,
} from "./backup-store.ts";
import type { BackupKeeper } from "./keeper.ts";

const OptionalTime = (description: string, ...examples: unknown[]) =>
  Described(OrNull(DateTime), description, ...examples);
const Words = (description: string) => Described(OrNull(Type.String()), description, null);
const Hours = (description: string, example: number) =>
  Type.Integer({ description, examples: [example] });

const BackupSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    status: Described(
      OneOf(["RUNNING", "VERIFYING", "SUCCEEDED", "FAILED"]),
      "Status of the backup. The file is complete from `VERIFYING` on.",
    ),
    reason: Described(
      OneOf(["SCHEDULE", "REQUEST"]),
      "Whether the backup was scheduled or requested.",
    ),
    server: Type.String({
      description: "Id of the server that made it; the file is in this server's `BACKUP_DIR`.",
      examples: ["0b6b2a4e-9c1d-4f6e-8d6e-5b6f0b8d3c21"],
    }),
    file: Type.String({
      description: "Name of the file.",
      examples: ["vedette-20261116T020000Z-1f2e3d4c.backup"],
    }),
    startedAt: Described(DateTime, "Start of the backup; the time of its data."),
    writtenAt: OptionalTime("Time the file was complete; `null` if it is not."),
    finishedAt: OptionalTime("Time the backup finished; `null` while it is in progress."),
    sizeBytes: Described(OrNull(Type.Number()), "Size of the file in bytes.", 48_000_000),
    rows: Described(OrNull(Type.Number()), "Number of rows of all tables.", 1_250_000),
    hasKey: Described(
      OrNull(Type.Boolean()),
      "Whether it contains the encryption key, encrypted with `BACKUP_PASSPHRASE`.",
    ),
    problem: Words("Why the backup failed; `null` if it did not."),
    verifiedAt: OptionalTime(
      "Time it was verified by restoring it into a scratch database; `null` if it was not.",
    ),
    verifyProblem: Words("Why verification failed; `null` if it did not."),
    removedAt: OptionalTime(
      "Time the file was deleted in favour of newer ones; `null` if it was not.",
      null,
    ),
  },
  { title: "Backup" },
);

const BackupList = Type.Object(
  {
    isScheduled: Type.Boolean({ description: "Whether this server makes scheduled backups." }),
    canRequest: Type.Boolean({ description: "Whether this server has a folder for backups." }),
    folder: Words("Folder of this server's backups; `null` if it has none."),
    isBesideDatabase: Type.Boolean({
      description:
        "Whether the folder is the default one, on the disk of the embedded database. Backups " +
        "then use at most a tenth of the disk.",
    }),
    everyHours: Hours("Hours between backups; 0 for backups on request only.", 24),
    keep: Hours("Number of files to retain.", 7),
    verifyEveryHours: Hours("Hours between verifications; 0 for never.", 24),
    problem: Words("Description of the current problem; `null` if there is none."),
    backups: Type.Array(BackupSchema, { description: "Backups, newest first, at most 100." }),
  },
  { title: "BackupList" },
);

const toWireTime = (at: Date | null) => at?.toISOString() ?? null;

function toWireBackup(backup: Backup) {
  const { id, reason, file, sizeBytes, hasKey, problem, verifyProblem } = backup;
  return {
    id,
    status: statusOf(backup),
    reason,
    server: backup.serverId,
    file,
    startedAt: backup.startedAt.toISOString(),
    writtenAt: toWireTime(backup.writtenAt),
    finishedAt: toWireTime(backup.finishedAt),
    sizeBytes,
    rows: backup.rowCount,
    hasKey,
    problem,
    verifiedAt: toWireTime(backup.verifiedAt),
    verifyProblem,
    removedAt: toWireTime(backup.removedAt),
  };
}

function toWireList(described: {
  readonly settings: BackupSettings;
  readonly problem: string | null;
  readonly backups: readonly Backup[];
}) {
  const { settings, problem, backups } = described;
  const { folder, isBesideDatabase, everyHours, keep, verifyEveryHours } = settings;
  return {
    isScheduled: folder !== null && everyHours > 0,
    canRequest: folder !== null,
    folder,
    isBesideDatabase,
    everyHours,
    keep,
    verifyEveryHours,
    problem,
    backups: backups.map(toWireBackup),
  };
}

export interface BackupsContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly backups: BackupKeeper;
}

async function describeBackups({ db, backups }: BackupsContext, caller: Caller) {
  requireAccess(caller, "admin");
  return {
    settings: backups.settings,
    problem: backups.findProblem(),
    backups: await listBackups(db),
  };
}

async function requestBackup(context: BackupsContext, caller: Caller): Promise<Backup> {
  requireAccess(caller, "admin");
  const backup = await context.backups.request();
  const at = context.clock.now();
  const note = { action: "backup.requested", changes: { file: backup.file } };
  await inTransaction(context.db, (db) =>
    writeAuditEntry(db, caller, { ...note, targetId: backup.id, at }),
  );
  return backup;
}

/**
 * Reads the newest backups from the database, and describes the current problem if there is one.
 * The diagnosis uses this function, because the diagnosis may run without a server process.
 */
export async function readBackupStanding(
  db: Database,
  nowMs: number,
  settings: BackupSettings,
): Promise<{ readonly standing: BackupStanding; readonly problem: string | null }> {
  const standing = await readStanding(db);
  return { standing, problem: findBackupProblem(standing, settings, nowMs) };
}

const tags = ["Backups"];

export function addBackupRoutes(server: HttpServer, context: BackupsContext): void {
  server.get(
    "/v1/backups",
    {
      config: { access: "admin" },
      schema: {
        tags,
        operationId: "listBackups",
        summary: "List backups",
        description:
          "Backups contain the whole installation. The files are in `BACKUP_DIR` and cannot be " +
          "downloaded here, because each contains the data of all accounts.",
        response: answers({ 200: BackupList }),
      },
    },
    async ({ caller }) => toWireList(await describeBackups(context, caller)),
  );
  server.post(
    "/v1/backups",
    {
      config: { access: "admin" },
      schema: {
        tags,
        operationId: "createBackup",
        summary: "Make a backup now",
        description:
          "Returns immediately; list backups to see the progress. Needs `BACKUP_DIR`, and no " +
          "other backup in progress on any server.",
        response: answers({ 202: BackupSchema }, "conflict"),
      },
    },
    async ({ caller }, reply) =>
      reply.code(202).send(toWireBackup(await requestBackup(context, caller))),
  );
}
