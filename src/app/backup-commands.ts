import { mkdir, rename, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Config } from "../config.ts";
import {
  type BackupSummary,
  CannotVerify,
  checkRestorable,
  exists,
  inScratchDatabase,
  openKey,
  type ReadProgress,
  restoreBackup,
  verifyBackup,
  type WrittenBackup,
  writeBackup,
} from "../platform/backup/index.ts";
import { systemClock } from "../platform/clock.ts";
import { Encryption, findKeyText, keyFileOf } from "../platform/encryption.ts";
import { ExplainedError } from "../platform/errors.ts";
import { migrate } from "../platform/migrations.ts";
import { doesFit } from "../platform/sealing-key.ts";
import { besideServer, withDatabase } from "./commands.ts";
import { version } from "./version.ts";

const onTerminalMs = 200;
const elsewhereMs = 5_000;
const clearLine = "\r\x1b[K";

export interface BackupRequest {
  readonly file: string;
  readonly shouldOverwrite: boolean;
  readonly terminal: Terminal;
  readonly signal?: AbortSignal;
}

const numbers = new Intl.NumberFormat("en");

function describeSize(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1_000 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`;
}

function describeKey(config: Config, backup: WrittenBackup): string {
  if (backup.hasKey) {
    return "It includes the encryption key, encrypted with BACKUP_PASSPHRASE. Store the passphrase separately.";
  }
  const key =
    config.ENCRYPTION_KEY === undefined ? keyFileOf(resolve(config.DATA_DIR)) : "ENCRYPTION_KEY";
  return (
    `It does not include the encryption key, which is needed to read its secrets: store ${key}\n` +
    "separately. Or set BACKUP_PASSPHRASE, and backups include the key, encrypted with it."
  );
}

async function runBackup(config: Config, request: BackupRequest): Promise<string> {
  const path = resolve(request.file);
  if (!request.shouldOverwrite && (await exists(path))) {
    throw new ExplainedError(
      `The file ${path} already exists.\nName another one, or add \`--overwrite\` to replace it.`,
    );
  }
  const progress = createTerminalProgress(request.terminal);
  const startedAtMs = performance.now();
  const text = await findKeyText(config.DATA_DIR, config.ENCRYPTION_KEY);
  const passphrase = config.BACKUP_PASSPHRASE;
  const written = await besideServer(config, (connection) =>
    writeBackup({
      connection,
      path,
      program: version,
      startedAt: systemClock.now(),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
      key: text === null || passphrase === undefined ? null : { text, passphrase },
      onProgress: ({ table, rows, share }) =>
        progress.show(
          `${Math.floor(share * 100)} %, ${numbers.format(rows)} rows, now ${table.slice(0, 40)}`,
        ),
    }),
  ).finally(progress.end);
  const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
  return (
    `Wrote ${path}: ${numbers.format(written.rows)} rows of ${written.tables} tables, ` +
    `${describeSize(written.sizeBytes)}, in ${seconds} s.\n${describeKey(config, written)}`
  );
}

function createReadReporter(request: BackupRequest) {
  const progress = createTerminalProgress(request.terminal);
  const names = { check: "checking the file", load: "loading" };
  return {
    ...progress,
    onProgress: (step: "check" | "load", { doneBytes, totalBytes }: ReadProgress) =>
      progress.show(
        `${names[step]}: ${Math.floor((100 * doneBytes) / Math.max(1, totalBytes))} % of ` +
          describeSize(totalBytes),
      ),
  };
}

/**
 * Decrypts the encryption key in a backup; `null` if the backup has no key or no passphrase is set.
 */
async function findBackupKey(config: Config, { header }: BackupSummary): Promise<string | null> {
  if (header.key === null || config.BACKUP_PASSPHRASE === undefined) return null;
  return openKey(header.key, config.BACKUP_PASSPHRASE);
}

/**
 * Writes the encryption key of a backup to the data folder, unless ENCRYPTION_KEY is set. A file
 * with a different key is renamed and not overwritten.
 */
async function placeKey(config: Config, key: string): Promise<string> {
  const path = keyFileOf(resolve(config.DATA_DIR));
  const present = await findKeyText(config.DATA_DIR, config.ENCRYPTION_KEY);
  if (present === key) return "The current encryption key is the backup's.";
  if (config.ENCRYPTION_KEY !== undefined) {
    return "Start the server without ENCRYPTION_KEY, or with the backup's key: the current one differs.";
  }
  await mkdir(config.DATA_DIR, { recursive: true, mode: 0o711 });
  const aside = `${path}.before-restore-${systemClock.nowMs()}`;
  if (present !== null) await rename(path, aside);
  await writeFile(path, key, { mode: 0o600, flush: true });
  const kept = present === null ? "" : `; the previous one is now ${aside}`;
  return `The encryption key was restored to ${path}${kept}.`;
}

