import { escapeBytes, quoteBytes, readIpv4, readIpv6, WireFault, WireReader } from "./bytes.ts";
import { maxNameBytes, readName, skipName, writeName } from "./name.ts";
import { optType, writeType } from "./record-types.ts";

/** Formats the data of HTTPS and SVCB records (RFC 9460). */
function writeServiceBinding(reader: WireReader): string {
  const parts = [String(reader.short()), readName(reader)];
  let lastKey = -1;
  while (reader.left > 0) {
    const key = reader.short();
    if (key <= lastKey) throw new WireFault("the keys of a service binding are not in order");
    lastKey = key;
    const length = reader.short();
    const from = reader.skip(length);
    const value = writeParameter(key, new WireReader(reader.message, from, from + length));
    parts.push(value === null ? nameKey(key) : `${nameKey(key)}=${value}`);
  }
  return parts.join(" ");
}

const keys = {
  mandatory: 0,
  alpn: 1,
  "no-default-alpn": 2,
  port: 3,
  ipv4hint: 4,
  ech: 5,
  ipv6hint: 6,
  dohpath: 7,
} as const;
const keyNames = Object.keys(keys);

const nameKey = (key: number) => keyNames[key] ?? `key${key}`;

/** Formats the value of a service parameter; `null` if the parameter has no value. */
function writeParameter(key: number, reader: WireReader): string | null {
  switch (key) {
    case keys.mandatory:
      return readList(reader, () => nameKey(reader.short())).join(",");
    case keys.alpn:
      return `"${readList(reader, () => escapeListed(reader.string())).join(",")}"`;
    case keys["no-default-alpn"]:
      if (reader.left > 0) throw new WireFault("record data is longer than its type allows");
      return null;
    case keys.port: {
      const number = reader.short();
      if (reader.left > 0) throw new WireFault("record data is longer than its type allows");
      return String(number);
    }
    case keys.ipv4hint:
      return readList(reader, () => readIpv4(reader)).join(",");
    case keys.ipv6hint:
      return readList(reader, () => readIpv6(reader)).join(",");
    case keys.ech:
      return reader.bytes(reader.left).toString("base64");
    default:
      if (reader.left === 0) return null;
      return `"${escapeBytes(reader.bytes(reader.left), '"')}"`;
  }
}

function readList(reader: WireReader, read: () => string): string[] {
  const items: string[] = [];
  do items.push(read());
  while (reader.left > 0);
  return items;
}

/**
 * Escapes an entry of a list. Commas are escaped twice: for the list, and for the quoted string.
 */
function escapeListed(bytes: Buffer): string {
  const inList = bytes.toString("latin1").replace(/[\\,]/g, "\\$&");
  return escapeBytes(Buffer.from(inList, "latin1"), '"');
}

/** Data of a record: as plain text for comparisons, and in zone file syntax. */
interface RecordData {
  readonly data: string;
  readonly zoneText: string;
  /** True if the data does not match the record type. Both texts then show the bytes. */
  readonly isBroken: boolean;
}

type ReadData = (reader: WireReader) => string;

/**
 * Formats the data of a record. Invalid data is shown as bytes and does not affect other records.
 */
function readRecordData(message: Buffer, type: number, from: number, to: number) {
  const reader = new WireReader(message, from, to);
  try {
    if (type === txtType) return readTexts(reader);
    const read = readers.get(writeType(type));
    if (read === undefined) return writeUnknown(message.subarray(from, to), false);
    const text = read(reader);
    if (reader.left > 0) throw new WireFault("record data is longer than its type allows");
    return { data: text, zoneText: text, isBroken: false };
  } catch (error) {
    if (!(error instanceof WireFault)) throw error;
    return writeUnknown(message.subarray(from, to), true);
  }
}

const txtType = 16;

/**
 * Reads a TXT record and joins its strings. A text longer than 255 bytes is sent as several
 * strings.
 */
function readTexts(reader: WireReader): RecordData {
  let data = "";
  const quoted: string[] = [];
  do {
    const piece = reader.string();
    data += escapeBytes(piece, "");
    quoted.push(quoteBytes(piece));
  } while (reader.left > 0);
  return { data, zoneText: quoted.join(" "), isBroken: false };
}

/** Formats data of an unknown type, or invalid data, as in RFC 3597. */
function writeUnknown(bytes: Buffer, isBroken: boolean): RecordData {
  const text = bytes.length === 0 ? "\\# 0" : `\\# ${bytes.length} ${bytes.toString("hex")}`;
  return { data: text, zoneText: text, isBroken };
}

const readMx: ReadData = (reader) => `${reader.short()} ${readName(reader)}`;

