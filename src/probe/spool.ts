import { hkdfSync } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { maxResultsInFrame, maxSpoolAgeMs } from "../contract/protocol.ts";
import { parseResult, type SignedResult } from "../contract/result.ts";
import { Encryption } from "../platform/encryption.ts";
import type { Log } from "../platform/log.ts";

interface SpoolOptions {
  readonly dir: string;
  /** Secret from which the files' encryption key is derived. The secret is not stored on disk. */
  readonly secret: string;
  readonly maxBytes: number;
  readonly nowMs: () => number;
  readonly log: Log;
}

/** The results of one file. They fit in one frame. */
interface Segment {
  readonly path: string;
  readonly results: readonly SignedResult[];
}

interface Known {
  readonly path: string;
  count: number;
  bytes: number;
  lastDeadlineMs: number;
}

const maxSegmentBytes = 512 * 1024;
const suffix = ".spool";

/**
 * Unsent results on disk, oldest first. The lines of a file are encrypted. Each line starts with
 * the number of its results and their latest deadline, which are not encrypted. Size and age are
 * limited, and dropped results are counted.
 */
export class Spool {
  readonly #options: SpoolOptions;
  readonly #seal: Encryption;
  readonly #segments: Known[] = [];
  #file: FileHandle | null = null;
  #number = 0;
  #last: Promise<unknown> = Promise.resolve();
  #dropped = 0;

  private constructor(options: SpoolOptions) {
    this.#options = options;
    const key = hkdfSync("sha256", options.secret, "", "spool", 32);
    this.#seal = new Encryption(Buffer.from(key));
  }

  static async open(options: SpoolOptions): Promise<Spool> {
    await mkdir(options.dir, { recursive: true, mode: 0o700 });
    const spool = new Spool(options);
    const names = (await readdir(options.dir)).filter((name) => name.endsWith(suffix)).sort();
    for (const name of names) await spool.#know(join(options.dir, name));
    const last = names.at(-1);
    spool.#number = last === undefined ? 0 : Number.parseInt(last, 10);
    await spool.#prune();
    return spool;
  }

  /** Number of results on disk. */
  get depth(): number {
    return this.#segments.reduce((sum, { count }) => sum + count, 0);
  }

  /** Number of results that were dropped since the probe started. */
  get dropped(): number {
    return this.#dropped;
  }

  noteDropped(count: number): void {
    this.#dropped += count;
  }

  /** Appends results; resolves when the results are on disk. */
  append(results: readonly SignedResult[]): Promise<void> {
    return this.#inTurn(() => this.#append(results));
  }

  /** Returns the oldest segment, or `null`. No results are added to this segment afterwards. */
  readOldest(): Promise<Segment | null> {
    return this.#inTurn(() => this.#readOldest());
  }

  remove({ path }: Segment): Promise<void> {
    return this.#inTurn(() => this.#drop(path));
  }

  close(): Promise<void> {
    return this.#inTurn(() => this.#closeFile());
  }

  /** Runs operations one at a time, because a segment must not grow while it is read. */
  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  async #append(results: readonly SignedResult[]): Promise<void> {
    const deadlineMs = Math.max(...results.map(({ deadlineAtMs }) => deadlineAtMs));
    const sealed = this.#seal.encrypt(JSON.stringify(results));
    const line = `${results.length} ${Math.ceil(deadlineMs)} ${sealed}\n`;
    const segment = await this.#openSegment(results.length, line.length);
    await this.#file?.appendFile(line);
    await this.#file?.datasync();
    segment.count += results.length;
    segment.bytes += line.length;
    segment.lastDeadlineMs = Math.max(segment.lastDeadlineMs, deadlineMs);
    await this.#prune();
  }

  async #readOldest(): Promise<Segment | null> {
    await this.#prune();
    const [oldest] = this.#segments;
    if (oldest === undefined) return null;
    if (this.#segments.length === 1) await this.#closeFile();
    const results = await this.#read(oldest);
    if (results.length > 0) return { path: oldest.path, results };
    await this.#drop(oldest.path);
    return this.#readOldest();
  }

  async #know(path: string): Promise<void> {
    const lines = (await readFile(path, "latin1")).split("\n").filter((line) => line !== "");
    const known: Known = { path, count: 0, bytes: 0, lastDeadlineMs: 0 };
    for (const line of lines) {
      const [count, deadlineMs] = line.split(" ", 2).map(Number);
      known.count += count || 0;
      known.bytes += line.length + 1;
      known.lastDeadlineMs = Math.max(known.lastDeadlineMs, deadlineMs || 0);
    }
    this.#segments.push(known);
  }

  async #openSegment(count: number, bytes: number): Promise<Known> {
    const current = this.#segments.at(-1);
    const hasRoom =
      current !== undefined &&
      current.count + count <= maxResultsInFrame &&
      current.bytes + bytes <= maxSegmentBytes;
    if (this.#file !== null && hasRoom) return current;
    await this.#closeFile();
    this.#number += 1;
    const path = join(this.#options.dir, `${String(this.#number).padStart(12, "0")}${suffix}`);
    this.#file = await open(path, "a", 0o600);
    const opened: Known = { path, count: 0, bytes: 0, lastDeadlineMs: 0 };
    this.#segments.push(opened);
    return opened;
  }

  async #closeFile(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }

  /** Reads a segment. Drops a line that is truncated or was encrypted with another key. */
  async #read({ path }: Known): Promise<SignedResult[]> {
    const text = await readFile(path, "latin1").catch(() => "");
    return text.split("\n").flatMap((line) => {
      if (line === "") return [];
      const [count, , sealed = ""] = line.split(" ");
      const opened = this.#seal.tryDecrypt(sealed);
      if (opened !== null)
        return (JSON.parse(opened) as unknown[]).flatMap((one) => parseResult(one) ?? []);
      this.#dropped += Number(count) || 0;
      this.#options.log.warn(
        "spooled results cannot be decrypted: they were written with another token",
      );
      return [];
    });
  }

  async #prune(): Promise<void> {
    const { maxBytes, nowMs, log } = this.#options;
    const oldestMs = nowMs() - maxSpoolAgeMs;
    let bytes = this.#segments.reduce((sum, segment) => sum + segment.bytes, 0);
    for (const segment of [...this.#segments]) {
      const isOpen = this.#file !== null && segment === this.#segments.at(-1);
      const isTooOld = segment.lastDeadlineMs < oldestMs && segment.count > 0;
      if (isOpen || !(isTooOld || bytes > maxBytes)) continue;
      bytes -= segment.bytes;
      log.warn({ results: segment.count, isTooOld }, "spooled results dropped");
      this.#dropped += segment.count;
      await this.#drop(segment.path);
    }
  }

  async #drop(path: string): Promise<void> {
    const at = this.#segments.findIndex((segment) => segment.path === path);
    if (at >= 0) this.#segments.splice(at, 1);
    await rm(path, { force: true });
  }
}
