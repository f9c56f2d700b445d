/**
 * Encodes and decodes the stored details of results. The format is binary and little-endian, except
 * for the values that are marked as big-endian, and every field has a size limit.
 */

/**
 * Rounds a number and limits it to the range from 0 to `max`, because probes are not trusted. NaN
 * becomes 0.
 */
const clamp = (value: number, max: number) => Math.min(Math.max(Math.round(value) || 0, 0), max);

/** Writes details. All details share one buffer, so `finish` returns a copy. */
export class DetailWriter {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(maxBytes: number) {
    this.#bytes = Buffer.alloc(maxBytes);
  }

  begin(): void {
    this.#at = 0;
  }

  get position(): number {
    return this.#at;
  }

  byte(value: number): void {
    this.#at = this.#bytes.writeUInt8(clamp(value, 0xff), this.#at);
  }

  bytes(values: Uint8Array): void {
    this.#bytes.set(values, this.#at);
    this.#at += values.length;
  }

  /** Writes at most 255 bytes of UTF-8. A longer text is cut at a character boundary. */
  text(value: string): void {
    const length = this.#bytes.write(value, this.#at + 1, 0xff);
    this.byte(length);
    this.#at += length;
  }

  /** Writes at most `maxBytes` (up to 65,535) bytes of UTF-8, cut at a character boundary. */
  longText(value: string, maxBytes: number): void {
    const length = this.#bytes.write(value, this.#at + 2, Math.min(maxBytes, 0xffff));
    this.short(length);
    this.#at += length;
  }

  long(value: number): void {
    this.#at = this.#bytes.writeUInt32LE(clamp(value, 0xffff_ffff), this.#at);
  }

  short(value: number): void {
    this.#at = this.#bytes.writeUInt16LE(clamp(value, 0xffff), this.#at);
  }

  real(value: number): void {
    this.#at = this.#bytes.writeFloatLE(value, this.#at);
  }

  /** Writes an i16 in big-endian, the format of PostgreSQL's `int2send`. */
  networkShort(value: number): void {
    this.#at = this.#bytes.writeInt16BE(clamp(value, 0x7fff), this.#at);
  }

  /** Writes an f32 in big-endian, the format of PostgreSQL's `float4send`. */
  networkReal(value: number): void {
    this.#at = this.#bytes.writeFloatBE(value, this.#at);
  }

  /** Overwrites a value that was written earlier, such as flags that are known only at the end. */
  replaceShort(at: number, value: number): void {
    this.#bytes.writeUInt16LE(value, at);
  }

  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#at));
  }
}

export class DetailReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, from = 0) {
    this.#bytes = bytes;
    this.#at = from;
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#skip(1));
  }

  bytes(length: number): Buffer {
    const from = this.#skip(length);
    return this.#bytes.subarray(from, from + length);
  }

  long(): number {
    return this.#bytes.readUInt32LE(this.#skip(4));
  }

  short(): number {
    return this.#bytes.readUInt16LE(this.#skip(2));
  }

  real(): number {
    return toShortest(this.#bytes.readFloatLE(this.#skip(4)));
  }

  networkShort(): number {
    return this.#bytes.readInt16BE(this.#skip(2));
  }

  /** Reads an f32 in big-endian; returns `null` for NaN. */
  networkReal(): number | null {
    const value = this.#bytes.readFloatBE(this.#skip(4));
    return Number.isNaN(value) ? null : toShortest(value);
  }

  text(): string {
    return this.bytes(this.byte()).toString("utf8");
  }

  longText(): string {
    return this.bytes(this.short()).toString("utf8");
  }

  #skip(length: number): number {
    const from = this.#at;
    this.#at += length;
    return from;
  }
}

/**
 * Returns the shortest decimal that rounds to the same float32, like PostgreSQL's output of a
 * `real`.
 */
export function toShortest(value: number): number {
  // A decimal with nine significant digits always rounds to the same float32, so only shorter
  // decimals have to be tested.
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
}
