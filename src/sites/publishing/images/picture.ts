/** Detects the type of an image from its bytes, ignoring the declared type; see decision 0032. */
import { createHash } from "node:crypto";
import { findUrlFault, rejectionMessages } from "../../../platform/outbound-guard.ts";

/** Maximum width and height. A browser needs 64 MiB to decode an image of this size. */
export const maxSide = 4_096;

const maxUploadBytes = 200_000;
const maxUrlLength = 2_048;

const uploadPattern = /^uploaded:([0-9a-f]{64})$/;
const dataPattern = /^data:image\/[a-z0-9.+-]{1,40};base64,([A-Za-z0-9+/]*={0,2})$/i;

type Picture =
  | { readonly kind: "picture"; readonly contentType: string }
  | { readonly kind: "invalid"; readonly fault: string };

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Format {
  readonly contentType: string;
  readonly matches: (bytes: Buffer) => boolean;
  /** Returns the size of every image in the file; `null` if the file cannot be parsed. */
  readonly readSizes: (bytes: Buffer) => readonly Size[] | null;
}

/** Returns whether an image is too large. Even a small file can decode to gigabytes. */
function isBomb(sizes: readonly Size[]): boolean {
  return sizes.some(({ width, height }) => width > maxSide || height > maxSide);
}

// An SVG is accepted if it is a well-formed document without entities, because entities can expand
// to gigabytes. Scripts are not removed: SVGs are displayed only in `<img>`, and are served with a
// policy that blocks scripts.

const svgNamespace = "http://www.w3.org/2000/svg";
const maxDepth = 256;

const nameStart = String.raw`A-Z_a-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02FF\u0370-\u037D\u037F-\u1FFF`;
const name = `[:${nameStart}][:${nameStart}\\-.0-9\\u00B7\\u0300-\\u036F]*`;
const space = String.raw`[ \t\r\n]`;

/** Returns a sticky pattern, which matches only at the current position. */
const at = (pattern: string) => new RegExp(pattern, "yu");
const doctype = at(String.raw`<!DOCTYPE${space}(?:[^\[\]<>"']|"[^"<]*"|'[^'<]*'){1,1000}>`);
const opening = at(`<(${name})`);
const attribute = at(`${space}+(${name})${space}*=${space}*(?:"([^"<]*)"|'([^'<]*)')`);
const openingEnd = at(`${space}*(/?)>`);
const closing = at(`</(${name})${space}*>`);
const plain = at("[^<]+");
const target = new RegExp(`^${name}(?:${space}|$)`, "u");
const gap = at(`${space}+`);

