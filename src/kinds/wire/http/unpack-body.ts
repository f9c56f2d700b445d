import type { Transform } from "node:stream";
import zlib from "node:zlib";
import type { HeaderField, HttpMeasurement, UnpackedBody } from "./http-measurement.ts";

/** Memory limit for the bodies of all concurrent runs together. */
const maxTotalBytes = 64 * 1_048_576;
let totalBytes = 0;

const smallestBytes = 4_096;

/**
 * Collects the beginning of a body. A server may send single bytes, and one object per chunk would
 * then be too expensive. Chunks are therefore copied into one buffer.
 */
export class BodyBuffer {
  readonly #maxBytes: number;
  #bytes: Buffer | null = null;
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds a chunk; returns false if the memory limit of all bodies is reached. */
  add(chunk: Buffer): boolean {
    const kept = Math.min(chunk.length, this.#maxBytes - this.#length);
    if (kept <= 0) return true;
    if (!this.#reserve(this.#length + kept)) return false;
    chunk.copy(this.#bytes as Buffer, this.#length, 0, kept);
    this.#length += kept;
    return true;
  }

  /** Returns the collected bytes, which no longer count against the memory limit. */
  take(): Buffer {
    const bytes = this.#bytes?.subarray(0, this.#length) ?? Buffer.alloc(0);
    totalBytes -= this.#bytes?.length ?? 0;
    this.#bytes = null;
    this.#length = 0;
    return bytes;
  }

  #reserve(length: number): boolean {
    const held = this.#bytes?.length ?? 0;
    if (length <= held) return true;
    const size = Math.min(this.#maxBytes, Math.max(length, 2 * held, smallestBytes));
    if (totalBytes + size - held > maxTotalBytes) return false;
    const grown = Buffer.allocUnsafe(size);
    this.#bytes?.copy(grown, 0, 0, this.#length);
    totalBytes += size - held;
    this.#bytes = grown;
    return true;
  }
}

/** Maximum number of nested content codings. */
const maxCodings = 3;

const unpackers: ReadonlyMap<string, () => Transform> = new Map([
  ["gzip", () => zlib.createGunzip({ finishFlush: zlib.constants.Z_SYNC_FLUSH })],
  ["x-gzip", () => zlib.createGunzip({ finishFlush: zlib.constants.Z_SYNC_FLUSH })],
  ["br", () => zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH })],
  ["zstd", () => zlib.createZstdDecompress({ finishFlush: zlib.constants.ZSTD_e_flush })],
]);

interface Unpacked {
  readonly bytes: Buffer;
  readonly isCut: boolean;
  readonly fault: string | null;
}

/**
 * Decompresses a body and decodes it as text. A truncated body is decompressed as far as possible.
 * Decompression stops at `maxBytes`, so that the work is bounded for any input.
 */
export async function unpackBody(
  body: Buffer,
  {
    headers,
    bodyEnd,
    receivedBytes,
  }: Pick<HttpMeasurement, "headers" | "bodyEnd" | "receivedBytes">,
  maxBytes: number,
): Promise<UnpackedBody> {
  const isPartial = bodyEnd !== "complete" || receivedBytes > body.length;
  const { bytes, isCut, fault } = await undoCodings(body, listCodings(headers), maxBytes);
  const isShort = isCut || isPartial;
  return { text: decodeText(bytes, headers, isShort), bytes: bytes.length, isCut: isShort, fault };
}

function findHeader(headers: readonly HeaderField[], wanted: string): string {
  return headers
    .filter(([name]) => name === wanted)
    .map(([, value]) => value)
    .join(",");
}

/** Returns the content codings of a response, in the order in which the server applied them. */
function listCodings(headers: readonly HeaderField[]): string[] {
  return findHeader(headers, "content-encoding")
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity");
}

async function undoCodings(
  body: Buffer,
  codings: readonly string[],
  maxBytes: number,
): Promise<Unpacked> {
  const whole = { bytes: body.subarray(0, maxBytes), isCut: body.length > maxBytes, fault: null };
  if (codings.length === 0 || body.length === 0) return whole;
  if (codings.length > maxCodings) {
    return { ...whole, fault: `The body has more than ${maxCodings} content codings.` };
  }
  let unpacked: Unpacked = { bytes: body, isCut: false, fault: null };
  for (const coding of codings.toReversed()) {
    const unpacker = createUnpacker(coding, unpacked.bytes);
    if (unpacker === null) {
      return { ...whole, fault: "The body has a content coding that this probe does not support." };
    }
    const next = await unpack(unpacked.bytes, unpacker, maxBytes);
    unpacked = { ...next, isCut: next.isCut || unpacked.isCut };
    if (next.fault !== null) return unpacked;
  }
  return unpacked;
}

/**
 * Creates the decompressor of a coding. For `deflate`, it accepts data without the required zlib
 * header, because many servers leave the header out.
 */
function createUnpacker(coding: string, bytes: Buffer): Transform | null {
  if (coding !== "deflate") return unpackers.get(coding)?.() ?? null;
  const options = { finishFlush: zlib.constants.Z_SYNC_FLUSH };
  const hasHeader = ((bytes[0] ?? 0) & 0x0f) === 8;
  return hasHeader ? zlib.createInflate(options) : zlib.createInflateRaw(options);
}

function unpack(bytes: Buffer, unpacker: Transform, maxBytes: number): Promise<Unpacked> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (isCut: boolean, fault: string | null) => {
      resolve({ bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut, fault });
      unpacker.destroy();
    };
    unpacker.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) finish(true, null);
    });
    unpacker.on("end", () => finish(false, null));
    unpacker.on("error", () => finish(true, "The body does not match its Content-Encoding."));
    unpacker.end(bytes);
  });
}

/**
 * Decodes a body with the charset of the response. Uses UTF-8 if the charset is missing or unknown.
 */
function decodeText(bytes: Buffer, headers: readonly HeaderField[], isCut: boolean): string {
  if (bytes.length === 0) return "";
  const charset = /charset\s*=\s*"?([\w.:-]{1,40})/i.exec(findHeader(headers, "content-type"))?.[1];
  return createDecoder(charset ?? "utf-8").decode(bytes, { stream: isCut });
}

function createDecoder(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder("utf-8");
  }
}
