const sequenceTag = 0x30;
const integerTag = 0x02;
const maxDepth = 8;

/**
 * Returns the largest integer in the encryption parameters of a PEM key, which include the number
 * of hash iterations of the passphrase. Returns 0 if there is none, as in keys of the older format.
 */
export function findLargestInteger(pem: string): number {
  const base64 = pem.replaceAll(/-----[^-]*-----/g, "");
  if (base64.includes(":")) return 0;
  const bytes = Buffer.from(base64, "base64");
  const [whole] = listElements(bytes);
  if (whole?.tag !== sequenceTag) return 0;
  // EncryptedPrivateKeyInfo: the algorithm, then the encrypted data.
  const [algorithm] = listElements(whole.content);
  return algorithm?.tag === sequenceTag ? findIn(algorithm.content, 0) : 0;
}

interface Element {
  readonly tag: number;
  readonly content: Buffer;
}

function findIn(bytes: Buffer, depth: number): number {
  if (depth > maxDepth) return Number.POSITIVE_INFINITY;
  const numbers = listElements(bytes).map(({ tag, content }) => {
    if (tag === sequenceTag) return findIn(content, depth + 1);
    return tag === integerTag ? readInteger(content) : 0;
  });
  return Math.max(0, ...numbers);
}

function readInteger(bytes: Buffer): number {
  const digits = bytes.toString("hex");
  return digits === "" ? 0 : Number(`0x${digits}`);
}

/** Invalid data ends the list: OpenSSL rejects it too. */
function listElements(bytes: Buffer): Element[] {
  const elements: Element[] = [];
  let at = 0;
  while (at + 2 <= bytes.length) {
    const tag = bytes[at] ?? 0;
    const first = bytes[at + 1] ?? 0;
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
    if (lengthBytes > 4 || at + 2 + lengthBytes > bytes.length) break;
    const length = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes);
    const from = at + 2 + lengthBytes;
    elements.push({ tag, content: bytes.subarray(from, from + length) });
    at = from + length;
  }
  return elements;
}
