import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rename, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "../runtimes/workspace.ts";
import { isUnfinished, makeUnfinished, removeUnfinished } from "../unfinished.ts";

/**
 * Maximum size of the entries of one account, so that they cannot displace the entries of other
 * accounts.
 */
const maxScopeBytes = 2 * 2 ** 30;
const maxBytes = 10 * 2 ** 30;
const maxEntries = 300;

/**
 * Name of the subfolder with the content of an entry. The record of the entry is a file beside this
 * subfolder.
 */
export const contentName = "content";
const recordName = "record.json";

/** Result for an entry that cannot be created. */
export interface Unusable {
  readonly reason: string;
  /** Whether the code caused the failure, rather than this machine or its network. */
  readonly isFault: boolean;
}

/**
 * Time for which a failure is cached, because each new attempt would be as expensive as the first.
 */
const repeatFailureMs = 300_000;
const maxFailures = 500;

type Fill = (folder: string) => Promise<Unusable | { readonly bytes: number }>;

/**
 * Stores unpacked code, installed packages and compiled code of suites, in one folder per account.
 * An entry is complete or absent and never changes. If an account or the whole store exceeds its
 * limits, the least recently used entries are removed.
 */
export class SuiteStore {
  readonly #folder: string;
  readonly #open = new Map<string, Promise<string | Unusable>>();
  readonly #used = new Map<string, number>();
  readonly #failures = new Map<string, { readonly failure: Unusable; readonly untilMs: number }>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Returns the folder of an entry. If the entry does not exist, `fill` creates it. Concurrent
   * requests for the same entry share one `fill`.
   */
  async prepare(scope: string, name: string, fill: Fill): Promise<string | Unusable> {
    const place = placeOf(this.#folder, scope, name);
    const failed = this.#failures.get(place);
    if (failed !== undefined && failed.untilMs > Date.now()) return failed.failure;
    this.#failures.delete(place);
    let open = this.#open.get(place);
    if (open === undefined) {
      open = this.#fill(place, fill).finally(() => this.#open.delete(place));
      this.#open.set(place, open);
    }
    return open;
  }

  /** Protects entries from removal. Returns a function that ends the protection. */
  hold(folders: readonly string[]): () => void {
    const change = (by: number) => {
      for (const folder of folders) this.#used.set(folder, (this.#used.get(folder) ?? 0) + by);
    };
    change(1);
    return () => change(-1);
  }

  async #fill(place: string, fill: Fill): Promise<string | Unusable> {
    const content = join(place, contentName);
    if (existsSync(join(place, recordName))) {
      const now = new Date();
      await utimes(join(place, recordName), now, now);
      return content;
    }
    const scope = join(place, "..");
    await mkdir(scope, { recursive: true, mode: 0o755 });
    const folder = await makeUnfinished(scope);
    try {
      // Users of sandboxes without a file tree need access to subfolders.
      await chmod(folder, 0o755);
      await mkdir(join(folder, contentName), { mode: 0o755 });
      const result = await fill(join(folder, contentName));
      if ("reason" in result) {
        this.#remember(place, result);
        return result;
      }
      await writeFile(join(folder, recordName), JSON.stringify(result), { flush: true });
      await removeTree(place);
      await rename(folder, place);
    } finally {
      await removeTree(folder);
    }
    await this.#trim(place).catch(() => {});
    return content;
  }

  #remember(place: string, failure: Unusable): void {
    if (this.#failures.size >= maxFailures) this.#failures.clear();
    this.#failures.set(place, { failure, untilMs: Date.now() + repeatFailureMs });
  }

  /** Removes unfinished entries of killed processes. Call this before the first `prepare`. */
  async removeUnfinished(): Promise<void> {
    const scopes = await readdir(this.#folder).catch(() => []);
    for (const scope of scopes) await removeUnfinished(join(this.#folder, scope));
  }

  /**
   * Removes the least recently used entries that exceed the limits. The newest entry and entries in
   * use are not removed.
   */
  async #trim(newest: string): Promise<void> {
    const entries = await this.#list();
    const kept = { all: 0, count: 0, scopes: new Map<string, number>() };
    for (const { place, scope, bytes } of entries.toSorted((a, b) => b.usedAtMs - a.usedAtMs)) {
      const ofScope = (kept.scopes.get(scope) ?? 0) + bytes;
      const isTooMuch =
        ofScope > maxScopeBytes || kept.all + bytes > maxBytes || kept.count >= maxEntries;
      const isInUse = place === newest || (this.#used.get(join(place, contentName)) ?? 0) > 0;
      if (isTooMuch && !isInUse) {
        await removeTree(place);
        continue;
      }
      kept.scopes.set(scope, ofScope);
      kept.all += bytes;
      kept.count += 1;
    }
  }

  async #list() {
    const entries: { place: string; scope: string; bytes: number; usedAtMs: number }[] = [];
    for (const scope of await readdir(this.#folder)) {
      for (const name of await readdir(join(this.#folder, scope))) {
        const place = join(this.#folder, scope, name);
        if (isUnfinished(name)) continue;
        const record = join(place, recordName);
        const { bytes } = JSON.parse(await readFile(record, "utf8"));
        entries.push({ place, scope, bytes, usedAtMs: (await stat(record)).mtimeMs });
      }
    }
    return entries;
  }
}

/**
 * Returns the folder of an entry, which is separate for each account. Shared entries would let one
 * account change the code that another account executes.
 */
function placeOf(folder: string, scope: string, name: string): string {
  const owner = createHash("sha256").update(scope).digest("hex").slice(0, 32);
  return join(folder, owner, name);
}

export const nameCode = (digest: string) => `code-${digest}`;

/** Returns whether the code of a suite is already unpacked on this machine. */
export function hasCode(folder: string, scope: string, digest: string): boolean {
  return existsSync(join(placeOf(folder, scope, nameCode(digest)), recordName));
}
