import { escapeBytes, quoteBytes, readIpv4, readIpv6, WireFault, WireReader } from "./bytes.ts";
import { readName } from "./name.ts";
import { writeType } from "./record-types.ts";

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

/** Returns `null` if the key has no value. */
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

/** Commas are escaped twice, once for the list and once for the quoted string. */
function escapeListed(bytes: Buffer): string {
  const inList = bytes.toString("latin1").replace(/[\\,]/g, "\\$&");
  return escapeBytes(Buffer.from(inList, "latin1"), '"');
}

/** The data of a record, in comparable form and in zone file syntax. */
export interface RecordData {
  readonly data: string;
  readonly zoneText: string;
  /** The data does not match its type; it is shown as bytes. */
  readonly isBroken: boolean;
}

type ReadData = (reader: WireReader) => string;

/** Reads the data of one record. Invalid data is shown and does not affect other records. */
export function readRecordData(message: Buffer, type: number, from: number, to: number) {
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

/** Long texts are sent as strings of up to 255 bytes, which are joined here. */
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

/** Formats data of an unknown type as in RFC 3597. */
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
