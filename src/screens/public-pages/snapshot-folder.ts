import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** File that lists the files written by this product; other files are never modified. */
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

/** Replaces a file atomically, so that readers see the complete old or the complete new file. */
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

/** Writes each public page into its own folder, which any web server can serve. */
export class SnapshotFolder {
  readonly #root: string;
  readonly #temporary: string;

  constructor(root: string) {
    this.#root = root;
    this.#temporary = join(root, ".vedette-temporary");
  }

  /** Removes temporary files that a killed server left. */
  async clean(now: Date): Promise<void> {
    for (const name of await readdir(this.#temporary).catch(() => [])) {
      const path = join(this.#temporary, name);
      const found = await stat(path).catch(() => null);
      // A recent temporary file may belong to another server that is currently writing.
      if (found !== null && now.getTime() - found.mtimeMs > leftoverMs) {
        await rm(path, { force: true });
      }
    }
  }

  /**
   * Lists the snapshots in the folder. The key of each entry is the URL segment of a page, and the
   * value contains the account that owns the page.
   */
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

  /** Finds a snapshot; returns `null` if the account has no snapshot with this URL. */
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

  /** Writes a snapshot, and removes files that only the previous snapshot contained. */
  async write(url: string, accountId: string, files: SnapshotFiles): Promise<void> {
    const folder = this.#locate(url);
    const before = await readMarker(folder);
    if (before === null) await this.#assertFree(folder);
    await mkdir(folder, { recursive: true });
    const names = [...files.keys()];
    const odd = names.find((name) => !filePattern.test(name));
    if (odd !== undefined) throw new Error(`a snapshot cannot have a file named ${odd}`);
    // The list of files is written first, so that after a crash all files can be removed.
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
    // `rmdir` fails for a folder that contains other files. Such a folder stays.
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
    // Another server may have created the folder a moment ago. The folder is then empty or contains
    // the list of its snapshot files. In either case, a snapshot may be written to the folder.
    if (names.length === 0 || (await readMarker(folder)) !== null) return;
    throw new Error(`${folder} contains files that are not part of a snapshot`);
  }
}
