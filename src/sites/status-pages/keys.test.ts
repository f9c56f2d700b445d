import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { CallOptions, TestApp } from "../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import { createPng, toDataUrl } from "../../../test/support/inputs/pictures.ts";
import { createStatusPage } from "../../../test/support/modules/status-pages.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp();
});
after(() => app.stop());

const unknownId = "00000000-0000-7000-8000-00000000dead";

function createPrivatePage() {
  return createStatusPage(app, { isPrivate: true, logo: toDataUrl(createPng()) });
}

async function createKey(pageId: string) {
  const answer = await app.call("POST", `/v1/status-pages/${pageId}/keys`);
  assert.equal(answer.status, 201, answer.text);
  return answer.body as { id: string; rawKey: string; maskedKey: string };
}

/** The page's logo is as private as the page. */
async function fetchLogo(page: { url: string }, query = "", options: CallOptions = {}) {
  const path = `/status/${page.url}/images/logo${query}`;
  return (await app.call("GET", path, { key: null, ...options })).status;
}

test("a key is shown once, and masked afterwards", async () => {
  const page = await createPrivatePage();
  const path = `/v1/status-pages/${page.id}/keys`;
  const created = await app.call("POST", path);
  assert.equal(created.status, 201);
  const { id, rawKey } = created.body;
  assert.match(rawKey, /^da_[0-9a-f]{32}$/);
  const masked = {
    id,
    maskedKey: `da_...${rawKey.slice(-4)}`,
    created_at: "2026-11-15",
    updated_at: null,
    lastUsedAt: null,
  };
  assert.deepEqual(created.body, { ...masked, rawKey });
  const list = await app.call("GET", path);
  assert.deepEqual(list.body, [masked]);
  const { rows } = await app.query("select encode(key_hash, 'hex') as hash from page_keys");
  assert.ok(rows.every(({ hash }) => /^[0-9a-f]{64}$/.test(hash)));
  const everything = await app.query("select row_to_json(page_keys)::text as text from page_keys");
  const audit = await app.call("GET", "/v1/audit-log?limit=100");
  for (const text of [...everything.rows.map((row) => row.text), audit.text, app.logText()]) {
    assert.equal(text.includes(rawKey), false);
    assert.equal(text.includes(rawKey.slice(3)), false);
  }
});

test("a private page opens only with a key in the URL or as a bearer token", async () => {
  const page = await createPrivatePage();
  const other = await createPrivatePage();
  const { rawKey } = await createKey(page.id);
  const { rawKey: elsewhere } = await createKey(other.id);
  assert.equal(await fetchLogo(page), 404);
  assert.equal(await fetchLogo(page, `?key=${rawKey}`), 200);
  assert.equal(await fetchLogo(page, "", { headers: { authorization: `Bearer ${rawKey}` } }), 200);
  assert.equal(await fetchLogo(page, `?key=${elsewhere}`), 404);
  assert.equal(await fetchLogo(page, `?key=${rawKey.toUpperCase()}`), 404);
  assert.equal(await fetchLogo(page, "?key=da_"), 404);
  assert.equal(
    await fetchLogo(page, "", { key: app.owner.apiKey }),
    404,
    "an API key is not a page key",
  );
  assert.equal(await fetchLogo(page, "", { cookie: "vedette_page_00000000=made-up" }), 404);
  const shown = await app.call("GET", `/status/${page.url}/images/logo?key=${rawKey}`, {
    key: null,
  });
  assert.equal(shown.headers.get("cache-control"), "private, no-cache");
});

test("changing isPrivate takes effect immediately", async () => {
  const page = await createPrivatePage();
  const put = (isPrivate: boolean) =>
    app.call("PUT", `/v1/status-pages/${page.id}`, {
      body: { name: page.name, url: page.url, cards: [], isPrivate },
    });
  await put(false);
  assert.equal(await fetchLogo(page), 200);
  await put(true);
  assert.equal(await fetchLogo(page), 404);
});

test("a rotated or deleted key stops working immediately", async () => {
  const page = await createPrivatePage();
  const first = await createKey(page.id);
  const second = await createKey(page.id);
  const rotate = `/v1/status-pages/${page.id}/keys/${first.id}/rotate`;
  const rotated = await app.call("POST", rotate);
  assert.equal(rotated.status, 200);
  assert.equal(rotated.body.id, first.id);
  assert.equal(rotated.body.updated_at, "2026-11-15");
  assert.notEqual(rotated.body.rawKey, first.rawKey);
  assert.equal(await fetchLogo(page, `?key=${first.rawKey}`), 404);
  assert.equal(await fetchLogo(page, `?key=${rotated.body.rawKey}`), 200);
  assert.equal(await fetchLogo(page, `?key=${second.rawKey}`), 200);
  const path = `/v1/status-pages/${page.id}/keys/${second.id}`;
  assert.equal((await app.call("DELETE", path)).status, 204);
  assert.equal(await fetchLogo(page, `?key=${second.rawKey}`), 404);
  assert.equal((await app.call("DELETE", path)).status, 404);
  assert.equal((await app.call("POST", `${path}/rotate`)).status, 404);
});

test("a key is found only under its own page", async () => {
  const [page, other] = [await createPrivatePage(), await createPrivatePage()];
  const { id, rawKey } = await createKey(page.id);
  const wrong = `/v1/status-pages/${other.id}/keys/${id}`;
  assert.equal((await app.call("POST", `${wrong}/rotate`)).status, 404);
  assert.equal((await app.call("DELETE", wrong)).status, 404);
  assert.equal((await app.call("POST", `/v1/status-pages/${unknownId}/keys`)).status, 404);
  assert.equal((await app.call("GET", `/v1/status-pages/${unknownId}/keys`)).status, 404);
  assert.equal((await app.call("GET", "/v1/status-pages/five/keys")).status, 400);
  assert.equal((await app.call("DELETE", `${wrong}x`)).status, 400);
  assert.equal(await fetchLogo(page, `?key=${rawKey}`), 200);
});

test("a page has at most ten keys, also under concurrent requests", async () => {
  const page = await createPrivatePage();
  const path = `/v1/status-pages/${page.id}/keys`;
  const answers = await Promise.all(Array.from({ length: 14 }, () => app.call("POST", path)));
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [...Array(10).fill(201), ...Array(4).fill(409)]);
  const rejected = answers.find(({ status }) => status === 409);
  assert.match(rejected?.body.message, /at most 10 keys/);
  assert.equal((await app.call("GET", path)).body.length, 10);
});
