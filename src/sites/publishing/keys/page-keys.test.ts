import assert from "node:assert/strict";
import { randomBytes, randomUUIDv7 } from "node:crypto";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { captureLog } from "../../../../test/support/apps/log.ts";
import { createTestDatabase } from "../../../../test/support/database/database.ts";
import { TestClock } from "../../../../test/support/time/clock.ts";
import { type DatabasePool, openDatabase } from "../../../platform/database-pool.ts";
import { Encryption } from "../../../platform/encryption.ts";
import { KnownError } from "../../../platform/errors.ts";
import type { AddressKey } from "../../../platform/ip-address.ts";
import { migrate } from "../../../platform/migrations.ts";
import { RateLimit } from "../../../platform/rate-limit.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import type { PageReference } from "../page-names.ts";
import { createRawPageKey, deletePageKey, insertPageKey, replacePageKey } from "./key-store.ts";
import { grantPageAccess, hasPageAccess, readVisitor } from "./page-keys.ts";

const accountId = "00000000-0000-7000-8000-000000000001";
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: DatabasePool;
before(async () => {
  database = await createTestDatabase();
  const connection = { connectionString: database.url };
  await migrate(connection);
  pool = openDatabase(connection, captureLog().log);
  await pool.pool.query("insert into accounts (id, name, created_at) values ($1, 'a', now())", [
    accountId,
  ]);
});
after(async () => {
  await pool.close();
  await database.drop();
});

function createContext(isSecure = true) {
  const clock = new TestClock();
  return {
    db: pool.db,
    clock,
    encryption: new Encryption(randomBytes(32)),
    isSecure: () => isSecure,
    pageKeyLimit: new RateLimit<AddressKey>({ limit: 20, windowMs: 300_000, clock }),
  };
}

async function addKey(page: PageReference): Promise<{ id: string; rawKey: string }> {
  const rawKey = createRawPageKey();
  const id = randomUUIDv7();
  const stamps = { createdAt: new Date(0), updatedAt: null, lastUsedAt: null };
  const key = { ...page, id, lastFour: rawKey.slice(-4), hash: hashSecret(rawKey), ...stamps };
  await insertPageKey(pool.db, accountId, key);
  return { id, rawKey };
}

type Context = ReturnType<typeof createContext>;
const address = "192.0.2.7";
const basePath = "/status/acme/";

async function enter(context: Context, page: PageReference, rawKey: string): Promise<string> {
  const header = await grantPageAccess(context, page, { rawKey, address, basePath });
  assert.ok(header !== null);
  return header.split(";")[0] ?? "";
}

function look(context: Context, page: PageReference, cookieHeader?: string) {
  return hasPageAccess(context, page, { cookieHeader, presentedKey: null, address });
}

const createPage = (pageKind: PageReference["pageKind"] = "status-page"): PageReference => ({
  pageKind,
  pageId: pageKind === "dashboard" ? randomBytes(4).toString("hex") : randomUUIDv7(),
});

for (const pageKind of ["status-page", "dashboard"] as const) {
  test(`a visitor with a key has access to a ${pageKind} for thirty days`, async () => {
    const context = createContext();
    const page = createPage(pageKind);
    const { rawKey } = await addKey(page);
    const cookie = await enter(context, page, ` ${rawKey}\n`);
    assert.equal(await look(context, page), false);
    assert.equal(await look(context, page, `other=1; ${cookie}; more=2`), true);
    context.clock.advance(30 * 86_400_000 - 1);
    assert.equal(await look(context, page, cookie), true);
    context.clock.advance(1);
    assert.equal(await look(context, page, cookie), false);
  });
}

test("the cookie is limited to this page, HttpOnly, and Secure over HTTPS", async () => {
  const context = createContext();
  const page = createPage();
  const { rawKey } = await addKey(page);
  const grant = (by: Context, path = basePath) =>
    grantPageAccess(by, page, { rawKey, address, basePath: path });
  const header = (await grant(context)) ?? "";
  assert.ok(header.startsWith(`vedette_page_${page.pageId.slice(-8)}=`), header);
  assert.match(header, /; Path=\/status\/acme;/);
  assert.match(header, /; HttpOnly/);
  assert.match(header, /; SameSite=Lax/);
  assert.match(header, /; Secure/);
  assert.match(header, /; Expires=Tue, 15 Dec 2026 12:00:00 GMT/);
  assert.match((await grant(context, "/")) ?? "", /; Path=\/;/);
  assert.equal(/Secure/.test((await grant(createContext(false))) ?? ""), false);
});

test("a visitor's key is read from the query or a bearer token, and only once", () => {
  const key = createRawPageKey();
  const read = (query: unknown, authorization?: string) =>
    readVisitor({ headers: { authorization, cookie: "a=b" }, query, ip: address });
  assert.deepEqual(read({ key }), { cookieHeader: "a=b", presentedKey: key, address });
  assert.equal(read({}, `bearer ${key}`).presentedKey, key);
  for (const query of [{}, undefined, { key: [key, key] }, { key: `${key}0` }, { key: "" }]) {
    assert.equal(read(query).presentedKey, null);
  }
  assert.equal(read({}, `Basic ${key}`).presentedKey, null);
});

