import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, type Stranger } from "../../../test/support/apps/cast.ts";
import {
  createService,
  createStatusPage,
  nextPageUrl,
  postStatusPage,
} from "../../../test/support/modules/status-pages.ts";
import { defaultPalettes } from "../../pages/status-page/theme.ts";

let app: TestApp;
let stranger: Stranger;
before(async () => {
  app = await startTestApp({ PUBLIC_URL: "https://vedette.example.org" });
  stranger = await addStranger(app);
});
after(() => app.stop());

const path = "/v1/status-pages";
const contractFields = [
  "name",
  "url",
  "id",
  "customDomain",
  "themeColors",
  "logo",
  "redirectTo",
  "favicon",
  "defaultTheme",
  "cards",
  "whiteLabel",
];

test("a page without settings returns every field", async () => {
  const answer = await postStatusPage(app, { name: "Acme", url: "Acme-Status" });
  assert.equal(answer.status, 201);
  const { id, ...rest } = answer.body;
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.deepEqual(rest, {
    name: "Acme",
    url: "acme-status",
    customDomain: null,
    themeColors: null,
    logo: null,
    redirectTo: null,
    favicon: null,
    defaultTheme: "AUTO",
    cards: [],
    whiteLabel: false,
    description: null,
    logoDark: null,
    version: 1,
    isPrivate: false,
    brandColor: null,
    customCSS: "",
    cssWarnings: [],
    headerLinks: [],
    footerText: null,
    footerLinks: [],
    historyDays: 90,
    accountId: app.owner.accountId,
    created_at: "2026-11-15",
    updated_at: null,
    contrastWarnings: [],
  });
  const read = await app.call("GET", `${path}/${id}`);
  assert.equal(read.status, 200);
  assert.deepEqual(read.body, answer.body);
  assert.equal(read.headers.get("etag"), answer.headers.get("etag"));
  for (const field of contractFields) assert.ok(field in read.body, field);
});

test("a page with all settings is returned as sent, normalised", async () => {
  const services = [await createService(app, "Web"), await createService(app, "Mail")];
  const palette = Object.fromEntries(
    Object.entries(defaultPalettes.light).map(([name, color]) => [name, color.toLowerCase()]),
  );
  const page = await createStatusPage(app, {
    description: "How we are doing",
    customDomain: "Status.EXAMPLE.com.",
    themeColors: { light: palette, dark: defaultPalettes.dark },
    redirectTo: "https://example.com/?a=b",
    defaultTheme: "DARK",
    whiteLabel: true,
    isPrivate: true,
    cards: [
      { name: "First", services: services.map((id) => ({ id: id.toUpperCase(), name: "any" })) },
      { name: "Second" },
    ],
  });
  assert.equal(page.description, "How we are doing");
  assert.equal(page.customDomain, "status.example.com");
  assert.deepEqual(page.themeColors, defaultPalettes);
  assert.equal(page.redirectTo, "https://example.com/?a=b");
  assert.equal(page.defaultTheme, "DARK");
  assert.equal(page.whiteLabel, true);
  assert.equal(page.isPrivate, true);
  const [first, second] = page.cards;
  assert.equal(first.name, "First");
  assert.equal(first.created_at, "2026-11-15");
  assert.equal(first.updated_at, null);
  assert.deepEqual(
    first.services.map(({ id }: { id: string }) => id),
    services,
  );
  // A card shows the service of the contract, without its follows.
  const { follows, ...reference } = (await app.call("GET", `${path}/services/${services[0]}`)).body;
  assert.deepEqual(follows, { checkIds: [], tags: [] });
  assert.deepEqual(first.services[0], reference);
  assert.deepEqual(second.services, []);
});

test("absent fields keep the stored value, null resets it to the default", async () => {
  const { id, url } = await createStatusPage(app, {
    description: "kept",
    customDomain: "kept.example.com",
    redirectTo: "https://example.com/",
    defaultTheme: "LIGHT",
    whiteLabel: true,
    isPrivate: true,
    themeColors: defaultPalettes,
  });
  const required = { name: "Changed", url, cards: [] };
  const kept = await app.call("PUT", `${path}/${id}`, { body: required });
  assert.equal(kept.status, 200);
  assert.equal(kept.body.name, "Changed");
  assert.equal(kept.body.version, 2);
  assert.equal(kept.body.updated_at, "2026-11-15");
  assert.equal(kept.body.description, "kept");
  assert.equal(kept.body.customDomain, "kept.example.com");
  assert.equal(kept.body.redirectTo, "https://example.com/");
  assert.equal(kept.body.defaultTheme, "LIGHT");
  assert.equal(kept.body.whiteLabel, true);
  assert.equal(kept.body.isPrivate, true);
  assert.deepEqual(kept.body.themeColors, defaultPalettes);
  const body = {
    ...required,
    description: null,
    customDomain: null,
    redirectTo: null,
    defaultTheme: null,
    whiteLabel: null,
    isPrivate: null,
    themeColors: null,
  };
  const reset = await app.call("PUT", `${path}/${id}`, { body });
  assert.equal(reset.body.description, null);
  assert.equal(reset.body.customDomain, null);
  assert.equal(reset.body.redirectTo, null);
  assert.equal(reset.body.defaultTheme, "AUTO");
  assert.equal(reset.body.whiteLabel, false);
  assert.equal(reset.body.isPrivate, false);
  assert.equal(reset.body.themeColors, null);
  const free = await postStatusPage(app, { customDomain: "kept.example.com" });
  assert.equal(free.status, 201, "a removed domain is available to others");
});

