import { crc32 } from "node:zlib";
import { type Static, type TSchema, Type } from "typebox";
import { Value } from "typebox/value";
import { ExplainedError } from "../errors.ts";

/**
 * Format of a backup file; docs/operate.md describes it for operators. The file starts with a magic
 * line, which is followed by records. A record consists of its kind (1 byte), the length of the
 * payload (4 bytes), a CRC-32 of kind, length and payload (4 bytes), and the payload. The order of
 * the records is: header, tables (start, data, end), sequences, end.
 */
export const formatVersion = 1;
export const magic = Buffer.from("VEDETTE-BACKUP\r\n\x1a\n", "latin1");

export const recordKinds = {
  header: "H",
  table: "T",
  data: "D",
  tableEnd: "E",
  sequences: "S",
  end: "Z",
} as const;
export type RecordKind = (typeof recordKinds)[keyof typeof recordKinds];

export interface ArchiveRecord {
  readonly kind: RecordKind;
  readonly payload: Buffer;
}

export const recordHeaderBytes = 9;
/** Size of a block in bytes. Rows are split into blocks, and each block is compressed. */
export const blockBytes = 1_048_576;
/**
 * Maximum size of a payload. It exceeds the block size, because Zstandard may enlarge a block that
 * cannot be compressed.
 */
export const maxPayloadBytes = 2 * blockBytes;

const Sha256 = Type.String({ pattern: "^[0-9a-f]{64}$" });
const Name = Type.String({ minLength: 1, maxLength: 200 });
const Count = Type.Integer({ minimum: 0 });

export const SealedKey = Type.Object({
  salt: Type.String({ maxLength: 100 }),
  sealed: Type.String({ maxLength: 500 }),
});

export const Header = Type.Object({
  format: Type.Literal(formatVersion),
  program: Name,
  postgres: Name,
  startedAt: Type.String({ maxLength: 40 }),
  /** Migrations applied to the database, in order. They define the version of its schema. */
  migrations: Type.Array(Type.Object({ name: Name, checksum: Sha256 })),
  /**
   * A known text that was encrypted with the encryption key of the database. A key that decrypts it
   * is the right key. `null` if no server has written the text to the database yet.
   */
  sealedText: Type.Union([Type.Null(), Type.String({ maxLength: 1_000 })]),
  /** The encryption key, encrypted with a passphrase; `null` if the file does not include it. */
  key: Type.Union([Type.Null(), SealedKey]),
});
export type Header = Static<typeof Header>;

export const TableStart = Type.Object({
  name: Name,
  columns: Type.Array(Name, { maxItems: 1_600 }),
  partition: Type.Union([
    Type.Null(),
    Type.Object({
      parent: Name,
      bound: Type.String({ maxLength: 10_000, pattern: "^(FOR VALUES [^;]*|DEFAULT)$" }),
    }),
  ]),
});
export type TableStart = Static<typeof TableStart>;

export const TableEnd = Type.Object({ rows: Count, bytes: Count, sha256: Sha256 });
export type TableEnd = Static<typeof TableEnd>;

export const Sequences = Type.Array(
  Type.Object({
    name: Name,
    lastValue: Type.String({ pattern: "^-?[0-9]{1,19}$" }),
    isCalled: Type.Boolean(),
  }),
);
export type Sequences = Static<typeof Sequences>;

/** Last record of a backup. Its checksum covers every byte of the file before this record. */
export const End = Type.Object({ tables: Count, rows: Count, bytes: Count, sha256: Sha256 });
export type End = Static<typeof End>;

export const advice = "Use another backup file: this one cannot be restored.";

export function damaged(what: string): ExplainedError {
  return new ExplainedError(`The backup file is damaged: ${what}.\n${advice}`);
}

export function buildRecord(kind: RecordKind, payload: Buffer): Buffer {
  if (payload.length > maxPayloadBytes) throw new Error("a record of a backup is too long");
  const head = Buffer.alloc(recordHeaderBytes);
  head.write(kind, 0, "latin1");
  head.writeUInt32BE(payload.length, 1);
  head.writeUInt32BE(crc32(payload, crc32(head.subarray(0, 5))), 5);
  return Buffer.concat([head, payload]);
}

const kinds = new Set<string>(Object.values(recordKinds));

export function parseRecordHead(head: Buffer): { readonly kind: RecordKind; length: number } {
  const kind = head.toString("latin1", 0, 1);
  const length = head.readUInt32BE(1);
  if (!kinds.has(kind) || length > maxPayloadBytes) throw damaged("a record has an unknown kind");
  return { kind: kind as RecordKind, length };
}

export function rejectWrongChecksum(head: Buffer, payload: Buffer): void {
  if (crc32(payload, crc32(head.subarray(0, 5))) !== head.readUInt32BE(5)) {
    throw damaged("a checksum does not match");
  }
}

function readJson(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString("utf8"));
  } catch {
    throw damaged("a record is not valid JSON");
  }
}

function parseAs<Schema extends TSchema>(schema: Schema, payload: Buffer): Static<Schema> {
  const value = readJson(payload);
  if (!Value.Check(schema, value)) throw damaged("a record has invalid fields");
  return value as Static<Schema>;
}

/**
 * Parses the header. If a newer version of Vedette wrote the backup in a newer format, throws an
 * error that asks the operator to restore the backup with that version.
 */
export function parseHeader(payload: Buffer): Header {
  const value = readJson(payload) as { readonly format?: unknown; readonly program?: unknown };
  if (typeof value.format === "number" && value.format > formatVersion) {
    throw new ExplainedError(
      `The backup was made by a newer version of Vedette (${String(value.program)}).\n` +
        "Restore it with that version: `git pull && npm ci`, then the same command.",
    );
  }
  return parseAs(Header, payload);
}

export const parseTableStart = (payload: Buffer): TableStart => parseAs(TableStart, payload);
export const parseTableEnd = (payload: Buffer): TableEnd => parseAs(TableEnd, payload);
export const parseSequences = (payload: Buffer): Sequences => parseAs(Sequences, payload);
export const parseEnd = (payload: Buffer): End => parseAs(End, payload);
