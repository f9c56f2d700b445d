import { createHash, type Hash } from "node:crypto";
import { constants, zstdCompressSync } from "node:zlib";
import {
  blockBytes,
  buildRecord,
  type End,
  type Header,
  magic,
  type RecordKind,
  recordKinds,
  type Sequences,
  type TableEnd,
  type TableStart,
} from "./format.ts";

/** Writes bytes in order; resolves when more can be written. */
export type WriteBytes = (bytes: Buffer) => Promise<void>;

const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Writes a backup sequentially, with one block of rows in memory. */
export class ArchiveWriter {
  readonly #write: WriteBytes;
  readonly #fileHash = createHash("sha256");
  #tableHash: Hash = createHash("sha256");
  #block: Buffer[] = [];
  #blockLength = 0;
  #tableBytes = 0;
  #tables = 0;
  #rows = 0;
  #bytes = 0;

  constructor(write: WriteBytes) {
    this.#write = write;
  }

  async begin(header: Header): Promise<void> {
    await this.#writeBytes(magic);
    await this.#writeJson(recordKinds.header, header);
  }

  async beginTable(start: TableStart): Promise<void> {
    this.#tableHash = createHash("sha256");
    this.#tableBytes = 0;
    await this.#writeJson(recordKinds.table, start);
  }

  /** Adds rows in COPY text format, split at any byte. */
  async addRows(chunk: Buffer): Promise<void> {
    this.#tableHash.update(chunk);
    this.#tableBytes += chunk.length;
    let rest = chunk;
    while (this.#blockLength + rest.length >= blockBytes) {
      const taken = rest.subarray(0, blockBytes - this.#blockLength);
      rest = rest.subarray(taken.length);
      this.#block.push(taken);
      this.#blockLength += taken.length;
      await this.#writeBlock();
    }
    if (rest.length === 0) return;
    this.#block.push(rest);
    this.#blockLength += rest.length;
  }

  async endTable(rows: number): Promise<TableEnd> {
    await this.#writeBlock();
    const end = { rows, bytes: this.#tableBytes, sha256: this.#tableHash.digest("hex") };
    this.#tables += 1;
    this.#rows += rows;
    this.#bytes += this.#tableBytes;
    await this.#writeJson(recordKinds.tableEnd, end);
    return end;
  }

  async end(sequences: Sequences): Promise<End> {
    await this.#writeJson(recordKinds.sequences, sequences);
    const end = {
      tables: this.#tables,
      rows: this.#rows,
      bytes: this.#bytes,
      sha256: this.#fileHash.digest("hex"),
    };
    await this.#write(buildRecord(recordKinds.end, Buffer.from(JSON.stringify(end))));
    return end;
  }

  async #writeBlock(): Promise<void> {
    if (this.#blockLength === 0) return;
    const block = Buffer.concat(this.#block);
    this.#block = [];
    this.#blockLength = 0;
    await this.#writeBytes(buildRecord(recordKinds.data, zstdCompressSync(block, compression)));
  }

  #writeJson(kind: RecordKind, value: unknown): Promise<void> {
    return this.#writeBytes(buildRecord(kind, Buffer.from(JSON.stringify(value))));
  }

  #writeBytes(bytes: Buffer): Promise<void> {
    this.#fileHash.update(bytes);
    return this.#write(bytes);
  }
}