const reference = /&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});)/;
const forbidden = /(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/u;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match !== null) this.#at += match[0].length;
    return match;
  }

  /** Reads a delimited text by string search, because a pattern would be slow for long texts. */
  takeBetween(start: string, end: string, isFit: (inside: string) => boolean): boolean {
    if (!this.#text.startsWith(start, this.#at)) return false;
    const endsAt = this.#text.indexOf(end, this.#at + start.length);
    if (endsAt < 0 || !isFit(this.#text.slice(this.#at + start.length, endsAt))) return false;
    this.#at = endsAt + end.length;
    return true;
  }

  takeComment(): boolean {
    return this.takeBetween("<!--", "-->", (text) => !text.includes("--") && !text.endsWith("-"));
  }

  takeInstruction(): boolean {
    return this.takeBetween("<?", "?>", (text) => target.test(text) && !/^xml\b/i.test(text));
  }

  takeDeclaration(): boolean {
    return this.takeBetween("<?xml", "?>", (text) => /^[ \t\r\n]/.test(text));
  }

  takeSection(): boolean {
    return this.takeBetween("<![CDATA[", "]]>", () => true);
  }
}

interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly isEmpty: boolean;
}

function readTag(reader: Reader): Tag | null {
  const start = reader.take(opening);
  if (start === null) return null;
  const attributes = new Map<string, string>();
  for (let one = reader.take(attribute); one !== null; one = reader.take(attribute)) {
    const [, key = "", double, single] = one;
    const value = double ?? single ?? "";
    if (attributes.has(key) || reference.test(value)) return null;
    attributes.set(key, value);
  }
  const end = reader.take(openingEnd);
  return end === null ? null : { name: start[1] ?? "", attributes, isEmpty: end[1] === "/" };
}

/** Returns whether a tag is an `svg` element in the SVG namespace, prefixed or not. */
function isSvgRoot({ name: tagName, attributes }: Tag): boolean {
  const [prefix, local] = tagName.includes(":") ? tagName.split(":") : ["", tagName];
  const key = prefix === "" ? "xmlns" : `xmlns:${prefix}`;
  return local === "svg" && attributes.get(key) === svgNamespace;
}

function skipAround(reader: Reader): void {
  while (reader.takeComment() || reader.takeInstruction() || reader.take(gap) !== null);
}

/** Reads the content and end tag of the root; returns false if tags are not closed in order. */
function readContent(reader: Reader, root: string): boolean {
  const open = [root];
  while (open.length > 0) {
    if (reader.isAtEnd || open.length > maxDepth) return false;
    const text = reader.take(plain);
    if (text !== null && (reference.test(text[0]) || text[0].includes("]]>"))) return false;
    if (text !== null || reader.takeComment()) continue;
    if (reader.takeSection() || reader.takeInstruction()) continue;
    const end = reader.take(closing);
    if (end !== null) {
      if (open.pop() !== end[1]) return false;
      continue;
    }
    const tag = readTag(reader);
    if (tag === null) return false;
    if (!tag.isEmpty) open.push(tag.name);
  }
  return true;
}

function decode(bytes: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Returns why a file is not a valid SVG document; `null` if it is valid. */
export function findSvgFault(bytes: Buffer): string | null {
  const text = decode(bytes);
  if (text === null || forbidden.test(text)) return "it is not text in UTF-8.";
  const reader = new Reader(text);
  reader.takeDeclaration();
  skipAround(reader);
  if (reader.take(doctype) !== null) skipAround(reader);
  const root = readTag(reader);
  if (root === null) return "it does not start with an element.";
  if (!isSvgRoot(root)) return "its root is not an svg element in the SVG namespace.";
  if (!root.isEmpty && !readContent(reader, root.name)) return "it is not well-formed XML.";
  skipAround(reader);
  return reader.isAtEnd ? null : "there is content after its root element.";
}

function hasText(bytes: Buffer, at: number, text: string): boolean {
  return bytes.toString("latin1", at, at + text.length) === text;
}

function isPng(bytes: Buffer): boolean {
  return hasText(bytes, 0, "\x89PNG\r\n\x1a\n");
}

function readPngSizes(bytes: Buffer): readonly Size[] | null {
  if (bytes.length < 24 || !hasText(bytes, 12, "IHDR")) return null;
  return [{ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }];
}

function readGifSizes(bytes: Buffer): readonly Size[] | null {
  if (bytes.length < 10) return null;
  return [{ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }];
}

/**
 * Returns whether a JPEG marker starts a frame, which contains the size of the image. These are the
 * markers from C0 to CF, except C4, C8 and CC.
 */
function beginsFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function readJpegSizes(bytes: Buffer): readonly Size[] | null {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (beginsFrame(marker)) {
      return [{ width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }];
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

function readWebpSizes(bytes: Buffer): readonly Size[] | null {
  if (bytes.length >= 30 && hasText(bytes, 12, "VP8X")) {
    return [{ width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }];
  }
  if (bytes.length >= 25 && hasText(bytes, 12, "VP8L") && bytes[20] === 0x2f) {
    const bits = bytes.readUInt32LE(21);
    return [{ width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }];
  }
  if (bytes.length < 30 || !hasText(bytes, 12, "VP8 ")) return null;
  if (bytes.readUIntBE(23, 3) === 0x9d012a) {
    return [{ width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }];
  }
  return null;
}

/** Reads the sizes from the images in an icon, because its directory has no sizes above 256. */
function readIconSizes(bytes: Buffer): readonly Size[] | null {
  const count = bytes.readUInt16LE(4);
  if (count < 1 || count > 64 || bytes.length < 6 + count * 16) return null;
  const sizes: Size[] = [];
  for (let index = 0; index < count; index += 1) {
    const start = bytes.readUInt32LE(6 + index * 16 + 12);
    const inner = bytes.subarray(start);
    if (inner.length < 24) return null;
    const png = isPng(inner) ? readPngSizes(inner)?.[0] : undefined;
    // The bitmap height in an icon includes the mask, and is negative if rows are stored top-down.
    const width = Math.abs(inner.readInt32LE(4));
    sizes.push(png ?? { width, height: Math.ceil(Math.abs(inner.readInt32LE(8)) / 2) });
  }
  return sizes;
}

/** Returns whether the file lists AVIF as its major brand or as a compatible brand. */
function isAvif(bytes: Buffer): boolean {
  if (bytes.length < 16 || !hasText(bytes, 4, "ftyp")) return false;
  const brands = bytes.toString("latin1", 8, Math.min(bytes.readUInt32BE(0), 128));
  return /^(?:[\s\S]{4})*avi[fs]/.test(brands);
}

/** Reads the size property (`ispe`) of each image in the file. */
function readAvifSizes(bytes: Buffer): readonly Size[] | null {
  const sizes: Size[] = [];
  for (let at = bytes.indexOf("ispe"); at >= 0; at = bytes.indexOf("ispe", at + 4)) {
    if (at + 16 > bytes.length) break;
    sizes.push({ width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) });
  }
  return sizes.length === 0 ? null : sizes;
}

const formats: readonly Format[] = [
  { contentType: "image/png", matches: isPng, readSizes: readPngSizes },
  {
    contentType: "image/jpeg",
    matches: (bytes) => hasText(bytes, 0, "\xff\xd8\xff"),
    readSizes: readJpegSizes,
  },
  {
    contentType: "image/gif",
    matches: (bytes) => hasText(bytes, 0, "GIF87a") || hasText(bytes, 0, "GIF89a"),
    readSizes: readGifSizes,
  },
  {
    contentType: "image/webp",
    matches: (bytes) => hasText(bytes, 0, "RIFF") && hasText(bytes, 8, "WEBP"),
    readSizes: readWebpSizes,
  },
  {
    contentType: "image/x-icon",
    matches: (bytes) => bytes.length >= 6 && hasText(bytes, 0, "\0\0\x01\0"),
    readSizes: readIconSizes,
  },
  {
    contentType: "image/avif",
    matches: isAvif,
    readSizes: readAvifSizes,
  },
];

function reject(fault: string): Picture {
  return { kind: "invalid", fault };
}

export function parsePicture(bytes: Buffer): Picture {
  const format = formats.find(({ matches }) => matches(bytes));
  if (format === undefined) {
    const fault = findSvgFault(bytes);
    if (fault === null) return { kind: "picture", contentType: "image/svg+xml" };
    return reject(`It is not a PNG, JPEG, GIF, WebP, ICO or AVIF image, and not an SVG: ${fault}`);
  }
  const sizes = format.readSizes(bytes);
  if (sizes === null) return reject("The image is corrupt: its size cannot be read.");
  if (sizes.some(({ width, height }) => width === 0 || height === 0)) {
    return reject("The image is corrupt: it has no size.");
  }
  if (isBomb(sizes)) return reject(`The image is larger than ${maxSide} × ${maxSide} pixels.`);
  return { kind: "picture", contentType: format.contentType };
}
/** Maximum length of a data URL with a base64-encoded upload. */
export const maxPictureAddressLength = Math.ceil(maxUploadBytes / 3) * 4 + 100;

/** A parsed image field: a URL to fetch, or an uploaded image. */
type PictureAddress =
  | { readonly kind: "url"; readonly source: string }
  | {
      readonly kind: "upload";
      /** Reference to the upload, stored instead of a URL. */
      readonly source: string;
      readonly bytes: Buffer;
      readonly contentType: string;
    }
  | { readonly kind: "invalid"; readonly rule: string };

export function hashPicture(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Returns the hash in a reference to an upload; `null` if the source is a URL. */
export function findUploadHash(source: string): string | null {
  return uploadPattern.exec(source)?.[1] ?? null;
}

function refuse(rule: string): PictureAddress {
  return { kind: "invalid", rule };
}

function parseDataUrl(text: string): PictureAddress {
  const encoded = dataPattern.exec(text)?.[1];
  if (encoded === undefined) return refuse("must be data:image/…;base64,… if it is a data URL");
  const bytes = Buffer.from(encoded, "base64");
  if (bytes.length > maxUploadBytes)
    return refuse(`must not contain more than ${maxUploadBytes} bytes`);
  const picture = parsePicture(bytes);
  if (picture.kind === "invalid") return refuse(`is rejected: ${picture.fault}`);
  const source = `uploaded:${hashPicture(bytes)}`;
  return { kind: "upload", source, bytes, contentType: picture.contentType };
}

/** Converts an image field to the stored source. A data URL becomes a reference to the upload. */
export function nameStoredPicture(text: string): string {
  const address = /^data:/i.test(text) ? parseDataUrl(text) : null;
  return address?.kind === "upload" ? address.source : text;
}

export function parsePictureAddress(text: string, allowPrivate: boolean): PictureAddress {
  if (/^data:/i.test(text)) return parseDataUrl(text);
  if (text.length > maxUrlLength)
    return refuse(`must not be longer than ${maxUrlLength} characters`);
  const fault = findUrlFault(text, { allowPrivate });
  const hint = fault === "private-address" ? " OUTBOUND_ALLOW_PRIVATE=true allows it." : "";
  if (fault !== null) return refuse(`is refused: ${rejectionMessages[fault]}${hint}`);
  return { kind: "url", source: text };
}
