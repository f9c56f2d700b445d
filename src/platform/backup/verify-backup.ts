import { createHash } from "node:crypto";
import type pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { cutOff, type DatabaseConnection } from "../database-pool.ts";
import { ExplainedError } from "../errors.ts";
import { type BackupSummary, type ReadProgress, readBackupFile } from "./backup-file.ts";
import type { TableStart } from "./format.ts";
import { restoreBackup } from "./restore-backup.ts";
import { copyTarget, openSession, readSequences } from "./session.ts";

async function hashTable(client: pg.Client, start: TableStart) {
  const stream = client.query(copyTo(`${copyTarget(start)} to stdout`));
  const hash = createHash("sha256");
  for await (const chunk of stream) hash.update(chunk);
  return { rows: stream.rowCount, sha256: hash.digest("hex") };
}

function differs(what: string): ExplainedError {
  return new ExplainedError(
    `The backup was restored, but ${what}.\nWrite a new backup, and keep this file to report the fault.`,
  );
}

/** Compares each restored table with the checksums in the file. */
async function compareAll(client: pg.Client, path: string): Promise<void> {
  let start: TableStart | null = null;
  for await (const part of readBackupFile(path)) {
    if (part.kind === "table") start = part.start;
    if (part.kind === "table-end" && start !== null) {
      const found = await hashTable(client, start);
      if (found.rows !== part.end.rows || found.sha256 !== part.end.sha256) {
        throw differs(`the table ${start.name} differs`);
      }
    }
    if (part.kind !== "sequences") continue;
    const found = JSON.stringify(await readSequences(client));
    if (found !== JSON.stringify(part.sequences)) throw differs("its sequences differ");
  }
}

export interface VerifyOptions {
  readonly path: string;
  readonly folder?: string;
  readonly onProgress?: (step: "check" | "load", progress: ReadProgress) => void;
}

/** Restores into an empty database and reads every row back. The database is not cleaned up. */
export async function verifyBackup(
  scratch: DatabaseConnection,
  options: VerifyOptions,
): Promise<BackupSummary> {
  const summary = await restoreBackup({
    ...options,
    connection: scratch,
    shouldOverwrite: false,
  });
  const client = await openSession(scratch, "vedette verify");
  try {
    await compareAll(client, options.path);
    return summary;
  } finally {
    cutOff(client);
  }
}