async function settleKey(
  config: Config,
  { header }: BackupSummary,
  key: string | null,
): Promise<string> {
  if (key !== null) return placeKey(config, key);
  if (header.sealedText === null) return "It contains no secrets that need a key.";
  const text = await findKeyText(config.DATA_DIR, config.ENCRYPTION_KEY);
  const encryption = text === null ? null : new Encryption(Buffer.from(text, "base64"));
  if (encryption !== null && doesFit(encryption, header.sealedText)) {
    return "The current encryption key is the backup's.";
  }
  const sealed =
    header.key === null
      ? ""
      : "The backup includes the encrypted key: set BACKUP_PASSPHRASE and restore again with " +
        "`--overwrite`, or:\n";
  return (
    `The encryption key of this backup is not available. ${sealed}Before you start the server, put the key in\n` +
    `${keyFileOf(resolve(config.DATA_DIR))}, or set ENCRYPTION_KEY. If it is lost, run\n` +
    "`npm run vedette accept-key`: secrets must then be entered again."
  );
}

async function runRestore(config: Config, request: BackupRequest): Promise<string> {
  const path = resolve(request.file);
  const { onProgress, say, end } = createReadReporter(request);
  const startedAtMs = performance.now();
  const summary = await checkRestorable(path, undefined, (progress) =>
    onProgress("check", progress),
  ).finally(end);
  const key = await findBackupKey(config, summary);
  const { shouldOverwrite } = request;
  const applied = await withDatabase(config, async (connection) => {
    const options = { connection, path, shouldOverwrite, summary };
    await restoreBackup({ ...options, onProgress, onStep: say }).finally(end);
    return migrate(connection);
  });
  const { header, end: totals } = summary;
  const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
  const migrated =
    applied.length === 0 ? "" : ` It was then migrated to this version: ${applied.join(", ")}.`;
  return (
    `Restored the backup of ${header.startedAt}: ${numbers.format(totals.rows)} rows of ` +
    `${totals.tables} tables, in ${seconds} s.${migrated}\n` +
    `${await settleKey(config, summary, key)}\nStart the server now: \`npm start\``
  );
}

async function runVerify(config: Config, request: BackupRequest): Promise<string> {
  const path = resolve(request.file);
  const { onProgress, end } = createReadReporter(request);
  const summary = await checkRestorable(path).finally(end);
  const dataDir = config.DATABASE_URL === undefined ? config.DATA_DIR : null;
  try {
    await besideServer(config, (connection) =>
      inScratchDatabase(connection, dataDir, (scratch) =>
        verifyBackup(scratch, { path, onProgress }),
      ),
    ).finally(end);
  } catch (error) {
    if (!(error instanceof CannotVerify)) throw error;
    throw new ExplainedError(`The file is intact, but it was not restored.\n${error.message}`);
  }
  const { rows, tables } = summary.end;
  return (
    `${path} is valid: its ${numbers.format(rows)} rows of ${tables} tables were restored into a ` +
    "temporary database and are identical."
  );
}

export const backupCommands = { backup: runBackup, restore: runRestore, verify: runVerify };
export type BackupCommand = keyof typeof backupCommands;

/**
 * Output of a long command. A terminal shows one line that is updated; other outputs receive
 * separate lines.
 */
interface Terminal {
  readonly isTTY?: boolean;
  readonly write: (text: string) => unknown;
}

interface TerminalProgress {
  readonly show: (line: string) => void;
  /** Writes a line that remains visible when the progress line is updated. */
  readonly say: (line: string) => void;
  readonly end: () => void;
}

export function createTerminalProgress(
  terminal: Terminal,
  nowMs: () => number = () => performance.now(),
): TerminalProgress {
  const isTerminal = terminal.isTTY === true;
  const everyMs = isTerminal ? onTerminalMs : elsewhereMs;
  let shownAtMs = nowMs();
  let isLineOpen = false;
  const end = () => {
    if (isLineOpen) terminal.write(clearLine);
    isLineOpen = false;
  };
  return {
    show: (line) => {
      if (nowMs() - shownAtMs < everyMs) return;
      shownAtMs = nowMs();
      terminal.write(isTerminal ? `${clearLine}${line}` : `${line}\n`);
      isLineOpen = isTerminal;
    },
    say: (line) => {
      end();
      terminal.write(`${line}\n`);
    },
    end,
  };
}
