/** Reads DER (X.690), the encoding of certificates. Malformed input reads as `null`. */

export interface DerValue {
  readonly tag: number;
  /** Bounds of the content. */
  readonly from: number;
  readonly to: number;
  /** Offset of the tag; the whole value ends at `to`. */
  readonly at: number;
}

export const derTags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  enumerated: 0x0a,
  generalizedTime: 0x18,
  sequence: 0x30,
} as const;

/** Reads the value at an offset. It must end within its parent. */
export function readDer(bytes: Uint8Array, at: number, end: number): DerValue | null {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined || at + 2 > end) return null;
  // Multi-byte tags do not occur in certificates and OCSP responses.
  if ((tag & 0x1f) === 0x1f) return null;
  let from = at + 2;
  let length = first;
  if (first >= 0x80) {
    const count = first & 0x7f;
    // 0 means an indefinite length, which DER forbids.
    if (count === 0 || count > 4) return null;
    length = 0;
    for (let place = 0; place < count; place += 1)
      length = length * 256 + (bytes[from + place] ?? 0);
    from += count;
  }
  const to = from + length;
  return to <= end && to <= bytes.length ? { tag, from, to, at } : null;
}

/** Lists at most `most` child values; `null` if they are malformed. */
export function listDer(bytes: Uint8Array, parent: DerValue, most: number): DerValue[] | null {
  const found: DerValue[] = [];
  for (let at = parent.from; at < parent.to && found.length < most; ) {
    const value = readDer(bytes, at, parent.to);
    if (value === null) return null;
    found.push(value);
    at = value.to;
  }
  return found;
}

/** Returns the first child value if it has the expected tag. */
export function enterDer(bytes: Uint8Array, parent: DerValue | null, tag: number): DerValue | null {
  const inner = parent === null ? null : readDer(bytes, parent.from, parent.to);
  return inner?.tag === tag ? inner : null;
}

export function contentOf(bytes: Uint8Array, value: DerValue): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset + value.from, value.to - value.from);
}

export function hexOf(bytes: Uint8Array, value: DerValue): string {
  return contentOf(bytes, value).toString("hex");
}

/** Parses GeneralizedTime as used by OCSP: 20261122101112Z. */
export function readGeneralizedTime(bytes: Uint8Array, value: DerValue | undefined): number | null {
  if (value?.tag !== derTags.generalizedTime) return null;
  const text = contentOf(bytes, value).toString("latin1");
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z$/.exec(text) ?? [];
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(ms) ? null : ms;
}
