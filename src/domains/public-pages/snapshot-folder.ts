import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Lists the files written by this product in a folder; other files are never modified. */
const markerName = ".vedette-snapshot.json";
const urlPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const leftoverMs = 3_600_000;
const filePattern = /^(?:[a-z]+\/)?[a-z0-9][a-z0-9-]*\.[a-z0-9]{2,4}$/;

type SnapshotFiles = ReadonlyMap<string, string | Buffer>;

export interface StoredSnapshot {
  readonly writtenAt: Date | null;
  readonly fileCount: number;
  readonly bytes: number;
}

interface Marker {
  readonly accountId: string;
  readonly files: readonly string[];
}

function parseMarker(text: string): Marker | null {
  try {
    const { accountId, files } = JSON.parse(text);
    const isSound = typeof accountId === "string" && Array.isArray(files);
    return isSound ? { accountId, files: files.filter((file) => filePattern.test(file)) } : null;
  } catch {
    return null;
  }
}

async function readMarker(folder: string): Promise<Marker | null> {
  const text = await readFile(join(folder, markerName), "utf8").catch(() => null);
  return text === null ? null : parseMarker(text);
}

/** Replaces a file atomically: readers see the old file or the new one, never a part. */
async function replaceFile(
  temporary: string,
  path: string,
  content: string | Buffer,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await mkdir(temporary, { recursive: true });
  const fresh = join(temporary, randomUUID());
  try {
    await writeFile(fresh, content);
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

/** Writes one folder per public page, which any web server can serve. */
export class SnapshotFolder {
  readonly #root: string;
  readonly #temporary: string;

  constructor(root: string) {
    this.#root = root;
    this.#temporary = join(root, ".vedette-temporary");
  }

  /** Removes temporary files of a killed server. */
  async clean(now: Date): Promise<void> {
    for (const name of await readdir(this.#temporary).catch(() => [])) {
      const path = join(this.#temporary, name);
      const found = await stat(path).catch(() => null);
      // A recent file may belong to another server that is writing.
      if (found !== null && now.getTime() - found.mtimeMs > leftoverMs) {
        await rm(path, { force: true });
      }
    }
  }

  /** Maps pages that have a snapshot to their accounts. */
  async list(): Promise<ReadonlyMap<string, { readonly accountId: string }>> {
    const entries = await readdir(this.#root, { withFileTypes: true }).catch(() => []);
    const found = new Map<string, { readonly accountId: string }>();
    for (const entry of entries) {
      if (!entry.isDirectory() || !urlPattern.test(entry.name)) continue;
      const marker = await readMarker(join(this.#root, entry.name));
      if (marker !== null) found.set(entry.name, { accountId: marker.accountId });
    }
    return found;
  }

  /** Returns `null` if the account has no snapshot with this URL. */
  async find(url: string, accountId: string): Promise<StoredSnapshot | null> {
    const folder = this.#locate(url);
    const marker = await readMarker(folder);
    if (marker === null || marker.accountId !== accountId) return null;
    const written = await stat(join(folder, markerName)).catch(() => null);
    const files = await Promise.all(
      marker.files.map((name) => stat(join(folder, name)).catch(() => null)),
    );
    const found = files.filter((file) => file !== null);
    const bytes = found.reduce((sum, { size }) => sum + size, 0);
    return { writtenAt: written?.mtime ?? null, fileCount: found.length, bytes };
  }

  /** Writes a snapshot and removes files of the previous one that are no longer part of it. */
  async write(url: string, accountId: string, files: SnapshotFiles): Promise<void> {
    const folder = this.#locate(url);
    const before = await readMarker(folder);
    if (before === null) await this.#assertFree(folder);
    await mkdir(folder, { recursive: true });
    const names = [...files.keys()];
    const odd = names.find((name) => !filePattern.test(name));
    if (odd !== undefined) throw new Error(`a snapshot cannot have a file named ${odd}`);
    // The marker is written first, so that everything written after it can be removed again.
    const owned = { accountId, files: [...new Set([...names, ...(before?.files ?? [])])] };
    const put = (name: string, content: string | Buffer) =>
      replaceFile(this.#temporary, join(folder, name), content);
    await put(markerName, JSON.stringify(owned));
    for (const [name, content] of files) await put(name, content);
    const gone = before?.files.filter((name) => !files.has(name)) ?? [];
    for (const name of gone) await rm(join(folder, name), { force: true });
    await put(markerName, JSON.stringify({ accountId, files: names }));
  }

  async remove(url: string): Promise<void> {
    const folder = this.#locate(url);
    const marker = await readMarker(folder);
    if (marker === null) return;
    for (const name of marker.files) await rm(join(folder, name), { force: true });
    await rm(join(folder, markerName), { force: true });
    const inner = new Set(marker.files.map(dirname).filter((name) => name !== "."));
    // A folder that contains other files stays.
    for (const name of inner) await rmdir(join(folder, name)).catch(() => {});
    await rmdir(folder).catch(() => {});
  }

  #locate(url: string): string {
    if (!urlPattern.test(url)) throw new Error(`a snapshot cannot be written for ${url}`);
    return join(this.#root, url);
  }

  async #assertFree(folder: string): Promise<void> {
    const found = await stat(folder).catch(() => null);
    if (found === null) return;
    const names = found.isDirectory() ? await readdir(folder) : [folder];
    // Another writer may have written its marker meanwhile; the marker always comes first.
    if (names.length === 0 || (await readMarker(folder)) !== null) return;
    throw new Error(`${folder} contains files that are not part of a snapshot`);
  }
}
