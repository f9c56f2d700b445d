import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Answer, startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import {
  createIncident,
  createPage,
  type MadePage,
} from "../../../test/support/modules/public-page.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let app: TestApp;
let page: MadePage;
let other: MadePage;
let incidentId: string;
let key: { readonly id: string; readonly rawKey: string };

async function createKey(pageId: string) {
  return (await app.call("POST", `/v1/status-pages/${pageId}/keys`, { body: {} })).body;
}

before(async () => {
  app = await startTestApp();
  const more = { isPrivate: true };
  const cards = { Inner: ["Payroll"] };
  page = await createPage(app, { url: "inner", name: "Inner circle", cards, more });
  other = await createPage(app, { url: "others", name: "Other circle", more });
  incidentId = await createIncident(app, { serviceIds: page.serviceIds, name: "Payroll is late" });
  key = await createKey(page.id);
});
after(() => app.stop());

const secrets = /Payroll|Inner circle/;
const documents = () => [
  "",
  "/",
  "/history",
  "/history/2026-11",
  `/incidents/${incidentId}`,
  "/summary.json",
  "/feed.rss",
  "/feed.atom",
  "/feed.json",
  "/maintenance.ics",
  "/badge.svg",
];

const look = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  app.call("GET", path, { key: null, headers });

function unlock(
  rawKey: string,
  headers: Readonly<Record<string, string>> = {},
  path = page.path,
): Promise<Answer> {
  return fetch(`${app.url}${path}/unlock`, {
    method: "POST",
    redirect: "manual",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams({ key: rawKey }).toString(),
  }).then(async (answer) => {
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, body: undefined };
  });
}

async function signIn(rawKey = key.rawKey): Promise<string> {
  return (await unlock(rawKey)).headers.get("set-cookie")?.split(";")[0] ?? "";
}

function assertUnshared(answer: Answer): void {
  assert.equal(answer.headers.get("cache-control"), "private, no-store");
  assert.equal(answer.headers.get("x-robots-tag"), "noindex");
  assert.equal(answer.headers.get("access-control-allow-origin"), null);
}

describe("a private page without its key", () => {
  test("is closed in every format and reveals nothing", async () => {
    for (const path of documents()) {
      for (const headers of [{}, { accept: "text/html" }]) {
        const answer = await look(`${page.path}${path}`, headers);
        assert.equal(answer.status, 401, path);
        assert.equal(secrets.test(answer.text), false, path);
        assertUnshared(answer);
        assert.equal(answer.headers.get("etag"), null);
      }
    }
  });

  test("is closed even after a request with the key", async () => {
    const cookie = await signIn();
    for (const path of documents()) {
      assert.equal((await look(`${page.path}${path}`, { cookie })).status, 200, path);
      assert.equal((await look(`${page.path}${path}`)).status, 401, path);
    }
  });

  test("shows a form for the key, without a referrer", async () => {
    const { text } = await look(page.path);
    assert.ok(text.includes("This page is private"));
    assert.ok(text.includes('<form method="post" action="/status/inner/unlock">'));
    assert.ok(text.includes('content="noindex"'));
    assert.equal(/feed|summary|history/.test(text), false);
  });

  test("does not reveal whether an incident exists", async () => {
    const nothing = "0198a1b2-0000-7000-8000-000000000000";
    assert.equal((await look(`${page.path}/incidents/${nothing}`)).status, 401);
  });

  test("serves its theme, which the form for the key uses", async () => {
    assert.equal((await look(`${page.path}/theme.css`)).status, 200);
    assert.equal((await look(`${page.path}/page.css`)).status, 200);
  });
});

