import { constants } from "node:fs";
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  rm,
  rmdir,
} from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { readCode } from "../../platform/errors.ts";
import type { S3Bucket } from "../../platform/object-storage.ts";

/** Range of bytes to read; both ends are inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Storage for files. Paths are relative, and only this domain creates them. */
export interface AssetPlace {
  /** Writes a whole file atomically: after a failure, the file does not exist. */
  write(path: string, content: Uint8Array): Promise<void>;
  /** Reads a range of a file; returns `null` if the file does not exist. */
  read(path: string, range: ByteRange): Promise<Readable | null>;
  /** Deletes a file; does nothing if the file does not exist. */
  remove(path: string): Promise<void>;
}

const temporary = ".part";

/** Stores files in a folder of this machine, readable only by the user of this process. */
export class FolderPlace implements AssetPlace {
  readonly #root: string;

  constructor(root: string) {
    this.#root = resolve(root);
  }

  async write(path: string, content: Uint8Array): Promise<void> {
    try {
      await this.#write(path, content);
    } catch (error) {
      // Another run may have deleted the folder because it was empty, so retry the write once.
      if (readCode(error) !== "ENOENT") throw error;
      await this.#write(path, content);
    }
  }

  async #write(path: string, content: Uint8Array): Promise<void> {
    const target = join(this.#root, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await this.#assertInside(path);
    const part = `${target}${temporary}`;
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const file = await open(part, flags, 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, target);
  }

  async read(path: string, { start, end }: ByteRange): Promise<Readable | null> {
    const file = await this.#open(path);
    if (file === null) return null;
    return file.createReadStream({ start, end });
  }

  async has(path: string): Promise<boolean> {
    const file = await this.#open(path);
    await file?.close();
    return file !== null;
  }

  async remove(path: string): Promise<void> {
    for (const ending of ["", temporary]) {
      const target = join(this.#root, path + ending);
      const isThere = await lstat(target).then(
        () => true,
        () => false,
      );
      if (!isThere) continue;
      await this.#assertInside(path);
      await rm(target, { force: true, recursive: true });
    }
    await this.#removeEmptyFolders(path);
  }

  /** Yields the paths of the files of each run, and removes empty folders. */
  async *listRuns(): AsyncGenerator<{ readonly run: string; readonly paths: string[] }> {
    for (const account of await this.#listFolders("")) {
      for (const check of await this.#listFolders(account)) {
        for (const run of await this.#listFolders(join(account, check))) {
          const folder = join(account, check, run);
          const names = await readdir(join(this.#root, folder)).catch(() => []);
          if (names.length === 0) await this.#removeEmptyFolders(join(folder, "none"));
          else yield { run, paths: names.map((name) => `${account}/${check}/${run}/${name}`) };
        }
      }
    }
  }

  /** Lists subfolders. Symbolic links are ignored, because this class never creates any. */
  async #listFolders(folder: string): Promise<string[]> {
    const entries = await readdir(join(this.#root, folder), { withFileTypes: true }).catch(
      () => [],
    );
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  }

  async #removeEmptyFolders(path: string): Promise<void> {
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
      const isRemoved = await rmdir(join(this.#root, folder)).then(
        () => true,
        () => false,
      );
      if (!isRemoved) return;
    }
  }

  /** Rejects a path if one of its folders is a symbolic link, which could lead outside the root. */
  async #assertInside(path: string): Promise<void> {
    const folder = dirname(path);
    const expected = join(await realpath(this.#root), folder);
    const actual = await realpath(join(this.#root, folder));
    if (actual !== expected) throw new Error("a folder of run files is a symbolic link");
  }

  async #open(path: string): Promise<FileHandle | null> {
    try {
      await this.#assertInside(path);
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      const file = await open(join(this.#root, path), flags);
      if ((await file.stat()).isFile()) return file;
      await file.close();
      return null;
    } catch (error) {
      const code = readCode(error);
      if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return null;
      throw error;
    }
  }
}

const prefix = "assets/";

/** Stores files as objects in a bucket that all servers share. Each write is atomic. */
export class BucketPlace implements AssetPlace {
  readonly #bucket: S3Bucket;

  constructor(bucket: S3Bucket) {
    this.#bucket = bucket;
  }

  async write(path: string, content: Uint8Array): Promise<void> {
    await this.#bucket.put(prefix + path, content, "application/octet-stream");
  }

  async read(path: string, range: ByteRange): Promise<Readable | null> {
    const content = await this.#bucket.get(prefix + path, range);
    return content === null ? null : Readable.from([content]);
  }

  async remove(path: string): Promise<void> {
    await this.#bucket.delete(prefix + path);
  }
}
