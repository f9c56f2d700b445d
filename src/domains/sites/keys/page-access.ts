/** Access to private pages: by key, and then for 30 days by cookie. */
import { parseCookie, stringifySetCookie } from "cookie";
import type { FastifyRequest } from "fastify";
import { KnownError } from "../../../platform/errors.ts";
import { addressKey } from "../../../platform/ip-address.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import type { SitesContext } from "../context.ts";
import type { PageReference } from "../page-names.ts";
import { findStoredKey, pageKeyPattern, type StoredKey, saveKeyUse } from "./key-store.ts";

const purpose = "page-access";
const keptMs = 30 * 86_400_000;
/** A pass is renewed at most once a day. */
const renewedAfterMs = 86_400_000;
/** A use is recorded at most once a minute. */
const notedAfterMs = 60_000;

export type PageAccessContext = Pick<
  SitesContext,
  "db" | "clock" | "encryption" | "isSecure" | "pageKeyLimit"
>;

/** Uses the end of the id, because the start is the creation time, which pages may share. */
function nameCookie({ pageId }: PageReference): string {
  return `vedette_page_${pageId.slice(-8)}`;
}

/** Changes with the key, so that rotating a key revokes its cookies. */
function fingerprint({ hash }: StoredKey): string {
  return hash.toString("base64url").slice(0, 22);
}

interface Pass {
  readonly keyId: string;
  readonly fingerprint: string;
  readonly endsAtMs: number;
}

function sealPass(context: PageAccessContext, page: PageReference, key: StoredKey): string {
  const endsAtMs = context.clock.now().getTime() + keptMs;
  const parts = [purpose, page.pageKind, page.pageId, key.id, fingerprint(key), endsAtMs];
  const sealed = context.encryption.encrypt(JSON.stringify(parts));
  return Buffer.from(sealed, "base64").toString("base64url");
}

/** Returns `null` if the value is forged, belongs to another page, or has expired. */
function openPass(context: PageAccessContext, page: PageReference, value: string): Pass | null {
  try {
    const text = context.encryption.decrypt(Buffer.from(value, "base64url").toString("base64"));
    const [sealedFor, kind, id, keyId, print, endsAtMs] = JSON.parse(text);
    const isForThis = sealedFor === purpose && kind === page.pageKind && id === page.pageId;
    const isOver = !(Number(endsAtMs) > context.clock.now().getTime());
    if (!isForThis || isOver) return null;
    return { keyId: String(keyId), fingerprint: String(print), endsAtMs: Number(endsAtMs) };
  } catch {
    return null;
  }
}

async function noteUse({ db, clock }: PageAccessContext, key: StoredKey): Promise<StoredKey> {
  const now = clock.now();
  const sinceMs = now.getTime() - (key.lastUsedAt?.getTime() ?? 0);
  if (sinceMs >= notedAfterMs) await saveKeyUse(db, key.id, now);
  return key;
}

/** Only failures count towards the limit, so that a valid key always works. */
async function findKey(
  context: PageAccessContext,
  page: PageReference,
  attempt: { readonly rawKey: string; readonly address: string },
): Promise<StoredKey | null> {
  const { pageKeyLimit } = context;
  const address = addressKey(attempt.address);
  const before = pageKeyLimit.peek(address);
  if (!before.allowed) {
    throw new KnownError("tooManyRequests", { retryAfterSeconds: before.resetSeconds });
  }
  const key = pageKeyPattern.test(attempt.rawKey)
    ? await findStoredKey(context.db, page, { hash: hashSecret(attempt.rawKey) })
    : null;
  if (key !== null) return noteUse(context, key);
  pageKeyLimit.take(address);
  return null;
}

/** Returns a `Set-Cookie` header; `null` if the key does not belong to the page. */
export async function grantPageAccess(
  context: PageAccessContext,
  page: PageReference,
  attempt: { readonly rawKey: string; readonly address: string; readonly basePath: string },
): Promise<string | null> {
  const key = await findKey(context, page, { ...attempt, rawKey: attempt.rawKey.trim() });
  return key && writeCookie(context, page, { key, basePath: attempt.basePath });
}

/** `basePath` is the prefix of the page's own links; it ends with a slash. */
function writeCookie(
  context: PageAccessContext,
  page: PageReference,
  { key, basePath }: { readonly key: StoredKey; readonly basePath: string },
): string {
  return stringifySetCookie({
    name: nameCookie(page),
    value: sealPass(context, page, key),
    // Without the trailing slash, the path also matches the URL without one.
    path: basePath.replace(/(?<=.)\/$/, ""),
    expires: new Date(context.clock.now().getTime() + keptMs),
    httpOnly: true,
    sameSite: "lax",
    secure: context.isSecure(),
  });
}

export interface Visitor {
  readonly cookieHeader: string | undefined;
  /** `null` if the request has none. */
  readonly presentedKey: string | null;
  /** Failed attempts are counted per address. */
  readonly address: string;
}

/** The key may be in the query, where feed readers put it, or a bearer token. */
export function readVisitor(request: Pick<FastifyRequest, "headers" | "query" | "ip">): Visitor {
  const { cookie: cookieHeader, authorization } = request.headers;
  const { key } = (request.query ?? {}) as { readonly key?: unknown };
  const bearer = /^Bearer (\S+)$/i.exec(authorization ?? "")?.[1];
  // A repeated parameter is an array and is ignored.
  const presented = typeof key === "string" ? key : bearer;
  const isKey = presented !== undefined && pageKeyPattern.test(presented);
  return { cookieHeader, presentedKey: isKey ? presented : null, address: request.ip };
}

function findPass(
  context: PageAccessContext,
  page: PageReference,
  cookieHeader: string | undefined,
): Pass | null {
  const value = parseCookie(cookieHeader ?? "")[nameCookie(page)];
  return value === undefined ? null : openPass(context, page, value);
}

/** Returns the key that the pass was issued for; `null` if it was deleted or rotated. */
async function findKeyOf(
  context: PageAccessContext,
  page: PageReference,
  pass: Pass,
): Promise<StoredKey | null> {
  const key = await findStoredKey(context.db, page, { id: pass.keyId });
  if (key === null || fingerprint(key) !== pass.fingerprint) return null;
  return noteUse(context, key);
}

/**
 * Returns a `Set-Cookie` header with a later expiry, for screens that show a page for years.
 * Returns `null` without a pass, and while the pass is less than a day old.
 */
export async function renewPageAccess(
  context: PageAccessContext,
  page: PageReference,
  visit: { readonly cookieHeader: string | undefined; readonly basePath: string },
): Promise<string | null> {
  const pass = findPass(context, page, visit.cookieHeader);
  const leftMs = (pass?.endsAtMs ?? 0) - context.clock.now().getTime();
  if (pass === null || leftMs > keptMs - renewedAfterMs) return null;
  const key = await findKeyOf(context, page, pass);
  return key && writeCookie(context, page, { key, basePath: visit.basePath });
}

/** Whether the visitor may see a private page. */
export async function hasPageAccess(
  context: PageAccessContext,
  page: PageReference,
  visitor: Visitor,
): Promise<boolean> {
  const pass = findPass(context, page, visitor.cookieHeader);
  if (pass !== null && (await findKeyOf(context, page, pass)) !== null) return true;
  const { presentedKey: rawKey, address } = visitor;
  return rawKey !== null && (await findKey(context, page, { rawKey, address })) !== null;
}
