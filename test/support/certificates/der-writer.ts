/**
 * Writes DER, the binary encoding of certificates, including encodings that no certificate
 * authority would sign.
 */

export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const digits = length.toString(16);
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex");
  return Buffer.concat([Buffer.from([tag, 0x80 + bytes.length]), bytes, content]);
}

export const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
export const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
export const octets = (bytes: Uint8Array) => der(0x04, bytes);
export const bits = (bytes: Uint8Array) => der(0x03, Buffer.from([0]), bytes);
export const utf8 = (text: string) => der(0x0c, Buffer.from(text));
export const isTrue = der(0x01, Buffer.from([0xff]));

/** Encodes a non-negative integer as DER, which requires the shortest form. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first === -1 ? bytes.subarray(-1) : bytes.subarray(first);
  return der(0x02, ...((digits[0] ?? 0) >= 0x80 ? [Buffer.from([0])] : []), digits);
}

/** Encodes a time as YYYYMMDDHHMMSSZ, which every parser accepts. */
export function time(ms: number): Buffer {
  const text = new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  return der(0x18, Buffer.from(text));
}
