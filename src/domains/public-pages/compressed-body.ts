import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** A body with its compressed forms, each created once. */
export interface CompressedBody {
  readonly contentType: string;
  /** Whether other sites may embed it in a frame. */
  readonly isEmbeddable?: true;
  /** Weak, because it is the same for every encoding. */
  readonly entityTag: string;
  readonly plain: Buffer;
  readonly gzip: Buffer | null;
  readonly brotli: Buffer | null;
}

const compressGzip = promisify(gzip);
const compressBrotli = promisify(brotliCompress);
/** Smaller bodies fit into one packet uncompressed. */
const minCompressedBytes = 1_000;
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

export async function compressBody(text: string, contentType: string): Promise<CompressedBody> {
  const plain = Buffer.from(text);
  const digest = createHash("sha256").update(plain).digest("base64url").slice(0, 22);
  const isWorthIt = plain.length >= minCompressedBytes;
  const [packed, brotli] = isWorthIt
    ? await Promise.all([compressGzip(plain), compressBrotli(plain, brotliOptions)])
    : [null, null];
  return { contentType, entityTag: `W/"${digest}"`, plain, gzip: packed, brotli };
}

export function measureBody({ plain, gzip: packed, brotli }: CompressedBody): number {
  return plain.length + (packed?.length ?? 0) + (brotli?.length ?? 0);
}

export interface ChosenBody {
  readonly bytes: Buffer;
  readonly encoding: "br" | "gzip" | null;
}

/** An encoding with q=0 is not accepted. */
function accepts(header: string, coding: string): boolean {
  return header.split(",").some((part) => {
    const [name = "", ...parameters] = part.split(";").map((piece) => piece.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    return name === coding && (weight === undefined || Number(weight) > 0);
  });
}

export function chooseBody(body: CompressedBody, acceptEncoding: string | undefined): ChosenBody {
  const { plain, gzip: packed, brotli } = body;
  if (acceptEncoding === undefined) return { bytes: plain, encoding: null };
  if (brotli !== null && accepts(acceptEncoding, "br")) return { bytes: brotli, encoding: "br" };
  if (packed !== null && accepts(acceptEncoding, "gzip"))
    return { bytes: packed, encoding: "gzip" };
  return { bytes: plain, encoding: null };
}

/** Weak comparison, as RFC 9110 requires for If-None-Match. */
export function matchesEntityTag(
  { entityTag }: CompressedBody,
  ifNoneMatch: string | undefined,
): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
  return ifNoneMatch.split(",").some((tag) => opaque(tag) === opaque(entityTag));
}