test("a card sent with its id is kept, and its updated_at shows a change", async () => {
  const service = await createService(app, "Database");
  const page = await createStatusPage(app, {
    cards: [{ name: "Same", services: [{ id: service }] }, { name: "Old name" }, { name: "Gone" }],
  });
  const [same, renamed] = page.cards;
  app.clock.advance(2 * 86_400_000);
  const { body } = await app.call("PUT", `${path}/${page.id}`, {
    body: {
      name: page.name,
      url: page.url,
      cards: [
        { id: renamed.id.toUpperCase(), name: "New name" },
        { name: "New", services: [{ id: service }] },
        // Without a list of services, the card keeps its services.
        { id: same.id, name: "Same" },
      ],
    },
  });
  assert.deepEqual(
    body.cards.map(({ name }: { name: string }) => name),
    ["New name", "New", "Same"],
  );
  const [first, fresh, last] = body.cards;
  assert.deepEqual(first, { ...renamed, name: "New name", updated_at: "2026-11-17" });
  assert.equal(fresh.created_at, "2026-11-17");
  assert.deepEqual(last, same);
  const { rows } = await app.query(
    "select count(*)::int as count from status_page_cards where status_page_id = $1",
    [page.id],
  );
  assert.deepEqual(rows, [{ count: 3 }]);
});

test("each invalid item of a card is named", async () => {
  const service = await createService(app);
  const theirs = await app.call("POST", `${path}/services`, {
    key: stranger.key,
    body: { name: "not yours" },
  });
  const other = await createStatusPage(app, { cards: [{ name: "elsewhere" }] });
  const own = await createStatusPage(app, { cards: [{ name: "here" }] });
  const unknown = "00000000-0000-7000-8000-00000000dead";
  const faults: readonly (readonly [unknown, string])[] = [
    [[{ name: "a", services: [{ id: service }, { id: unknown }] }], "cards.0.services.1.id"],
    [[{ name: "a", services: [{ id: theirs.body.id }] }], "cards.0.services.0.id"],
    [[{ name: "a", services: [{ id: service }, { id: service }] }], "cards.0.services.1.id"],
    [[{ name: "a" }, { name: "b", id: other.cards[0].id }], "cards.1.id"],
    [[{ name: "b", id: unknown }], "cards.0.id"],
    [
      [
        { name: "a", id: own.cards[0].id },
        { name: "b", id: own.cards[0].id },
      ],
      "cards.1.id",
    ],
    [[{ services: [] }], "cards.0.name"],
    [[{ name: "x".repeat(256) }], "cards.0.name"],
    [[{ name: "a", services: [{}] }], "cards.0.services.0.id"],
    [[{ name: "a", services: [{ id: 5 }] }], "cards.0.services.0.id"],
    [Array.from({ length: 51 }, () => ({ name: "a" })), "cards"],
    ["none", "cards"],
    [null, "cards"],
  ];
  for (const [cards, key] of faults) {
    const body = { name: own.name, url: own.url, cards };
    const answer = await app.call("PUT", `${path}/${own.id}`, { body });
    assert.equal(answer.status, 400, JSON.stringify(cards));
    assert.deepEqual(answer.body.validation.keys, [key], answer.body.message);
    assert.ok(answer.body.message.startsWith(key), answer.body.message);
  }
  assert.deepEqual((await app.call("GET", `${path}/${own.id}`)).body, own);
});

test("a page has at most 50 cards and 200 services on them", async () => {
  const refs: { id: string }[] = [];
  // One at a time, because concurrent requests could time out waiting for a database connection.
  while (refs.length < 101) refs.push({ id: await createService(app, `service ${refs.length}`) });
  const most = await postStatusPage(app, {
    cards: [
      { name: "one", services: refs.slice(0, 100) },
      { name: "two", services: refs.slice(0, 100) },
      ...Array.from({ length: 48 }, (_, index) => ({ name: `card ${index}` })),
    ],
  });
  assert.equal(most.status, 201);
  assert.equal(most.body.cards.length, 50);
  const rejected = await postStatusPage(app, {
    cards: [
      { name: "one", services: refs.slice(0, 100) },
      { name: "two", services: refs },
    ],
  });
  assert.equal(rejected.status, 400);
  assert.match(rejected.body.message, /^cards must not have more than 200 services/);
});

