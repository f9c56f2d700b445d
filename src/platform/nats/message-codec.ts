/** JSON, compressed if it is long: NATS limits messages to one megabyte. */
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { isTooDeep } from "../text/json-depth.ts";

export interface DecodedMessage {
  readonly message: unknown;
  /** Length of the text before compression. */
  readonly bytes: number;
}

export interface EncodedMessage {
  readonly bytes: Uint8Array;
  readonly isPacked: boolean;
}

/** Smaller messages are not worth compressing. */
const packFromBytes = 16_384;
/** Senders are not trusted: a small message must not decompress to unbounded size. */
export const maxUnpackedBytes = 8_388_608;
/** Deeper than any valid message. */
const maxDepth = 64;
const params = { [constants.ZSTD_c_compressionLevel]: 1 };

export function encodeMessage(message: unknown): EncodedMessage {
  const bytes = Buffer.from(JSON.stringify(message));
  if (bytes.length < packFromBytes) return { bytes, isPacked: false };
  return { bytes: zstdCompressSync(bytes, { params }), isPacked: true };
}

/** Throws if the message is invalid. */
export function decodeMessage({ bytes, isPacked }: EncodedMessage): DecodedMessage {
  const plain = isPacked ? zstdDecompressSync(bytes, { maxOutputLength: maxUnpackedBytes }) : bytes;
  const { buffer, byteOffset, byteLength } = plain;
  const text = Buffer.from(buffer, byteOffset, byteLength).toString();
  if (isTooDeep(text, maxDepth)) throw new Error(`nested deeper than ${maxDepth} levels`);
  return { message: JSON.parse(text), bytes: byteLength };
}
