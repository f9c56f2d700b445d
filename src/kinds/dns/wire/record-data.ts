import { WireFault, WireReader } from "./bytes.ts";
import { readIpv4, readIpv6 } from "./ip-data.ts";
import { readName } from "./name.ts";
import { writeType } from "./record-types.ts";
import { writeServiceBinding } from "./service-binding.ts";
import { escapeBytes, quoteBytes } from "./text.ts";

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
