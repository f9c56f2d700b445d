import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Clock } from "../../platform/clock.ts";

/**
 * Maximum age of a cached document. Times, such as the length of an outage, change without a
 * notification.
 */
const maxAgeMs = 30_000;
/** How long a stale copy may be served while the database is unavailable. */
const maxStaleMs = 3_600_000;
const entryOverhead = 300;
const maxRememberedChanges = 10_000;
/** Minimum size for compression, because a smaller body fits into one packet uncompressed. */
const minCompressedBytes = 1_000;

/** A rendered document, or the cached result that the page or document does not exist. */
export interface Rendered {
  /** Owner of the page; `null` if the page does not exist. */
  readonly owner: {
    readonly accountId: string;
    readonly pageId: string;
    readonly isPrivate: boolean;
  } | null;
  /** Body of the document; `null` if the page has no such document. */
  readonly body: CompressedBody | null;
}

interface Entry extends Rendered {
  readonly renderedAtMs: number;
  /**
   * False if no change notifications were received when the document was stored, so that a change
   * may have been missed. An invalid entry is served only while the database is unavailable.
   */
  readonly isValid: boolean;
  readonly size: number;
}

interface RenderedPagesOptions {
  readonly clock: Clock;
  /** Returns whether change notifications are received. If not, no cached document is valid. */
  readonly isListening: () => boolean;
  readonly maxEntries?: number;
  readonly maxBytes?: number;
}

/**
 * A bounded LRU cache of rendered documents. A change in an account drops the documents of that
 * account, and concurrent requests for a document share one rendering.
 */
export class RenderedPages {
  readonly #options: RenderedPagesOptions;
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #entries = new Map<string, Entry>();
  readonly #inProgress = new Map<string, Promise<Rendered>>();
  readonly #lastChange = new Map<string, number>();
  #changeCount = 0;
  #allForgottenAt = 0;
  #bytes = 0;

  constructor(options: RenderedPagesOptions) {
    this.#options = options;
    this.#maxEntries = options.maxEntries ?? 5_000;
    this.#maxBytes = options.maxBytes ?? 64 * 1024 * 1024;
  }

  get size(): { readonly entries: number; readonly bytes: number } {
    return { entries: this.#entries.size, bytes: this.#bytes };
  }

  /** Returns a cached document; `null` if it must be rendered again. */
  recall(key: string): Rendered | null {
    const entry = this.#entries.get(key);
    if (entry === undefined || !entry.isValid || !this.#options.isListening()) return null;
    const ageMs = this.#options.clock.now().getTime() - entry.renderedAtMs;
    // The age is negative if the clock was set back. Such an entry could stay valid for hours, so
    // it counts as outdated.
    if (ageMs >= maxAgeMs || ageMs < 0) return null;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  /** Returns the last rendering of a public page. Used while the database is unavailable. */
  recallStale(key: string): { readonly body: CompressedBody; readonly asOf: Date } | null {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.body === null || entry.owner?.isPrivate !== false) return null;
    const ageMs = this.#options.clock.now().getTime() - entry.renderedAtMs;
    if (ageMs >= maxStaleMs || ageMs < 0) return null;
    return { body: entry.body, asOf: new Date(entry.renderedAtMs) };
  }

  render(key: string, render: () => Promise<Rendered>): Promise<Rendered> {
    const inProgress = this.#inProgress.get(key);
    if (inProgress !== undefined) return inProgress;
    const startedAt = this.#changeCount;
    const renderedAtMs = this.#options.clock.now().getTime();
    const promise = render()
      .then((rendered) => {
        if (!this.#isOutdated(rendered, startedAt)) this.#store(key, rendered, renderedAtMs);
        return rendered;
      })
      .finally(() => {
        if (this.#inProgress.get(key) === promise) this.#inProgress.delete(key);
      });
    this.#inProgress.set(key, promise);
    return promise;
  }

  /** Drops the cached documents of an account; `null` drops the documents of all accounts. */
  forget(accountId: string | null): void {
    this.#changeCount += 1;
    // Later requests must not receive a rendering that started before the change.
    this.#inProgress.clear();
    if (accountId === null) this.#forgetAll();
    else this.#lastChange.set(accountId, this.#changeCount);
    if (this.#lastChange.size > maxRememberedChanges) this.#forgetAll();
    for (const [key, { owner }] of this.#entries) {
      // A cached "not found" is dropped too: the change may have created the page.
      if (owner === null || owner.accountId === accountId) this.#drop(key);
    }
  }

  #forgetAll(): void {
    this.#allForgottenAt = this.#changeCount;
    this.#lastChange.clear();
    this.#entries.clear();
    this.#bytes = 0;
  }

  /** Returns whether the page may have changed while the document was being rendered. */
  #isOutdated({ owner }: Rendered, startedAt: number): boolean {
    if (this.#allForgottenAt > startedAt) return true;
    if (owner === null) return this.#changeCount > startedAt;
    return (this.#lastChange.get(owner.accountId) ?? 0) > startedAt;
  }

  #store(key: string, rendered: Rendered, renderedAtMs: number): void {
    this.#drop(key);
    const { owner, body } = rendered;
    const size = entryOverhead + key.length + (body === null ? 0 : measureBody(body));
    const isValid = this.#options.isListening();
    this.#entries.set(key, { owner, body, renderedAtMs, isValid, size });
    this.#bytes += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries && this.#bytes <= this.#maxBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.size;
  }
}

/** A response body with its compressed forms, which are created once per rendering. */
export interface CompressedBody {
  readonly contentType: string;
  /** Whether other sites may embed the document in a frame. */
  readonly isEmbeddable?: true;
  /** ETag of the body. The ETag is weak, because every encoding of the body has the same ETag. */
  readonly entityTag: string;
  readonly plain: Buffer;
  readonly gzip: Buffer | null;
  readonly brotli: Buffer | null;
}

const compressGzip = promisify(gzip);
const compressBrotli = promisify(brotliCompress);
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

function measureBody({ plain, gzip: packed, brotli }: CompressedBody): number {
  return plain.length + (packed?.length ?? 0) + (brotli?.length ?? 0);
}

interface ChosenBody {
  readonly bytes: Buffer;
  readonly encoding: "br" | "gzip" | null;
}

/** Returns whether an `Accept-Encoding` header allows the encoding. `q=0` forbids it. */
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

/** Returns whether an `If-None-Match` header matches, by weak comparison as in RFC 9110. */
export function matchesEntityTag(
  { entityTag }: CompressedBody,
  ifNoneMatch: string | undefined,
): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
  return ifNoneMatch.split(",").some((tag) => opaque(tag) === opaque(entityTag));
}
