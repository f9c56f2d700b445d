/** Reads DER (X.690), the encoding of certificates. Whatever is broken reads as null. */

export interface DerValue {
  readonly tag: number;
  /** The content is between these two. */
  readonly from: number;
  readonly to: number;
  /** Where the tag is: the whole value is from here to `to`. */
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

/** The value at a place. Its length must fit in what surrounds it. */
export function readDer(bytes: Uint8Array, at: number, end: number): DerValue | null {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined || at + 2 > end) return null;
  // Tags of more than one byte are not used by what we read.
  if ((tag & 0x1f) === 0x1f) return null;
  let from = at + 2;
  let length = first;
  if (first >= 0x80) {
    const count = first & 0x7f;
    // None: a length that is not known before the end, which DER forbids.
    if (count === 0 || count > 4) return null;
    length = 0;
    for (let place = 0; place < count; place += 1)
      length = length * 256 + (bytes[from + place] ?? 0);
    from += count;
  }
  const to = from + length;
  return to <= end && to <= bytes.length ? { tag, from, to, at } : null;
}

/** What a value consists of, at most so many; null: it is broken. */
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

/** Steps into the first value of a value, with the tag that is expected there. */
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

/** `20261122T…` as OCSP writes it: 20261122101112Z. */
export function readGeneralizedTime(bytes: Uint8Array, value: DerValue | undefined): number | null {
  if (value?.tag !== derTags.generalizedTime) return null;
  const text = contentOf(bytes, value).toString("latin1");
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z$/.exec(text) ?? [];
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(ms) ? null : ms;
}
