import { randomUUIDv7 } from "node:crypto";
import { parseCookie, stringifySetCookie } from "cookie";
import type { FastifyRequest } from "fastify";
import { type Caller, writeAuditEntry } from "../../../access/accounts/index.ts";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { conflict, KnownError, notFound } from "../../../platform/errors.ts";
import { addressKey } from "../../../platform/ip-address.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import type { SitesContext } from "../context.ts";
import type { PageReference } from "../page-names.ts";
import {
  createRawPageKey,
  deletePageKey,
  findStoredKey,
  insertPageKey,
  listPageKeys,
  lockPageKeys,
  maskPageKey,
  maxKeysPerPage,
  pageKeyPattern,
  replacePageKey,
  type ShownPageKey,
  type StoredKey,
  saveKeyUse,
} from "./key-store.ts";

/**
 * Text in every encrypted cookie of a private page. The text distinguishes cookies from other
 * values that are encrypted with the same key.
 */
const purpose = "page-access";
const keptMs = 30 * 86_400_000;
/** Minimum age at which a cookie is renewed. */
const renewedAfterMs = 86_400_000;
/** Minimum time between two updates of the last use of a key. */
const notedAfterMs = 60_000;

type PageAccessContext = Pick<
  SitesContext,
  "db" | "clock" | "encryption" | "isSecure" | "pageKeyLimit"
>;

/**
 * Returns the cookie name with the last characters of the page id. The first characters are a
 * creation time, which several pages may share.
 */
function nameCookie({ pageId }: PageReference): string {
  return `vedette_page_${pageId.slice(-8)}`;
}

/** Returns a value that changes with the key, so that rotating a key revokes its cookies. */
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

/** Decrypts a cookie value; returns `null` if it is forged, expired or for another page. */
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

/**
 * Finds an entered key. Throws if the address has too many failed attempts. Valid keys do not count
 * towards this limit.
 */
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

/** Returns a `Set-Cookie` header for an entered key; `null` if the page has no such key. */
export async function grantPageAccess(
  context: PageAccessContext,
  page: PageReference,
  attempt: { readonly rawKey: string; readonly address: string; readonly basePath: string },
): Promise<string | null> {
  const key = await findKey(context, page, { ...attempt, rawKey: attempt.rawKey.trim() });
  return key && writeCookie(context, page, { key, basePath: attempt.basePath });
}

/** Returns a `Set-Cookie` header. `basePath` is the prefix of links, with a final slash. */
function writeCookie(
  context: PageAccessContext,
  page: PageReference,
  { key, basePath }: { readonly key: StoredKey; readonly basePath: string },
): string {
  return stringifySetCookie({
    name: nameCookie(page),
    value: sealPass(context, page, key),
    // A cookie path without a trailing slash also matches the URL without the slash.
    path: basePath.replace(/(?<=.)\/$/, ""),
    expires: new Date(context.clock.now().getTime() + keptMs),
    httpOnly: true,
    sameSite: "lax",
    secure: context.isSecure(),
  });
}

export interface Visitor {
  readonly cookieHeader: string | undefined;
  /** Key in the request; `null` if the request contains no well-formed key. */
  readonly presentedKey: string | null;
  /** Network address of the visitor; failed attempts are counted per address. */
  readonly address: string;
}

/** Reads the key from the query, which feed readers use, or from a bearer token. */
export function readVisitor(request: Pick<FastifyRequest, "headers" | "query" | "ip">): Visitor {
  const { cookie: cookieHeader, authorization } = request.headers;
  const { key } = (request.query ?? {}) as { readonly key?: unknown };
  const bearer = /^Bearer (\S+)$/i.exec(authorization ?? "")?.[1];
  // A repeated query parameter is an array and is ignored.
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

/** Returns the key for which a cookie was issued; `null` if the key was deleted or rotated. */
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
 * Renews a visitor's cookie, for screens that show a page for years. Returns a `Set-Cookie` header,
 * or `null` if the visitor has no valid cookie or if the cookie is less than a day old.
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

/** Returns whether the visitor may view a private page. */
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

/** Dependencies for keys of pages. Callers must have checked access to the page. */
type KeysContext = Pick<SitesContext, "db" | "clock">;

/** Creates a key in the transaction of the caller. */
export async function addPageKey(
  db: Database,
  accountId: string,
  { pageKind, pageId, at }: PageReference & { readonly at: Date },
): Promise<ShownPageKey> {
  const rawKey = createRawPageKey();
  const lastFour = rawKey.slice(-4);
  const times = { createdAt: at, updatedAt: null, lastUsedAt: null };
  const key = { id: randomUUIDv7(), lastFour, ...times };
  await insertPageKey(db, accountId, { pageKind, pageId, ...key, hash: hashSecret(rawKey) });
  return { ...key, maskedKey: maskPageKey(key.lastFour), rawKey };
}

export async function createPageKey(
  context: KeysContext,
  caller: Caller,
  page: PageReference & {
    /** Locks the page against deletion until the transaction ends; false if it does not exist. */
    readonly hold: (db: Database) => Promise<boolean>;
  },
): Promise<ShownPageKey> {
  const { pageKind, pageId } = page;
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    await lockPageKeys(db, caller.accountId, page);
    if (!(await page.hold(db))) throw notFound();
    const keys = await listPageKeys(db, caller.accountId, { pageKind, pageIds: [pageId] });
    if (keys.length >= maxKeysPerPage) {
      throw conflict(`a page has at most ${maxKeysPerPage} keys; delete one first`);
    }
    const key = await addPageKey(db, caller.accountId, { pageKind, pageId, at });
    const changes = { keyId: key.id, lastFour: key.lastFour };
    const note = { action: `${pageKind}.key-created`, targetId: pageId, changes, at };
    await writeAuditEntry(db, caller, note);
    return key;
  });
}

/** Replaces a key, which revokes the old key and every cookie issued for it. */
export async function rotatePageKey(
  context: KeysContext,
  caller: Caller,
  { keyId: id, ...page }: PageReference & { readonly keyId: string },
): Promise<ShownPageKey> {
  const at = context.clock.now();
  const rawKey = createRawPageKey();
  const lastFour = rawKey.slice(-4);
  const change = { ...page, id, hash: hashSecret(rawKey), lastFour, at };
  return inTransaction(context.db, async (db) => {
    const key = await replacePageKey(db, caller.accountId, change);
    if (key === null) throw notFound();
    const changes = { keyId: key.id, lastFour };
    const note = { action: `${page.pageKind}.key-rotated`, targetId: page.pageId, changes, at };
    await writeAuditEntry(db, caller, note);
    return { ...key, rawKey };
  });
}

export async function removePageKey(
  context: KeysContext,
  caller: Caller,
  { keyId: id, ...page }: PageReference & { readonly keyId: string },
): Promise<void> {
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const key = await deletePageKey(db, caller.accountId, { ...page, id });
    if (key === null) throw notFound();
    const changes = { keyId: key.id, lastFour: key.lastFour };
    const note = { action: `${page.pageKind}.key-deleted`, targetId: page.pageId, changes, at };
    await writeAuditEntry(db, caller, note);
  });
}
