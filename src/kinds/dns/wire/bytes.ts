/** Thrown for every malformed message, whatever its bytes. */
export class WireFault extends Error {}

/** Reads big-endian values and never past the end. */
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

  /** Reads bytes that are prefixed with their length as u8. */
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
