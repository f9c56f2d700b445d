/** JSON, packed where it is long: NATS takes a megabyte at once. */
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { isTooDeep } from "../text/json-depth.ts";

export interface DecodedMessage {
  readonly message: unknown;
  /** Of its text, however small it was packed. */
  readonly bytes: number;
}

export interface EncodedMessage {
  readonly bytes: Uint8Array;
  readonly isPacked: boolean;
}

/** Smaller ones are not worth the time. */
const packFromBytes = 16_384;
/** Who sends is not trusted: a small message must not become a big one without end. */
export const maxUnpackedBytes = 8_388_608;
/** Deeper than any message of ours. */
const maxDepth = 64;
const params = { [constants.ZSTD_c_compressionLevel]: 1 };

export function encodeMessage(message: unknown): EncodedMessage {
  const bytes = Buffer.from(JSON.stringify(message));
  if (bytes.length < packFromBytes) return { bytes, isPacked: false };
  return { bytes: zstdCompressSync(bytes, { params }), isPacked: true };
}

/** Throws where it is not what we send. */
export function decodeMessage({ bytes, isPacked }: EncodedMessage): DecodedMessage {
  const plain = isPacked ? zstdDecompressSync(bytes, { maxOutputLength: maxUnpackedBytes }) : bytes;
  const { buffer, byteOffset, byteLength } = plain;
  const text = Buffer.from(buffer, byteOffset, byteLength).toString();
  if (isTooDeep(text, maxDepth)) throw new Error(`nested deeper than ${maxDepth} levels`);
  return { message: JSON.parse(text), bytes: byteLength };
}
