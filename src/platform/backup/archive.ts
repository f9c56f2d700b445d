import { createHash, type Hash } from "node:crypto";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { ExplainedError } from "../errors.ts";
import {
  type ArchiveRecord,
  advice,
  blockBytes,
  buildRecord,
  damaged,
  type End,
  type Header,
  magic,
  parseEnd,
  parseHeader,
  parseRecordHead,
  parseSequences,
  parseTableEnd,
  parseTableStart,
  type RecordKind,
  recordHeaderBytes,
  recordKinds,
  rejectWrongChecksum,
  type Sequences,
  type TableEnd,
  type TableStart,
} from "./format.ts";

/** Writes bytes after all previous bytes. Resolves when more bytes may be written. */
type WriteBytes = (bytes: Buffer) => Promise<void>;

const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Writes a backup sequentially. Only one block of rows is in memory at a time. */
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

  /** Adds a chunk of rows in COPY text format. A chunk may end in the middle of a row. */
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

export type ArchivePart =
  | { readonly kind: "header"; readonly header: Header }
  | { readonly kind: "table"; readonly start: TableStart }
  | { readonly kind: "rows"; readonly rows: Buffer }
  | { readonly kind: "table-end"; readonly end: TableEnd }
  | { readonly kind: "sequences"; readonly sequences: Sequences }
  | { readonly kind: "end"; readonly end: End };

/** Reads exact numbers of bytes from a stream of chunks of any size. */
class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer[] = [];
  #heldLength = 0;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Returns the next `length` bytes; `null` at the end of the file. Throws if fewer are left. */
  async take(length: number): Promise<Buffer | null> {
    while (this.#heldLength < length) {
      const next = await this.#chunks.next();
      if (next.done === true) {
        if (this.#heldLength === 0) return null;
        throw truncated();
      }
      this.#held.push(next.value);
      this.#heldLength += next.value.length;
    }
    const all = this.#held.length === 1 ? this.#held[0] : Buffer.concat(this.#held);
    const bytes = all ?? Buffer.alloc(0);
    this.#held = bytes.length === length ? [] : [bytes.subarray(length)];
    this.#heldLength = bytes.length - length;
    return bytes.subarray(0, length);
  }

  async getAll(length: number): Promise<Buffer> {
    if (length === 0) return Buffer.alloc(0);
    const bytes = await this.take(length);
    if (bytes === null) throw truncated();
    return bytes;
  }
}

function truncated(): ExplainedError {
  return new ExplainedError(`The backup file is truncated.\n${advice}`);
}

async function readMagic(source: ByteSource): Promise<void> {
  const found = await source.take(magic.length).catch(() => null);
  if (found?.equals(magic)) return;
  throw new ExplainedError(
    "This is not a Vedette backup, or its start is damaged.\n" +
      "Name a file written by `vedette backup FILE`.",
  );
}

function decompress(payload: Buffer): Buffer {
  try {
    return zstdDecompressSync(payload, { maxOutputLength: blockBytes });
  } catch {
    throw damaged("a block cannot be decompressed");
  }
}

/** Verifies the order of the parts of a backup file. */
class PartOrder {
  #expected: ReadonlySet<ArchiveRecord["kind"]> = new Set(["H"]);
  static readonly #next: Readonly<Record<ArchiveRecord["kind"], readonly string[]>> = {
    H: ["T", "S"],
    T: ["D", "E"],
    D: ["D", "E"],
    E: ["T", "S"],
    S: ["Z"],
    Z: [],
  };

  accept(kind: ArchiveRecord["kind"]): void {
    if (!this.#expected.has(kind)) throw damaged("its records are out of order");
    this.#expected = new Set(PartOrder.#next[kind] as ArchiveRecord["kind"][]);
  }
}

/**
 * Counts the tables, rows and bytes of a file, and compares counts and checksums with the recorded
 * ones.
 */
class Totals {
  #hash: Hash = createHash("sha256");
  #tableBytes = 0;
  tables = 0;
  rows = 0;
  bytes = 0;

  begin(): void {
    this.#hash = createHash("sha256");
    this.#tableBytes = 0;
  }

  add(rows: Buffer): void {
    this.#hash.update(rows);
    this.#tableBytes += rows.length;
  }

  close(end: TableEnd): void {
    if (end.sha256 !== this.#hash.digest("hex") || end.bytes !== this.#tableBytes) {
      throw damaged("the checksum of a table's rows does not match");
    }
    this.tables += 1;
    this.rows += end.rows;
    this.bytes += end.bytes;
  }

  compare(end: End, fileHash: string): void {
    const { tables, rows, bytes, sha256 } = end;
    const isSame = tables === this.tables && rows === this.rows && bytes === this.bytes;
    if (!isSame || sha256 !== fileHash) throw damaged("its checksum does not match");
  }
}

function readPart({ kind, payload }: ArchiveRecord): ArchivePart {
  if (kind === "H") return { kind: "header", header: parseHeader(payload) };
  if (kind === "T") return { kind: "table", start: parseTableStart(payload) };
  if (kind === "D") return { kind: "rows", rows: decompress(payload) };
  if (kind === "E") return { kind: "table-end", end: parseTableEnd(payload) };
  if (kind === "S") return { kind: "sequences", sequences: parseSequences(payload) };
  return { kind: "end", end: parseEnd(payload) };
}

function countPart(part: ArchivePart, totals: Totals): void {
  if (part.kind === "table") totals.begin();
  else if (part.kind === "rows") totals.add(part.rows);
  else if (part.kind === "table-end") totals.close(part.end);
}

/**
 * Reads and verifies a backup file. Only the last part proves that the whole file is intact, so
 * callers must read all parts before they change any data.
 */
export async function* readArchive(chunks: AsyncIterable<Buffer>): AsyncGenerator<ArchivePart> {
  const source = new ByteSource(chunks);
  await readMagic(source);
  const fileHash = createHash("sha256").update(magic);
  const order = new PartOrder();
  const totals = new Totals();
  for (;;) {
    const head = await source.getAll(recordHeaderBytes);
    const { kind, length } = parseRecordHead(head);
    const payload = await source.getAll(length);
    rejectWrongChecksum(head, payload);
    order.accept(kind);
    const part = readPart({ kind, payload });
    if (part.kind === "end") {
      totals.compare(part.end, fileHash.digest("hex"));
      if ((await source.take(1)) !== null) throw damaged("there is data after its end");
      yield part;
      return;
    }
    fileHash.update(head).update(payload);
    countPart(part, totals);
    yield part;
  }
}
