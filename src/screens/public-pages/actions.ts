import { stampAsStale } from "../../pages/status-page/shell.ts";
import { KnownError, notFound } from "../../platform/errors.ts";
import { isUnavailable } from "../../platform/http/error-handler.ts";
import { type AddressKey, addressKey } from "../../platform/ip-address.ts";
import type { RateLimit } from "../../platform/rate-limit.ts";
import { grantPageAccess, hasPageAccess, type Visitor } from "../../sites/publishing/index.ts";
import { findStatusPageByUrl, referToPage } from "../../sites/status-pages/index.ts";
import type { PublicPagesContext } from "./context.ts";
import {
  type DocumentName,
  isForReaders,
  isOpenToAll,
  type RenderedText,
} from "./page-document.ts";
import type { Rendered, RenderedPages } from "./rendered-pages.ts";
import { type CompressedBody, compressBody } from "./rendered-pages.ts";
import { placePage, renderDocument } from "./rendering.ts";

export interface PublicPages {
  readonly context: PublicPagesContext;
  readonly rendered: RenderedPages;
  /** Limits clients that repeatedly request pages that do not exist. */
  readonly missLimit: RateLimit<AddressKey>;
}

export interface PageRequest {
  /** URL path segment of the page, in lower case. */
  readonly url: string;
  readonly basePath: string;
  readonly name: DocumentName;
}

type PageAnswer =
  | { readonly verdict: "shown"; readonly body: CompressedBody; readonly isPrivate: boolean }
  /** The last rendering of a public page, sent while the database is unavailable. */
  | { readonly verdict: "stale"; readonly body: CompressedBody }
  | { readonly verdict: "locked" };

const urlPattern = /^[a-z0-9-]{1,63}$/;

function nameRequest({ url, basePath, name }: PageRequest): string {
  return `${url} ${basePath} ${Object.values(name).join(" ")}`;
}

async function compressDocument({ isEmbeddable, ...document }: RenderedText) {
  const body = await compressBody(document.text, document.contentType);
  return isEmbeddable ? { ...body, isEmbeddable } : body;
}

async function renderPage(
  context: PublicPagesContext,
  { url, basePath, name }: PageRequest,
): Promise<Rendered> {
  const page = await findStatusPageByUrl(context.db, url);
  if (page === null) return { owner: null, body: null };
  const place = await placePage(context, page, basePath);
  const document = await renderDocument(context, place, name);
  const { id: pageId, accountId, isPrivate } = page;
  return {
    owner: { pageId, accountId, isPrivate },
    body: document && (await compressDocument(document)),
  };
}

/** Returns the cached document of a public page; `null` if there is none or it may be outdated. */
export function recallPage({ rendered }: PublicPages, request: PageRequest): CompressedBody | null {
  const cached = rendered.recall(nameRequest(request));
  const isPublic = cached?.owner !== null && cached?.owner.isPrivate === false;
  return cached !== null && isPublic ? cached.body : null;
}

/**
 * Returns the last rendering of a public page, so that the page is available even while the
 * database is down. Returns `null` for feeds and data, because programs could not detect that the
 * data is stale.
 */
async function recallStalePage(
  { rendered }: PublicPages,
  request: PageRequest,
): Promise<CompressedBody | null> {
  const isStyle = request.name.kind === "theme" || request.name.kind === "custom-style";
  if (!isForReaders(request.name) && !isStyle) return null;
  const stale = rendered.recallStale(nameRequest(request));
  if (stale === null) return null;
  if (isStyle) return stale.body;
  const text = stampAsStale(stale.body.plain.toString(), stale.asOf);
  return compressBody(text, stale.body.contentType);
}

function rejectExcess(limit: RateLimit<AddressKey>, address: AddressKey): void {
  const allowance = limit.peek(address);
  if (limit.isOff || allowance.allowed) return;
  throw new KnownError("tooManyRequests", { retryAfterSeconds: allowance.resetSeconds });
}

/** Finds the document of a page, and checks the visitor's access if the page is private. */
export async function openPage(
  pages: PublicPages,
  request: PageRequest,
  visitor: Visitor,
): Promise<PageAnswer> {
  const { context, rendered, missLimit } = pages;
  const key = nameRequest(request);
  const address = addressKey(visitor.address);
  const miss = () => {
    missLimit.take(address);
    return notFound();
  };
  const cached = rendered.recall(key);
  if (cached === null) rejectExcess(missLimit, address);
  if (!urlPattern.test(request.url)) throw miss();
  let found = cached;
  try {
    found ??= await rendered.render(key, () => renderPage(context, request));
  } catch (error) {
    const body = isUnavailable(error) ? await recallStalePage(pages, request) : null;
    if (body === null) throw error;
    return { verdict: "stale", body };
  }
  if (found.owner === null) throw miss();
  const { isPrivate, pageId } = found.owner;
  if (isPrivate && !isOpenToAll(request.name)) {
    if (!(await hasPageAccess(context, referToPage(pageId), visitor))) return { verdict: "locked" };
  }
  if (found.body === null) throw miss();
  return { verdict: "shown", body: found.body, isPrivate };
}

/** Returns a `Set-Cookie` header for a key that a visitor entered; `null` if the key is wrong. */
export async function unlockPage(
  { context }: PublicPages,
  request: Pick<PageRequest, "url" | "basePath">,
  attempt: { readonly rawKey: string; readonly address: string },
): Promise<string | null> {
  const found = await findStatusPageByUrl(context.db, request.url);
  if (found === null) throw notFound();
  const { basePath } = request;
  return grantPageAccess(context, referToPage(found.id), { ...attempt, basePath });
}

/**
 * Returns a `Set-Cookie` header for a key in the URL; `null` if the visitor already has a valid
 * cookie or the key is wrong.
 */
export async function createVisitorCookie(
  pages: PublicPages,
  request: Pick<PageRequest, "url" | "basePath">,
  { cookieHeader, address, presentedKey: rawKey }: Visitor,
): Promise<string | null> {
  const { context } = pages;
  const found = await findStatusPageByUrl(context.db, request.url);
  if (found === null || rawKey === null) return null;
  // Checks the cookie first, without the key that the URL contains. The URL may be a bookmark with
  // an old key, which must not count as a failed attempt if the cookie is valid.
  const byCookie = { cookieHeader, address, presentedKey: null };
  if (await hasPageAccess(context, referToPage(found.id), byCookie)) return null;
  return unlockPage(pages, request, { rawKey, address });
}
