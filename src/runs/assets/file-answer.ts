import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import type { Readable } from "node:stream";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import { KnownError, notFound } from "../../platform/errors.ts";
import type { AssetKeeper } from "./keeper.ts";
import type { ByteRange } from "./places.ts";
import { findAssetByToken, type StoredAsset } from "./store.ts";

/** Minimum time for which a link to a file is valid. */
const linkMs = 3_600_000;
/**
 * The expiry time of a link is rounded up to a multiple of this period. Links to a file that are
 * created shortly after each other are therefore equal, so that browsers can cache the file.
 */
const stepMs = 600_000;

/** The parts of a link that gives access to a file without an API key. */
interface PresentedLink {
  readonly id: string;
  readonly expires: number;
  readonly signature: string;
}

/**
 * Signs links to files, so that browsers and clients can open files without an API key. A link is
 * valid for one file and for about an hour. All servers of an installation share the signing key.
 */
export class AssetLinks {
  readonly #key: KeyObject;
  readonly #clock: Clock;

  constructor(encryption: Encryption, clock: Clock) {
    this.#key = encryption.deriveKey("asset links");
    this.#clock = clock;
  }

  /** Returns the path and query of a new link to a file. */
  write({ id, name }: Pick<StoredAsset, "id" | "name">): string {
    const expires = (Math.ceil((this.#clock.nowMs() + linkMs) / stepMs) * stepMs) / 1_000;
    const signature = this.#sign(id, expires).toString("base64url");
    return `/v1/assets/${id}/${name}?expires=${expires}&signature=${signature}`;
  }

  isValid({ id, expires, signature }: PresentedLink): boolean {
    if (expires * 1_000 < this.#clock.nowMs()) return false;
    const given = Buffer.from(signature, "base64url");
    const right = this.#sign(id, expires);
    return given.length === right.length && timingSafeEqual(given, right);
  }

  #sign(id: string, expires: number): Buffer {
    return createHmac("sha256", this.#key)
      .update(JSON.stringify([id, expires]))
      .digest();
  }
}

export interface FilesContext {
  readonly db: Database;
  readonly keeper: AssetKeeper;
  readonly links: AssetLinks;
}

interface FileAnswer {
  readonly status: 200 | 206 | 416;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable | null;
}

/** Parses a `Range` header. Returns `null` for the whole file; several ranges are not supported. */
export function parseRange(
  header: string | undefined,
  size: number,
): ByteRange | null | "unsatisfiable" {
  const [, from = "", to = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (from === "" && to === "") return null;
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
  if (from !== "" && to !== "" && Number(to) < Number(from)) return null;
  return start > end ? "unsatisfiable" : { start, end };
}

const shownInline = ["image/png", "image/jpeg", "video/webm"];

/**
 * Returns the response headers of a file. A file may come from a user's script, so the headers do
 * not allow it to run or load anything.
 */
function describeFile({ id, name, contentType }: StoredAsset): Record<string, string> {
  const disposition = shownInline.includes(contentType) ? "inline" : "attachment";
  return {
    "content-type": contentType,
    "content-disposition": `${disposition}; filename="${name}"`,
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "private, max-age=600, immutable",
    "accept-ranges": "bytes",
    etag: `"${id}"`,
  };
}

const elsewhere =
  "This file is on the disk of another server of this installation. Open it there, or configure " +
  "S3_ENDPOINT so that all servers share their files.";

/** Returns the response to a request for the file of a signed link. */
export async function answerFile(
  { db, keeper, links }: FilesContext,
  link: PresentedLink & { readonly range: string | undefined },
): Promise<FileAnswer> {
  if (!links.isValid(link)) throw new KnownError("forbidden", { message: "The link has expired." });
  const asset = await findAssetByToken(db, link.id);
  if (asset === null) throw notFound();
  if (!keeper.isHere(asset)) throw new KnownError("notFound", { message: elsewhere });
  const { byteCount } = asset;
  const range = parseRange(link.range, byteCount);
  if (range === "unsatisfiable") {
    return { status: 416, headers: { "content-range": `bytes */${byteCount}` }, body: null };
  }
  const { start, end } = range ?? { start: 0, end: byteCount - 1 };
  const body = await keeper.read(asset, { start, end });
  if (body === null) throw notFound();
  const headers = { ...describeFile(asset), "content-length": String(end - start + 1) };
  if (range === null) return { status: 200, headers, body };
  const contentRange = `bytes ${start}-${end}/${byteCount}`;
  return { status: 206, headers: { ...headers, "content-range": contentRange }, body };
}