const readSoa: ReadData = (reader) => {
  const names = `${readName(reader)} ${readName(reader)}`;
  const numbers = Array.from({ length: 5 }, () => reader.long());
  return `${names} ${numbers.join(" ")}`;
};

const readSrv: ReadData = (reader) => {
  const numbers = [reader.short(), reader.short(), reader.short()];
  return `${numbers.join(" ")} ${readName(reader)}`;
};

const readCaa: ReadData = (reader) => {
  const flags = reader.byte();
  const tag = reader.string().toString("latin1");
  if (!/^[A-Za-z0-9]+$/.test(tag))
    throw new WireFault("a tag contains characters other than letters and digits");
  return `${flags} ${tag} ${quoteBytes(reader.bytes(reader.left))}`;
};

const readers: ReadonlyMap<string, ReadData> = new Map([
  ["A", readIpv4],
  ["AAAA", readIpv6],
  ["NS", readName],
  ["CNAME", readName],
  ["DNAME", readName],
  ["PTR", readName],
  ["MX", readMx],
  ["SOA", readSoa],
  ["SRV", readSrv],
  ["CAA", readCaa],
  ["SVCB", writeServiceBinding],
  ["HTTPS", writeServiceBinding],
]);

const headerBytes = 12;
/**
 * Maximum size of UDP answers that queries announce. The size avoids fragmentation (DNS Flag Day
 * 2020).
 */
const udpPayloadBytes = 1_232;
const internetClass = 1;

/** Maximum stored size of an answer in bytes. */
export const maxKeptBytes = 8_192;
export const maxRecords = 100;
/** Maximum length of all stored texts. Compression pointers can expand even a short message. */
const maxTextLength = 32_768;

const isAnswer = 0x8000;
const authoritative = 0x0400;
const truncated = 0x0200;
const recursionDesired = 0x0100;
const recursionAvailable = 0x0080;
const authentic = 0x0020;
const checkingDisabled = 0x0010;

export interface Question {
  /** Queried name in ASCII without a trailing dot (see `parseQueryName`). The root is `.`. */
  readonly name: string;
  readonly type: number;
}

interface QueryOptions {
  readonly id: number;
  /** Whether the query announces EDNS (RFC 6891), which very old servers reject. */
  readonly isExtended: boolean;
}

export function encodeQuery({ name, type }: Question, { id, isExtended }: QueryOptions): Buffer {
  const message = Buffer.alloc(headerBytes + maxNameBytes + 4 + 11);
  message.writeUInt16BE(id, 0);
  message.writeUInt16BE(recursionDesired | authentic, 2);
  message.writeUInt16BE(1, 4);
  message.writeUInt16BE(isExtended ? 1 : 0, 10);
  let at = writeName(message, headerBytes, name);
  at = message.writeUInt16BE(type, at);
  at = message.writeUInt16BE(internetClass, at);
  if (isExtended) {
    at = message.writeUInt8(0, at);
    at = message.writeUInt16BE(optType, at);
    at = message.writeUInt16BE(udpPayloadBytes, at);
    // The next six bytes stay zero: extended response code, version, flags and an empty option
    // list.
    at += 6;
  }
  return message.subarray(0, at);
}

export interface ResourceRecord extends RecordData {
  readonly name: string;
  readonly type: string;
  readonly ttl: number;
}

export interface Message {
  readonly isAuthoritative: boolean;
  readonly isTruncated: boolean;
  readonly recursionDesired: boolean;
  readonly recursionAvailable: boolean;
  readonly authentic: boolean;
  readonly checkingDisabled: boolean;
  /** Response code, including the extended bits of RFC 6891. */
  readonly responseCode: number;
  readonly hasExtension: boolean;
  readonly question: { readonly name: string; readonly type: string } | null;
  readonly answers: readonly ResourceRecord[];
  readonly authorities: readonly ResourceRecord[];
  readonly additionals: readonly ResourceRecord[];
  /** Number of bytes up to the end of the last stored record. */
  readonly keptBytes: number;
  /** True if the message has more records than are stored. */
  readonly isCut: boolean;
}

/**
 * Returns whether a message answers the query. Both must have the same id and the same question. An
 * error response may omit the question, because the server may not have understood it.
 */
export function isAnswerTo(message: Buffer, query: Buffer): boolean {
  if (message.length < headerBytes || message.readUInt16BE(0) !== query.readUInt16BE(0)) {
    return false;
  }
  if ((message.readUInt16BE(2) & isAnswer) === 0) return false;
  if (message.readUInt16BE(4) === 0) return (message.readUInt16BE(2) & 0xf) !== 0;
  const length = findQuestionEnd(query) - headerBytes;
  if (message.readUInt16BE(4) !== 1 || message.length < headerBytes + length) return false;
  for (let at = headerBytes; at < headerBytes + length; at += 1) {
    if (toLowerCase(message.readUInt8(at)) !== toLowerCase(query.readUInt8(at))) return false;
  }
  return true;
}

