import { Type } from "typebox";
import { DateTime, Described, Guid, OneOf, OrNull } from "../../platform/http/schema.ts";
import { type Backup, type BackupSettings, statusOf } from "./backup.ts";

const Moment = (description: string, ...examples: unknown[]) =>
  Described(OrNull(DateTime), description, ...examples);
const Words = (description: string) => Described(OrNull(Type.String()), description, null);
const Hours = (description: string, example: number) =>
  Type.Integer({ description, examples: [example] });

export const BackupSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    status: Described(
      OneOf(["RUNNING", "VERIFYING", "SUCCEEDED", "FAILED"]),
      "How far it is. It is whole from `VERIFYING` on.",
    ),
    reason: Described(OneOf(["SCHEDULE", "REQUEST"]), "Whether it was due, or asked for."),
    server: Type.String({
      description: "The id of the server that made it, and in whose `BACKUP_DIR` it is.",
      examples: ["0b6b2a4e-9c1d-4f6e-8d6e-5b6f0b8d3c21"],
    }),
    file: Type.String({
      description: "The name of the file.",
      examples: ["vedette-20261116T020000Z-1f2e3d4c.backup"],
    }),
    startedAt: Described(DateTime, "The moment that it is of."),
    writtenAt: Moment("When the file was whole; null: not yet, or never."),
    finishedAt: Moment("When all was done; null while it is under way."),
    sizeBytes: Described(OrNull(Type.Number()), "The size of the file.", 48_000_000),
    rows: Described(OrNull(Type.Number()), "How many rows of all tables are in it.", 1_250_000),
    hasKey: Described(
      OrNull(Type.Boolean()),
      "Whether the encryption key is in it, sealed with `BACKUP_PASSPHRASE`.",
    ),
    problem: Words("Why there is no file; null: there is, or not yet."),
    verifiedAt: Moment("When it was restored into a scratch database and was the same there."),
    verifyProblem: Words("Why it was not verified; null: it was, or it was not its turn."),
    removedAt: Moment("When the file made room for newer ones.", null),
  },
  { title: "Backup" },
);

export const BackupList = Type.Object(
  {
    isScheduled: Type.Boolean({ description: "Whether this server makes backups by itself." }),
    canRequest: Type.Boolean({ description: "Whether this server has a folder for backups." }),
    everyHours: Hours("How often one is due, in hours; 0: only when somebody asks.", 24),
    keep: Hours("How many files are kept.", 7),
    verifyEveryHours: Hours("How often one is verified, in hours; 0: never.", 24),
    problem: Words("What is wrong with backups, in words; null: nothing."),
    backups: Type.Array(BackupSchema, { description: "The newest first, at most 100." }),
  },
  { title: "BackupList" },
);

const toMoment = (at: Date | null) => at?.toISOString() ?? null;

export function toWireBackup(backup: Backup) {
  const { id, reason, file, sizeBytes, hasKey, problem, verifyProblem } = backup;
  return {
    id,
    status: statusOf(backup),
    reason,
    server: backup.serverId,
    file,
    startedAt: backup.startedAt.toISOString(),
    writtenAt: toMoment(backup.writtenAt),
    finishedAt: toMoment(backup.finishedAt),
    sizeBytes,
    rows: backup.rowCount,
    hasKey,
    problem,
    verifiedAt: toMoment(backup.verifiedAt),
    verifyProblem,
    removedAt: toMoment(backup.removedAt),
  };
}

export function toWireList(described: {
  readonly settings: BackupSettings;
  readonly problem: string | null;
  readonly backups: readonly Backup[];
}) {
  const { settings, problem, backups } = described;
  const { folder, everyHours, keep, verifyEveryHours } = settings;
  return {
    isScheduled: folder !== null && everyHours > 0,
    canRequest: folder !== null,
    everyHours,
    keep,
    verifyEveryHours,
    problem,
    backups: backups.map(toWireBackup),
  };
}
