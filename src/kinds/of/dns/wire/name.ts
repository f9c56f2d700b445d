import { escapeBytes, WireFault, type WireReader } from "./bytes.ts";

const maxLabelBytes = 63;
/** Maximum size of an encoded name, including the length bytes of all labels and of the root. */
export const maxNameBytes = 255;
/** Maximum number of compression pointers in a name, which has at most 127 labels. */
const maxPointers = 127;

/**
 * Characters that are escaped in names, because they have a meaning in zone files. For example, a
 * space ends the name.
 */
const markedInNames = '. "();@$';

const plainLabel = /^[A-Za-z0-9_-]+$/;

/**
 * Reads a name and appends a trailing dot. Each compression pointer must point before all positions
 * read so far, so that pointers cannot form a loop.
 */
export function readName(reader: WireReader): string {
  const { message } = reader;
  let { at, end } = reader;
  let lowest = at;
  let after = -1;
  let length = 1;
  let pointers = 0;
  let text = "";
  for (;;) {
    if (at >= end) throw new WireFault("a name points past the end");
    const size = message.readUInt8(at);
    if (size === 0) break;
    if (size > maxLabelBytes) {
      const target = readPointer(message, at, end);
      pointers += 1;
      if (target >= lowest) throw new WireFault("a pointer of a name does not point backwards");
      if (pointers > maxPointers) throw new WireFault("a name has too many pointers");
      if (after < 0) after = at + 2;
      at = target;
      lowest = target;
      end = message.length;
      continue;
    }
    length += size + 1;
    if (length > maxNameBytes) throw new WireFault("a name is longer than 255 bytes");
    if (at + 1 + size > end) throw new WireFault("a name points past the end");
    text += `${writeLabel(message, at + 1, at + 1 + size)}.`;
    at += size + 1;
  }
  reader.at = after < 0 ? at + 1 : after;
  return text === "" ? "." : text;
}

/** Skips a name without following its compression pointers. */
export function skipName(reader: WireReader): void {
  for (;;) {
    const size = reader.byte();
    if (size === 0) return;
    if (size > maxLabelBytes) {
      reader.at -= 1;
      readPointer(reader.message, reader.at, reader.end);
      reader.skip(2);
      return;
    }
    reader.skip(size);
  }
}

function readPointer(message: Buffer, at: number, end: number): number {
  if (message.readUInt8(at) < 0xc0) throw new WireFault("a name has a label of an unknown kind");
  if (at + 2 > end) throw new WireFault("a name points past the end");
  return message.readUInt16BE(at) & 0x3fff;
}

function writeLabel(message: Buffer, from: number, to: number): string {
  const text = message.toString("latin1", from, to);
  return plainLabel.test(text) ? text : escapeBytes(message.subarray(from, to), markedInNames);
}

/**
 * Writes a name that `parseQueryName` accepted. Such a name has no escapes. Returns the offset
 * after the name.
 */
export function writeName(message: Buffer, start: number, name: string): number {
  let at = start;
  for (const label of name === "." ? [] : name.split(".")) {
    at = message.writeUInt8(label.length, at);
    at += message.write(label, at, "latin1");
  }
  return message.writeUInt8(0, at);
}
