/** Valid, invalid and hostile input of status pages. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
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
const { light, dark } = defaultPalettes;

const faults: readonly (readonly [field: string, values: readonly unknown[]])[] = [
  ["name", [undefined, null, "", " \n", "x".repeat(256), 5, {}]],
  ["url", [undefined, null, "", "-a", "a-", "a.b", "a b", "a/b", "ä", "x".repeat(64), 5]],
  ["url", ["incidents", "Services", "WWW", "api", "v1", "status", "dashboards", "docs", "admin"]],
  ["url", ["xn--80ak6aa92e", "../../etc", "<script>", "a\r\nb", "%2e%2e"]],
  ["description", ["x".repeat(501), 5, ["a"]]],
  ["customDomain", ["", "localhost", "https://a.example.com", "a.example.com:443", "192.0.2.1"]],
  [
    "customDomain",
    ["[::1]", "2130706433.", "a b.example.com", "a_b.example.com", 5, "*.example.com"],
  ],
  ["customDomain", ["vedette.example.org", "x.Vedette.example.org.", "x".repeat(255)]],
  ["redirectTo", ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "", 5]],
  ["redirectTo", ["vbscript:x", "file:///etc/passwd", "/relative", "//example.com", "https://"]],
  ["redirectTo", ["https://example.com@evil.example/", "https://exa mple.com/", "java\nscript:x"]],
  ["redirectTo", [`https://example.com/${"x".repeat(2_048)}`]],
  ["defaultTheme", ["auto", "BLUE", "", 5]],
  ["whiteLabel", ["yes", 1, "true"]],
  ["isPrivate", ["no", 0]],
  ["themeColors", ["dark", 5, []]],
  ["brandColor", ["red", "#12", "#12345G", "", 5]],
  ["customCSS", [5, [], "x".repeat(65_537)]],
  ["headerLinks", ["x", Array(6).fill({ name: "a", url: "https://example.com" })]],
  ["footerLinks", [5, Array(11).fill({ name: "a", url: "https://example.com" })]],
  ["footerText", ["x".repeat(1_001), 5]],
  ["historyDays", [0, 7, 91, "90", 30.5]],
];

test("every invalid field is named, and nothing is stored", async () => {
  const before = (await app.call("GET", `${path}?limit=100`)).body.length;
  for (const [field, values] of faults) {
    for (const value of values) {
      const answer = await postStatusPage(app, { [field]: value });
      const what = `${field} ${JSON.stringify(value)?.slice(0, 60)}`;
      assert.equal(answer.status, 400, `${what}: ${answer.text}`);
      assert.deepEqual(answer.body.validation, { source: "body", keys: [field] }, what);
      assert.ok(answer.body.message.startsWith(`${field} `), answer.body.message);
    }
  }
  assert.equal((await app.call("GET", `${path}?limit=100`)).body.length, before);
});

test("a palette must have all twelve colours, each valid", async () => {
  const { borderColor: _, ...eleven } = light;
  const palettes: readonly (readonly [unknown, string])[] = [
    [{ light }, "themeColors.dark"],
    [{ light: eleven, dark }, "themeColors.light.borderColor"],
    [{ light, dark: { ...dark, borderColor: null } }, "themeColors.dark.borderColor"],
  ];
  const colors = [
    "red",
    "#12",
    "#1234",
    "#12345",
    "#1234567",
    "123456",
    "#GGGGGG",
    "#123456;}",
    "#123}body{display:none",
    "#123456\n",
    "url(https://example.com)",
    "var(--x)",
    "",
    5,
  ];
  for (const [themeColors, key] of [
    ...palettes,
    ...colors.map(
      (color) =>
        [
          { light: { ...light, linkFontColor: color }, dark },
          "themeColors.light.linkFontColor",
        ] as const,
    ),
  ]) {
    const answer = await postStatusPage(app, { themeColors });
    assert.equal(answer.status, 400, answer.text);
    assert.deepEqual(answer.body.validation.keys, [key]);
  }
});

test("unknown fields of a palette are ignored", async () => {
  const page = await createStatusPage(app, {
    themeColors: { light: { ...light, css: "x" }, dark, sepia: light },
  });
  assert.deepEqual(page.themeColors, { light, dark });
});

test("read-only fields are ignored", async () => {
  const page = await createStatusPage(app);
  const body = {
    ...page,
    name: "mine still",
    id: "00000000-0000-7000-8000-00000000dead",
    accountId: stranger.accountId,
    created_at: "1999-01-01",
    updated_at: "1999-01-01",
    version: 900,
    contrastWarnings: [{ theme: "light" }],
    role: "OWNER",
  };
  const answer = await app.call("PUT", `${path}/${page.id}`, { body });
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.body, {
    ...page,
    name: "mine still",
    version: 2,
    updated_at: "2026-11-15",
  });
  const theirs = await app.call("GET", path, { key: stranger.key });
  assert.deepEqual(theirs.body.entries, []);
});

test("sending back a page as it was read changes only its version", async () => {
  const services = [{ id: await createService(app) }];
  const page = await createStatusPage(app, {
    themeColors: defaultPalettes,
    customDomain: "whole.example.com",
    description: "all of it",
    redirectTo: "https://example.com/",
    logo: "https://example.com/logo.png",
    cards: [{ name: "card", services }, { name: "other" }],
  });
  const answer = await app.call("PUT", `${path}/${page.id}`, { body: page });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.body, { ...page, version: 2, updated_at: "2026-11-15" });
});

test("unusual characters in names are preserved", async () => {
  for (const name of [
    "‮gnp.exe",
    "a\u200bb",
    "👩‍👩‍👧",
    "'; drop table status_pages; --",
    "<b>&amp;",
  ]) {
    const page = await createStatusPage(app, { name, description: name, cards: [{ name }] });
    assert.equal(page.name, name);
    assert.equal(page.description, name);
    assert.equal(page.cards[0].name, name);
  }
});

test("any input returns a page or names the invalid field", async () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("a", "example.com", "https://example.com/", "#fff"),
  );
  const anything = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.array(text));
  const card = fc.record(
    { id: anything, name: anything, services: anything },
    { requiredKeys: [] },
  );
  const input = fc.record(
    {
      name: fc.oneof(fc.constant("a page"), anything),
      url: fc.oneof(fc.constant("generated"), anything),
      cards: fc.oneof(fc.constant([]), fc.array(card, { maxLength: 3 }), anything),
      description: anything,
      customDomain: anything,
      themeColors: fc.oneof(anything, fc.record({ light: anything, dark: anything })),
      logo: anything,
      favicon: anything,
      redirectTo: anything,
      defaultTheme: fc.oneof(fc.constantFrom("AUTO", "DARK"), anything),
      whiteLabel: anything,
      isPrivate: anything,
    },
    { requiredKeys: ["name", "url", "cards"] },
  );
  await fc.assert(
    fc.asyncProperty(input, async (body) => {
      const unique = { ...body, url: body.url === "generated" ? nextPageUrl() : body.url };
      const { status, body: answer, text: raw } = await app.call("POST", path, { body: unique });
      assert.ok([201, 400, 409].includes(status), `${status} ${raw} ${JSON.stringify(unique)}`);
      if (status === 400) assert.ok(answer.message.length > 0);
    }),
  );
});

test("headers that are too long or empty are rejected by name", async () => {
  const body = { name: "a", url: nextPageUrl(), cards: [] };
  for (const key of ["", "x".repeat(256)]) {
    const answer = await app.call("POST", path, { body, headers: { "idempotency-key": key } });
    assert.equal(answer.status, 400);
    assert.deepEqual(answer.body.validation, { source: "headers", keys: ["idempotency-key"] });
  }
  const page = await createStatusPage(app);
  const tag = { "if-match": `"${"x".repeat(1_001)}"` };
  const answer = await app.call("PUT", `${path}/${page.id}`, { body, headers: tag });
  assert.equal(answer.status, 400);
  assert.deepEqual(answer.body.validation, { source: "headers", keys: ["if-match"] });
});