/**
 * Converts a byte of a question to lower case, because names are case-insensitive. The length bytes
 * of labels do not change, because they are at most 63, which is less than the code of "A".
 */
const toLowerCase = (byte: number) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte);

/** Returns the end of the question in a query that this module built. */
function findQuestionEnd(query: Buffer): number {
  let at = headerBytes;
  while (query.readUInt8(at) > 0) at += query.readUInt8(at) + 1;
  return at + 5;
}

export function isTruncated(message: Buffer): boolean {
  return (message.readUInt16BE(2) & truncated) !== 0;
}

/**
 * Decodes an answer. Throws a `WireFault` if lengths, counts or names are inconsistent. If only the
 * data of a record is invalid, the record is marked as broken.
 *
 * With `mayEnd`, the message may contain fewer records than its header announces, because only the
 * beginning of a long message is stored.
 */
export function decodeMessage(message: Buffer, mayEnd = false): Message {
  const reader = new WireReader(message);
  reader.skip(2);
  const flags = reader.short();
  const counts = [reader.short(), reader.short(), reader.short(), reader.short()] as const;
  const [questions, ...records] = counts;
  if (questions > 1) throw new WireFault("it contains more than one question");
  const question = questions === 0 ? null : readQuestion(reader);
  const keeper = new RecordKeeper(reader, mayEnd);
  const [answers, authorities, additionals] = records.map((count) => keeper.read(count));
  if (reader.left > 0) throw new WireFault("it has bytes after its last record");
  const has = (flag: number) => (flags & flag) !== 0;
  return {
    isAuthoritative: has(authoritative),
    isTruncated: has(truncated),
    recursionDesired: has(recursionDesired),
    recursionAvailable: has(recursionAvailable),
    authentic: has(authentic),
    checkingDisabled: has(checkingDisabled),
    responseCode: (keeper.upperCode << 4) | (flags & 0xf),
    hasExtension: keeper.hasExtension,
    question,
    answers: answers ?? [],
    authorities: authorities ?? [],
    additionals: additionals ?? [],
    keptBytes: keeper.keptBytes,
    isCut: keeper.isCut,
  };
}

function readQuestion(reader: WireReader): { readonly name: string; readonly type: string } {
  const name = readName(reader);
  const type = reader.short();
  reader.skip(2);
  return { name, type: writeType(type) };
}

/** Reads all records and stores the first ones, up to the storage limits. */
class RecordKeeper {
  readonly #reader: WireReader;
  readonly #mayEnd: boolean;
  #recordCount = 0;
  #textLength = 0;
  keptBytes: number;
  isCut = false;
  hasExtension = false;
  upperCode = 0;

  constructor(reader: WireReader, mayEnd: boolean) {
    this.#reader = reader;
    this.#mayEnd = mayEnd;
    this.keptBytes = reader.at;
  }

  read(count: number): ResourceRecord[] {
    const kept: ResourceRecord[] = [];
    for (let place = 0; place < count; place += 1) {
      if (this.#mayEnd && this.#reader.left === 0) {
        this.isCut = true;
        break;
      }
      const record = this.#readRecord();
      if (record !== null) kept.push(record);
    }
    return kept;
  }

  /** Reads the name of a record. Once the storage limit is reached, skips the name instead. */
  #readOwner(): string {
    if (!this.isCut) return readName(this.#reader);
    skipName(this.#reader);
    return "";
  }

  /** Reads one record; returns `null` if the record is not stored. */
  #readRecord(): ResourceRecord | null {
    const reader = this.#reader;
    const name = this.#readOwner();
    const type = reader.short();
    reader.skip(2);
    const ttl = reader.long();
    const length = reader.short();
    const from = reader.skip(length);
    if (type === optType) {
      this.hasExtension = true;
      this.upperCode = ttl >>> 24;
      if (!this.isCut) this.keptBytes = reader.at;
      return null;
    }
    if (this.isCut) return null;
    const data = readRecordData(reader.message, type, from, from + length);
    this.#recordCount += 1;
    this.#textLength += name.length + data.data.length + data.zoneText.length;
    if (
      reader.at > maxKeptBytes ||
      this.#recordCount > maxRecords ||
      this.#textLength > maxTextLength
    ) {
      this.isCut = true;
      return null;
    }
    this.keptBytes = reader.at;
    return { name, type: writeType(type), ttl, ...data };
  }
}
