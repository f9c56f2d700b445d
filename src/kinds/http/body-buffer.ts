/** Memory limit for the bodies of all concurrent runs. */
const maxTotalBytes = 64 * 1_048_576;
let totalBytes = 0;

const smallestBytes = 4_096;

/**
 * Keeps the beginning of a body. Chunks are copied into one buffer, because a server that sends
 * single bytes would otherwise cost one object per byte.
 */
export class BodyBuffer {
  readonly #maxBytes: number;
  #bytes: Buffer | null = null;
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns false if the memory limit is reached. */
  add(chunk: Buffer): boolean {
    const kept = Math.min(chunk.length, this.#maxBytes - this.#length);
    if (kept <= 0) return true;
    if (!this.#reserve(this.#length + kept)) return false;
    chunk.copy(this.#bytes as Buffer, this.#length, 0, kept);
    this.#length += kept;
    return true;
  }

  /** Returns the bytes and releases them from the memory limit. */
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
