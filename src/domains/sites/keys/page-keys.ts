import { randomUUIDv7 } from "node:crypto";
import { parseCookie, stringifySetCookie } from "cookie";
import type { FastifyRequest } from "fastify";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { conflict, KnownError, notFound } from "../../../platform/errors.ts";
import { addressKey } from "../../../platform/ip-address.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import { type Caller, writeAuditEntry } from "../../accounts/index.ts";
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

/** Access to private pages: by key, and then for 30 days by cookie. */
const purpose = "page-access";
const keptMs = 30 * 86_400_000;
/** A pass is renewed at most once a day. */
const renewedAfterMs = 86_400_000;
/** A use is recorded at most once a minute. */
const notedAfterMs = 60_000;

type PageAccessContext = Pick<
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

/** Callers must have authorised access to the page. */
type KeysContext = Pick<SitesContext, "db" | "clock">;

/** Adds a key in the caller's transaction. */
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
    /**
     * Locks the page against deletion until the transaction ends; returns false if it does not
     * exist.
     */
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

/** Revokes the old key and every cookie that was issued for it. */
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
