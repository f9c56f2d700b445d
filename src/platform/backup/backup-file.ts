import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";
import { createReadStream } from "node:fs";
import { access, type FileHandle, open, rename, rm, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { ExplainedError, readCode } from "../errors.ts";
import { type ArchivePart, readArchive } from "./archive.ts";
import type { End, Header } from "./format.ts";

/** Cost parameters of scrypt: each guess at a passphrase takes 64 MB of memory and 0.2 s. */
const cost = { N: 65_536, r: 8, p: 1, maxmem: 134_217_728 };
const algorithm = "aes-256-gcm";
const derive = promisify<string, Buffer, number, typeof cost, Buffer>(scrypt);

export interface SealedKey {
  readonly salt: string;
  readonly sealed: string;
}

export async function sealKey(key: string, passphrase: string): Promise<SealedKey> {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)];
  const cipher = createCipheriv(algorithm, await derive(passphrase, salt, 32, cost), nonce);
  const body = Buffer.concat([cipher.update(key, "utf8"), cipher.final()]);
  const sealed = Buffer.concat([nonce, cipher.getAuthTag(), body]);
  return { salt: salt.toString("base64"), sealed: sealed.toString("base64") };
}

export async function openKey({ salt, sealed }: SealedKey, passphrase: string): Promise<string> {
  const bytes = Buffer.from(sealed, "base64");
  const secret = await derive(passphrase, Buffer.from(salt, "base64"), 32, cost);
  try {
    const decipher = createDecipheriv(algorithm, secret, bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
  } catch {
    throw new ExplainedError(
      "BACKUP_PASSPHRASE does not decrypt the encryption key in this backup.\n" +
        "Set it to the passphrase used for the backup, or leave it empty and provide the\n" +
        "encryption key yourself: the file encryption.key in DATA_DIR, or ENCRYPTION_KEY.",
    );
  }
}

/** Disk space that a backup must leave free, because the database may be on the same disk. */
const keptFreeBytes = 268_435_456;
const checkEveryBytes = 67_108_864;

export const unfinishedSuffix = ".unfinished";

interface BackupFile {
  readonly write: (bytes: Buffer) => Promise<void>;
  readonly size: () => number;
  /** Flushes the complete file to disk and renames it to its final name. */
  readonly finish: () => Promise<void>;
  readonly discard: () => Promise<void>;
}

function explainFileError(error: NodeJS.ErrnoException, path: string): Error {
  const folder = dirname(path);
  const explanations: Readonly<Record<string, string>> = {
    ENOENT: `The folder ${folder} does not exist. Run \`mkdir -p ${folder}\`, or name another file.`,
    EACCES: `${folder} is not writable by this user. Name a file in another folder.`,
    EPERM: `${folder} is not writable by this user. Name a file in another folder.`,
    EROFS: `${folder} is on a disk that is mounted read-only. Name a file in another folder.`,
    EISDIR: `${path} is a folder. Name a file in it, such as ${path}/vedette.backup.`,
    ENOSPC: `The disk of ${folder} is full. Free some space, or name a file on another disk.`,
    EDQUOT: `The disk quota for ${folder} is used up. Name a file on another disk.`,
    EFBIG: `The file system of ${folder} does not support a file of this size. Name a file on another one.`,
  };
  const message = explanations[error.code ?? ""];
  return message === undefined ? error : new ExplainedError(message);
}

async function rejectFullDisk(folder: string, freeShare: number): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder);
  const isShareLarger = freeShare * blocks * bsize > keptFreeBytes;
  if (bavail * bsize >= (isShareLarger ? freeShare * blocks * bsize : keptFreeBytes)) return;
  const kept = isShareLarger ? `${Math.round(100 * freeShare)} %` : "256 MB";
  throw new ExplainedError(
    `Less than ${kept} is free on the disk of ${folder}, which a backup leaves unused.\n` +
      "Free some space, or use another disk.",
  );
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/**
 * Creates a backup file. Until `finish` is called, the file has a name that marks it as incomplete.
 */
export async function createBackupFile(path: string, freeShare = 0): Promise<BackupFile> {
  const unfinished = `${path}${unfinishedSuffix}`;
  const folder = dirname(path);
  let handle: FileHandle;
  try {
    await rejectFullDisk(folder, freeShare);
    handle = await open(unfinished, "w", 0o600);
  } catch (error) {
    throw explainFileError(error as NodeJS.ErrnoException, path);
  }
  let written = 0;
  let lookAt = checkEveryBytes;
  const writeAll = async (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; ) {
      at += (await handle.write(bytes, at, bytes.length - at)).bytesWritten;
    }
    written += bytes.length;
    if (written < lookAt) return;
    lookAt = written + checkEveryBytes;
    await rejectFullDisk(folder, freeShare);
  };
  const explained = (work: Promise<void>) =>
    work.catch((error) => {
      throw explainFileError(error, path);
    });
  return {
    size: () => written,
    write: (bytes) => explained(writeAll(bytes)),
    finish: () =>
      explained(
        handle
          .sync()
          .then(() => handle.close())
          .then(() => rename(unfinished, path))
          .then(() => syncFolder(folder)),
      ),
    discard: async () => {
      await handle.close().catch(() => {});
      await rm(unfinished, { force: true });
    },
  };
}

export interface ReadProgress {
  readonly doneBytes: number;
  readonly totalBytes: number;
}

async function* countBytes(
  chunks: AsyncIterable<Buffer>,
  totalBytes: number,
  onProgress: (progress: ReadProgress) => void,
): AsyncGenerator<Buffer> {
  let doneBytes = 0;
  for await (const chunk of chunks) {
    doneBytes += chunk.length;
    onProgress({ doneBytes, totalBytes });
    yield chunk;
  }
}

/** Reads a backup file and returns its verified parts. */
export async function* readBackupFile(
  path: string,
  onProgress: (progress: ReadProgress) => void = () => {},
): AsyncGenerator<ArchivePart> {
  let handle: FileHandle;
  try {
    handle = await open(path, "r");
  } catch (error) {
    const code = readCode(error);
    if (code === "ENOENT")
      throw new ExplainedError(`The file ${path} does not exist. Check its name.`);
    if (code !== "EACCES") throw error;
    throw new ExplainedError(
      `The file ${path} is not readable by this user. Run this command as its owner.`,
    );
  }
  const info = await handle.stat();
  if (info.isDirectory()) {
    await handle.close();
    throw new ExplainedError(`${path} is a folder. Name a backup file in it.`);
  }
  const stream = createReadStream("", { fd: handle, highWaterMark: 1_048_576 });
  try {
    yield* readArchive(countBytes(stream, info.size, onProgress));
  } finally {
    stream.destroy();
    await handle.close().catch(() => {});
  }
}

export interface BackupSummary {
  readonly header: Header;
  readonly end: End;
}

/** Reads a whole backup file and verifies its version, order, checksums and length. */
export async function checkBackupFile(
  path: string,
  onProgress?: (progress: ReadProgress) => void,
): Promise<BackupSummary> {
  let header: Header | null = null;
  for await (const part of readBackupFile(path, onProgress)) {
    if (part.kind === "header") header = part.header;
    if (part.kind === "end" && header !== null) return { header, end: part.end };
  }
  throw new Error("a backup was read to its end without an end record");
}
