/**
 * Formats untrusted bytes as text. Printable ASCII characters remain, with a backslash before those
 * in `marked` and before each backslash. Any other byte becomes a backslash and three digits, as in
 * zone files (RFC 1035, section 5.1).
 */
export function escapeBytes(bytes: Uint8Array, marked: string): string {
  let text = "";
  for (const byte of bytes) {
    if (byte < 0x20 || byte > 0x7e) {
      text += `\\${String(byte).padStart(3, "0")}`;
      continue;
    }
    const character = String.fromCharCode(byte);
    text += character === "\\" || marked.includes(character) ? `\\${character}` : character;
  }
  return text;
}

export function quoteBytes(bytes: Uint8Array): string {
  return `"${escapeBytes(bytes, '"')}"`;
}

/** Thrown if a message is malformed. */
export class WireFault extends Error {}

/** Reads big-endian values from a message. Throws a `WireFault` instead of reading past the end. */
export class WireReader {
  readonly message: Buffer;
  readonly end: number;
  at: number;

  constructor(message: Buffer, at = 0, end = message.length) {
    this.message = message;
    this.at = at;
    this.end = end;
  }

  get left(): number {
    return this.end - this.at;
  }

  byte(): number {
    return this.message.readUInt8(this.skip(1));
  }

  short(): number {
    return this.message.readUInt16BE(this.skip(2));
  }

  long(): number {
    return this.message.readUInt32BE(this.skip(4));
  }

  bytes(length: number): Buffer {
    const from = this.skip(length);
    return this.message.subarray(from, from + length);
  }

  /** Reads a byte string that is prefixed with its length as u8. */
  string(): Buffer {
    return this.bytes(this.byte());
  }

  skip(length: number): number {
    const from = this.at;
    if (length > this.end - from) throw new WireFault("a length points past the end");
    this.at = from + length;
    return from;
  }
}

export function readIpv4(reader: WireReader): string {
  return reader.bytes(4).join(".");
}

/** Reads an IPv6 address and formats it in its shortest form (RFC 5952). */
export function readIpv6(reader: WireReader): string {
  const groups = Array.from({ length: 8 }, () => reader.short());
  let best = { from: 0, length: 1 };
  for (let from = 0; from < 8; from += 1) {
    let to = from;
    while (to < 8 && groups[to] === 0) to += 1;
    if (to - from > best.length) best = { from, length: to - from };
  }
  const write = (some: readonly number[]) => some.map((group) => group.toString(16)).join(":");
  if (best.length < 2) return write(groups);
  return `${write(groups.slice(0, best.from))}::${write(groups.slice(best.from + best.length))}`;
}