describe("a private page with its key", () => {
  test("opens by the form, for this page only", async () => {
    const answer = await unlock(key.rawKey);
    assert.equal(answer.status, 303);
    assert.equal(answer.headers.get("location"), "/status/inner/");
    const cookie = answer.headers.get("set-cookie") ?? "";
    assert.match(cookie, /HttpOnly/);
    assert.match(cookie, /SameSite=Lax/);
    assert.match(cookie, /Path=\/status\/inner;/);
    const [pair = ""] = cookie.split(";");
    const shown = await look(page.path, { cookie: pair });
    assert.equal(shown.status, 200);
    assert.ok(shown.text.includes("Payroll is late"));
    assert.ok(shown.text.includes('content="noindex"'));
    assertUnshared(shown);
    assert.equal((await look(other.path, { cookie: pair })).status, 401);
  });

  test("opens for feed readers with the key in the URL or as a bearer token", async () => {
    for (const path of documents()) {
      const byAddress = await look(`${page.path}${path}?key=${key.rawKey}`);
      assert.equal(byAddress.status, 200, path);
      assertUnshared(byAddress);
      const authorization = `Bearer ${key.rawKey}`;
      assert.equal((await look(`${page.path}${path}`, { authorization })).status, 200, path);
    }
    assert.equal((await look(`${other.path}?key=${key.rawKey}`)).status, 401);
  });

  test("in a link sets a cookie for browsers, and none for programs", async () => {
    const opened = await look(`${page.path}/history?key=${key.rawKey}`);
    const cookie = opened.headers.get("set-cookie") ?? "";
    assert.match(cookie, /; Path=\/status\/inner; .*HttpOnly; SameSite=Lax/);
    assertUnshared(opened);
    const [pass = ""] = cookie.split(";");
    assert.equal((await look(page.path, { cookie: pass })).status, 200);
    const bearer = { authorization: `Bearer ${key.rawKey}` };
    assert.equal((await look(page.path, bearer)).headers.get("set-cookie"), null);
    const feed = await look(`${page.path}/feed.rss?key=${key.rawKey}`);
    assert.equal(feed.headers.get("set-cookie"), null);
    // An outdated key in a bookmark is not a guess, however often the page is opened with it.
    for (let count = 0; count < 25; count += 1) {
      const old = await look(`${page.path}?key=da_${"0".repeat(32)}`, { cookie: pass });
      assert.deepEqual([old.status, old.headers.get("set-cookie")], [200, null]);
    }
  });

  test("responds 404 for a missing incident", async () => {
    const nothing = "0198a1b2-0000-7000-8000-000000000000";
    const answer = await look(`${page.path}/incidents/${nothing}?key=${key.rawKey}`);
    assert.equal(answer.status, 404);
  });

  test("never responds 304, because it must not be cached", async () => {
    const path = `${page.path}?key=${key.rawKey}`;
    assert.equal((await look(path, { "if-none-match": "*" })).status, 200);
  });

  test("is closed immediately when the key is rotated or deleted", async () => {
    const fresh = await createKey(page.id);
    const cookie = await signIn(fresh.rawKey);
    assert.equal((await look(page.path, { cookie })).status, 200);
    const rotated = await app.call("POST", `/v1/status-pages/${page.id}/keys/${fresh.id}/rotate`);
    assert.equal((await look(page.path, { cookie })).status, 401);
    const again = await signIn(rotated.body.rawKey);
    assert.equal((await look(page.path, { cookie: again })).status, 200);
    await app.call("DELETE", `/v1/status-pages/${page.id}/keys/${fresh.id}`);
    assert.equal((await look(page.path, { cookie: again })).status, 401);
  });
});

describe("the form of a private page", () => {
  test("rejects a wrong key with a message, and is rate limited after many", async () => {
    const wrong = await unlock("da_00000000000000000000000000000000");
    assert.equal(wrong.status, 401);
    assert.ok(wrong.text.includes("This key is not valid for this page."));
    assert.equal(wrong.headers.get("set-cookie"), null);
    assert.equal((await unlock(`${key.rawKey}x`)).status, 401);
    const statuses = [];
    for (let count = 0; count < 25; count += 1) statuses.push((await unlock("x")).status);
    assert.equal(statuses.at(-1), 429);
    assert.equal((await unlock(key.rawKey)).status, 429);
    app.clock.advance(300_000);
    assert.equal((await unlock(key.rawKey)).status, 303);
  });

  test("is rejected from another site", async () => {
    const foreign: Readonly<Record<string, string>>[] = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: app.url, "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ];
    for (const headers of foreign) {
      assert.equal((await unlock(key.rawKey, headers)).status, 403, JSON.stringify(headers));
    }
    const own = { origin: app.url, "sec-fetch-site": "same-origin" };
    assert.equal((await unlock(key.rawKey, own)).status, 303);
  });

  test("accepts only a small form", async () => {
    const send = (contentType: string, rawBody: string) =>
      app.call("POST", `${page.path}/unlock`, {
        key: null,
        headers: { "content-type": contentType },
        rawBody,
      });
    const form = "application/x-www-form-urlencoded";
    assert.equal((await send(form, `key=${"x".repeat(5_000)}`)).status, 413);
    assert.equal((await send(form, "other=1")).status, 400);
    assert.equal((await send(form, `key=${"x".repeat(300)}`)).status, 400);
    assert.equal((await send("text/plain", "key=1")).status, 415);
    assert.equal((await unlock("x", {}, "/status/nobody")).status, 404);
  });

  test("has no effect on GET", async () => {
    const answer = await look(`${page.path}/unlock?key=${key.rawKey}`);
    assert.equal(answer.status, 404);
    assert.equal(answer.headers.get("set-cookie"), null);
  });
});

describe("a page that becomes private", () => {
  test("is closed to its current readers, and opens again", async () => {
    const turned = await createPage(app, { url: "turned", name: "Turned" });
    const body = { name: "Turned", url: "turned", cards: [] };
    assert.equal((await look(turned.path)).status, 200);
    await app.call("PUT", `/v1/status-pages/${turned.id}`, { body: { ...body, isPrivate: true } });
    await waitUntil("it is closed", async () => (await look(turned.path)).status === 401);
    await app.call("PUT", `/v1/status-pages/${turned.id}`, { body: { ...body, isPrivate: false } });
    await waitUntil("it is open", async () => (await look(turned.path)).status === 200);
    await app.call("DELETE", `/v1/status-pages/${turned.id}`);
    await waitUntil("it is gone", async () => (await look(turned.path)).status === 404);
  });
});
