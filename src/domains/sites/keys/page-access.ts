/** Who may look at a private page: whoever shows one of its keys, and for a while afterwards. */
import { parseCookie, stringifySetCookie } from "cookie";
import { addressKey } from "../../../platform/address-key.ts";
import { KnownError } from "../../../platform/errors.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import type { SitesContext } from "../context.ts";
import type { PageReference } from "../page-reference.ts";
import { findPageKeyByHash, findPageKeyById, type StoredKey } from "./page-access-store.ts";
import { pageKeyPattern } from "./page-key.ts";

const purpose = "page-access";
const keptMs = 30 * 86_400_000;
/** A pass is renewed once a day at most. */
const renewedAfterMs = 86_400_000;

export type PageAccessContext = Pick<
  SitesContext,
  "db" | "clock" | "encryption" | "isSecure" | "pageKeyLimit"
>;

/** The end of the id: the beginning of one is the time, which pages made together share. */
function nameCookie({ pageId }: PageReference): string {
  return `vedette_page_${pageId.slice(-8)}`;
}

/** Changes with the key itself, so that a cookie dies with the key it was given for. */
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
  const words = [purpose, page.pageKind, page.pageId, key.id, fingerprint(key), endsAtMs];
  const sealed = context.encryption.encrypt(JSON.stringify(words));
  return Buffer.from(sealed, "base64").toString("base64url");
}

/** Null for whatever we did not seal, for another page or for a time that is over. */
function openPass(context: PageAccessContext, page: PageReference, value: string): Pass | null {
  try {
    const text = context.encryption.decrypt(Buffer.from(value, "base64url").toString("base64"));
    const [madeFor, kind, id, keyId, print, endsAtMs] = JSON.parse(text);
    const isForThis = madeFor === purpose && kind === page.pageKind && id === page.pageId;
    const isOver = !(Number(endsAtMs) > context.clock.now().getTime());
    if (!isForThis || isOver) return null;
    return { keyId: String(keyId), fingerprint: String(print), endsAtMs: Number(endsAtMs) };
  } catch {
    return null;
  }
}

/** Only failures count, so that whoever has a key is never kept out by using it. */
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
    ? await findPageKeyByHash(context.db, page, hashSecret(attempt.rawKey))
    : null;
  if (key === null) pageKeyLimit.take(address);
  return key;
}

/** What to keep in the browser, for `writePageCookie`; null when the key does not fit. */
export async function grantPageAccess(
  context: PageAccessContext,
  page: PageReference,
  attempt: { readonly rawKey: string; readonly address: string },
): Promise<string | null> {
  const key = await findKey(context, page, { ...attempt, rawKey: attempt.rawKey.trim() });
  return key && sealPass(context, page, key);
}

/** The header that sets the cookie; `path` is where the page's own links begin. */
export function writePageCookie(
  context: PageAccessContext,
  page: PageReference,
  cookie: { readonly value: string; readonly path: string },
): string {
  return stringifySetCookie({
    name: nameCookie(page),
    value: cookie.value,
    path: cookie.path,
    expires: new Date(context.clock.now().getTime() + keptMs),
    httpOnly: true,
    sameSite: "lax",
    secure: context.isSecure(),
  });
}

export interface Visitor {
  readonly cookieHeader: string | undefined;
  /** From `findPresentedKey`; null when the request carries none. */
  readonly presentedKey: string | null;
  /** Whose attempts are counted. */
  readonly address: string;
}

function findPass(
  context: PageAccessContext,
  page: PageReference,
  cookieHeader: string | undefined,
): Pass | null {
  const value = parseCookie(cookieHeader ?? "")[nameCookie(page)];
  return value === undefined ? null : openPass(context, page, value);
}

/** The key that a pass was given for, while it is still the same. */
async function findKeyOf(
  context: PageAccessContext,
  page: PageReference,
  pass: Pass,
): Promise<StoredKey | null> {
  const key = await findPageKeyById(context.db, page, pass.keyId);
  return key !== null && fingerprint(key) === pass.fingerprint ? key : null;
}

/**
 * For `writePageCookie`: a pass for as long again, in the place of one that is still good. For what
 * stays open for years and has nobody to type a key. Null while hardly any of its time is over.
 */
export async function renewPageAccess(
  context: PageAccessContext,
  page: PageReference,
  cookieHeader: string | undefined,
): Promise<string | null> {
  const pass = findPass(context, page, cookieHeader);
  const leftMs = (pass?.endsAtMs ?? 0) - context.clock.now().getTime();
  if (pass === null || leftMs > keptMs - renewedAfterMs) return null;
  const key = await findKeyOf(context, page, pass);
  return key && sealPass(context, page, key);
}

/** Whether somebody may look at a private page now. */
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