test("rotating or deleting a key revokes exactly its own cookies", async () => {
  const context = createContext();
  const page = createPage();
  const keys = [await addKey(page), await addKey(page), await addKey(page)] as const;
  const cookies = await Promise.all(keys.map(({ rawKey }) => enter(context, page, rawKey)));
  const fresh = createRawPageKey();
  await replacePageKey(pool.db, accountId, {
    ...page,
    id: keys[0].id,
    hash: hashSecret(fresh),
    lastFour: fresh.slice(-4),
    at: context.clock.now(),
  });
  await deletePageKey(pool.db, accountId, { ...page, id: keys[1].id });
  const seen = await Promise.all(cookies.map((cookie) => look(context, page, cookie)));
  assert.deepEqual(seen, [false, false, true]);
  assert.equal(await look(context, page, await enter(context, page, fresh)), true);
});

test("a cookie opens no other page, even if renamed", async () => {
  const context = createContext();
  const page = createPage();
  const { rawKey } = await addKey(page);
  const cookie = await enter(context, page, rawKey);
  const [, value = ""] = cookie.split("=");
  const other = createPage();
  await addKey(other);
  for (const stranger of [other, { ...page, pageKind: "dashboard" } as const]) {
    const renamed = `vedette_page_${stranger.pageId.slice(-8)}=${value}`;
    assert.equal(await look(context, stranger, renamed), false);
  }
  assert.equal(await look(createContext(), page, cookie), false, "sealed by another server");
});

test("a forged cookie opens no page", async () => {
  const context = createContext();
  const page = createPage();
  const { rawKey } = await addKey(page);
  const name = `vedette_page_${page.pageId.slice(-8)}`;
  const [, sealed = ""] = (await enter(context, page, rawKey)).split("=");
  const foreign = context.encryption.encrypt(JSON.stringify(["page", page.pageId]));
  const tampered = fc
    .tuple(fc.nat(sealed.length - 1), fc.stringMatching(/^[A-Za-z0-9_-]$/))
    .map(([at, letter]) => sealed.slice(0, at) + letter + sealed.slice(at + 1))
    // The last character has unused bits.
    .filter((text) => !Buffer.from(text, "base64url").equals(Buffer.from(sealed, "base64url")));
  const made = fc.oneof(
    fc.string(),
    fc.base64String(),
    fc.constant(Buffer.from(foreign, "base64").toString("base64url")),
    tampered,
  );
  await fc.assert(
    fc.asyncProperty(made, async (text) => {
      assert.equal(await look(context, page, `${name}=${encodeURIComponent(text)}`), false);
      assert.equal(await look(context, page, `${name}=${text}`), false);
    }),
  );
});

test("twenty wrong keys in five minutes are the limit; correct ones never count", async () => {
  const context = createContext();
  const page = createPage();
  const { rawKey } = await addKey(page);
  const tryKey = (key: string, from = address) =>
    grantPageAccess(context, page, { rawKey: key, address: from, basePath });
  for (let count = 0; count < 30; count += 1) assert.ok(await tryKey(rawKey));
  const cookie = await enter(context, page, rawKey);
  for (let count = 0; count < 10; count += 1) {
    assert.equal(await tryKey(createRawPageKey()), null);
    const presentedKey = createRawPageKey();
    const visitor = { cookieHeader: undefined, presentedKey, address };
    assert.equal(await hasPageAccess(context, page, visitor), false);
  }
  const isRefused = (error: unknown) =>
    error instanceof KnownError &&
    error.errorName === "tooManyRequests" &&
    error.retryAfterSeconds === 300;
  await assert.rejects(() => tryKey(rawKey), isRefused);
  assert.equal(await look(context, page, cookie), true, "who is inside stays inside");
  assert.ok(await tryKey(rawKey, "198.51.100.1"), "another address is another caller");
  context.clock.advance(300_000);
  assert.ok(await tryKey(rawKey));
});

test("all addresses of one IPv6 network count as one client", async () => {
  const context = createContext();
  const page = createPage();
  for (let count = 1; count <= 20; count += 1) {
    const attempt = { rawKey: "wrong", basePath, address: `2001:db8:1:2::${count.toString(16)}` };
    assert.equal(await grantPageAccess(context, page, attempt), null);
  }
  const last = { rawKey: "wrong", basePath, address: "2001:db8:1:2:ffff::1" };
  await assert.rejects(() => grantPageAccess(context, page, last), KnownError);
  assert.equal(await grantPageAccess(context, page, { ...last, address: "2001:db8:1:3::1" }), null);
});