test("concurrent requests with the same Idempotency-Key create one page", async () => {
  const body = { name: "once", url: nextPageUrl(), cards: [{ name: "card" }] };
  const headers = { "idempotency-key": "page-once" };
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => app.call("POST", path, { body, headers })),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    Array(10).fill(201),
  );
  assert.equal(new Set(answers.map((answer) => answer.body.id)).size, 1);
  assert.equal(new Set(answers.map((answer) => answer.text)).size, 1);
  const other = await app.call("POST", path, { body: { ...body, name: "twice" }, headers });
  assert.equal(other.status, 409);
});

test("a rejected request stores no Idempotency-Key", async () => {
  const { url } = await createStatusPage(app);
  const headers = { "idempotency-key": "page-refused" };
  const body = { name: "late", url, cards: [] };
  assert.equal((await app.call("POST", path, { body, headers })).status, 409);
  const retry = await app.call("POST", path, { body: { ...body, url: nextPageUrl() }, headers });
  assert.equal(retry.status, 201);
});

test("a change with an outdated ETag receives 412", async () => {
  const page = await createStatusPage(app);
  const target = `${path}/${page.id}`;
  const tag = (await app.call("GET", target)).headers.get("etag") ?? "";
  const put = (name: string, ifMatch: string) =>
    app.call("PUT", target, {
      body: { name, url: page.url, cards: [] },
      headers: { "if-match": ifMatch },
    });
  assert.equal((await put("second", tag)).status, 200);
  assert.equal((await put("third", tag)).status, 412);
  assert.equal((await put("fourth", "*")).status, 200);
  assert.equal((await app.call("GET", target)).body.name, "fourth");
});

test("pages are listed with a cursor, and another account sees none of them", async (t) => {
  const mine = await startTestApp();
  t.after(() => mine.stop());
  const elsewhere = await addStranger(mine);
  const pages = [];
  for (let index = 0; index < 3; index += 1) {
    pages.push(await createStatusPage(mine, { cards: [{ name: `card ${index}` }] }));
  }
  const first = await mine.call("GET", `${path}?limit=2`);
  assert.deepEqual(first.body.entries, pages.slice(0, 2));
  assert.equal(first.body.length, 2);
  const second = await mine.call("GET", `${path}?limit=2&nextId=${first.body.nextId}`);
  assert.deepEqual(second.body, { length: 1, entries: [pages[2]], nextId: null });
  const theirs = await mine.call("GET", path, { key: elsewhere.key });
  assert.deepEqual(theirs.body, { length: 0, entries: [], nextId: null });
});

test("deleting a page deletes everything that belongs to it", async () => {
  const page = await createStatusPage(app, {
    customDomain: "gone.example.com",
    logo: "https://example.com/logo.png",
    cards: [{ name: "card", services: [{ id: await createService(app) }] }],
  });
  await app.call("POST", `${path}/${page.id}/keys`);
  assert.equal((await app.call("DELETE", `${path}/${page.id}`)).status, 204);
  assert.equal((await app.call("GET", `${path}/${page.id}`)).status, 404);
  assert.equal((await app.call("DELETE", `${path}/${page.id}`)).status, 404);
  for (const table of ["page_names", "page_keys", "page_images"]) {
    const { rows } = await app.query(`select 1 from ${table} where page_id = $1`, [page.id]);
    assert.equal(rows.length, 0, table);
  }
  const again = await postStatusPage(app, { url: page.url, customDomain: "gone.example.com" });
  assert.equal(again.status, 201);
});

test("colours with low contrast are stored, and listed in every response", async () => {
  const dim = { ...defaultPalettes.light, bodyFontColorMuted: "#AAAAAA" };
  const page = await createStatusPage(app, {
    themeColors: { light: dim, dark: defaultPalettes.dark },
  });
  const expected = [
    {
      theme: "light",
      foreground: "bodyFontColorMuted",
      background: "bodyBackgroundColor",
      ratio: 2.16,
      needed: 4.5,
    },
    {
      theme: "light",
      foreground: "bodyFontColorMuted",
      background: "cardBackgroundColor",
      ratio: 2.32,
      needed: 4.5,
    },
  ];
  assert.deepEqual(page.contrastWarnings, expected);
  assert.deepEqual((await app.call("GET", `${path}/${page.id}`)).body.contrastWarnings, expected);
});
