import { WireFault, WireReader } from "./bytes.ts";
import { readIpv4, readIpv6 } from "./ip-data.ts";
import { readName } from "./name.ts";
import { escapeBytes } from "./text.ts";

/** Formats the data of HTTPS and SVCB records (RFC 9460). */
export function writeServiceBinding(reader: WireReader): string {
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
