import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import { createStatusPage, postStatusPage } from "../../../test/support/modules/status-pages.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp();
});
after(() => app.stop());

const appearance = {
  brandColor: "#7b1fa2",
  customCSS: ".banner { border-radius: 0; position: fixed }",
  headerLinks: [{ name: "Acme", url: "https://acme.example/" }],
  footerText: "Acme Ltd, London",
  footerLinks: [{ name: "Support", url: "mailto:help@acme.example" }],
  historyDays: 365,
};
const warnings = [{ line: 1, column: 29, message: "removed: position: fixed" }];

test("a page stores its brand colour, style sheet, links, footer and days", async () => {
  const page = await createStatusPage(app, appearance);
  const { brandColor, ...rest } = appearance;
  const stored = { ...rest, brandColor: "#7B1FA2", cssWarnings: warnings };
  for (const [field, value] of Object.entries(stored)) assert.deepEqual(page[field], value, field);
  const path = `/v1/status-pages/${page.id}`;
  const kept = await app.call("PUT", path, { body: { name: "A", url: page.url, cards: [] } });
  for (const [field, value] of Object.entries(stored)) {
    assert.deepEqual(kept.body[field], value, `${field} is kept`);
  }
  const nothing = Object.fromEntries(Object.keys(appearance).map((field) => [field, null]));
  const body = { name: "A", url: page.url, cards: [], ...nothing };
  const reset = (await app.call("PUT", path, { body })).body;
  assert.equal(brandColor, appearance.brandColor);
  const { brandColor: color, customCSS, cssWarnings, headerLinks, footerText } = reset;
  assert.deepEqual([color, customCSS, footerText], [null, "", null]);
  assert.deepEqual([cssWarnings, headerLinks, reset.footerLinks], [[], [], []]);
  assert.equal(reset.historyDays, 90);
});

test("a page stored before these settings existed has their defaults", async () => {
  const page = await createStatusPage(app, appearance);
  await app.query(
    `update status_pages set settings = settings - 'brandColor' - 'customCSS' - 'headerLinks'
       - 'footerText' - 'footerLinks' - 'historyDays' where id = $1`,
    [page.id],
  );
  const { body } = await app.call("GET", `/v1/status-pages/${page.id}`);
  assert.deepEqual([body.brandColor, body.customCSS, body.historyDays], [null, "", 90]);
  assert.deepEqual([body.headerLinks, body.footerLinks, body.footerText], [[], [], null]);
});

test("a script link or an invalid link is rejected by its index", async () => {
  for (const url of ["javascript:alert(1)", "data:text/html,x", "/relative", "mailto:", "x"]) {
    for (const field of ["headerLinks", "footerLinks"]) {
      const links = [
        { name: "fine", url: "https://example.com" },
        { name: "bad", url },
      ];
      const answer = await postStatusPage(app, { [field]: links });
      assert.equal(answer.status, 400, url);
      assert.deepEqual(answer.body.validation, { source: "body", keys: [`${field}.1.url`] });
    }
  }
});

test("the public page shows the links, the footer and the filtered style sheet", async () => {
  const page = await createStatusPage(app, appearance);
  const base = `/status/${page.url}`;
  const home = await app.call("GET", `${base}/`);
  assert.match(home.text, /<a href="https:\/\/acme.example\/" rel="noopener noreferrer">Acme<\/a>/);
  assert.match(home.text, /<a href="mailto:help@acme.example"[^>]*>Support<\/a>/);
  assert.ok(home.text.includes("Acme Ltd, London"));
  assert.match(home.text, /<a href="[^"]*\/docs"[^>]*>Powered by Vedette</);
  const address = /href="([^"]*custom\.css[^"]*)"/.exec(home.text)?.[1] ?? "";
  const sheet = await app.call("GET", address);
  assert.equal(sheet.status, 200);
  assert.equal(sheet.headers.get("content-type"), "text/css; charset=utf-8");
  assert.equal(sheet.text, ".status-page .banner{border-radius:0}");
  const theme = await app.call("GET", `${base}/theme.css`);
  assert.ok(theme.text.includes("--linkFontColor:#7B1FA2"));
  const plain = await createStatusPage(app);
  const without = await app.call("GET", `/status/${plain.url}/`);
  assert.equal(without.text.includes("custom.css"), false);
});

test("the bars of a page cover its historyDays", async () => {
  const service = (await app.call("POST", "/v1/status-pages/services", { body: { name: "S" } }))
    .body;
  for (const historyDays of [30, 90, 365]) {
    const cards = [{ name: "All", services: [{ id: service.id }] }];
    const page = await createStatusPage(app, { historyDays, cards });
    const home = await app.call("GET", `/status/${page.url}/`);
    assert.ok(home.text.includes(`${historyDays} days ago`), String(historyDays));
    assert.ok(home.text.includes(`class="days d${historyDays}"`));
  }
});

test("style sheet and banner of a private page need its key", async () => {
  const page = await createStatusPage(app, { ...appearance, isPrivate: true });
  for (const file of ["custom.css", "banner", "badge.svg"]) {
    const answer = await app.call("GET", `/status/${page.url}/${file}`);
    assert.equal(answer.status, 401, file);
    assert.equal(answer.text.includes("border-radius"), false);
  }
});

test("other sites may embed the banner, and nothing else of the page", async () => {
  const page = await createStatusPage(app, { name: "Acme <b>" });
  const banner = await app.call("GET", `/status/${page.url}/banner`);
  assert.equal(banner.status, 200);
  const policyOf = (answer: { headers: Headers }) =>
    answer.headers.get("content-security-policy") ?? "";
  assert.match(policyOf(banner), /frame-ancestors \*/);
  assert.match(policyOf(banner), /default-src 'none'/);
  assert.equal(banner.headers.get("x-frame-options"), null);
  assert.match(banner.text, /<a class="none" href="[^"]*" target="_blank"/);
  assert.ok(banner.text.includes("Acme &lt;b&gt;"));
  assert.equal(banner.text.includes("<script"), false);
  const style = /href="([^"]*banner\.css[^"]*)"/.exec(banner.text)?.[1] ?? "";
  assert.equal((await app.call("GET", style)).status, 200);
  const home = await app.call("GET", `/status/${page.url}/`);
  assert.match(policyOf(home), /frame-ancestors 'none'/);
});

test("a preview lists the removed CSS and shows the derived colours", async () => {
  const body = { name: "A", url: "look-preview", cards: [], ...appearance };
  const answer = await app.call("POST", "/v1/status-pages/previews", { body });
  assert.equal(answer.status, 201);
  assert.deepEqual(answer.body.cssWarnings, warnings);
  assert.equal(answer.body.themeColors.light.linkFontColor, "#7B1FA2");
  assert.deepEqual(answer.body.contrastWarnings, []);
});
