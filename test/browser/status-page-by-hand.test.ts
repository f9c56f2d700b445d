/** A new user builds a status page; clicks and keys are counted. */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { isLongRun, test } from "../support/long-run.ts";

let app: TestApp;
let browser: Browser;
before(async () => {
  if (noBrowser !== false || !isLongRun) return;
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await app?.stop();
});

const names = ["Shop", "Search", "API", "Mail"];

async function createChecks(): Promise<void> {
  for (const name of names) {
    const body = { name, frequency: 1_440, request: { hostname: "127.0.0.1" } };
    const { status, text } = await app.call("POST", "/v1/checks/icmp", { body });
    assert.equal(status, 201, text);
  }
}

async function countEffort(page: Page) {
  await page.evaluate(`
    globalThis.effort = { clicks: 0, keys: 0 };
    addEventListener("pointerdown", () => { globalThis.effort.clicks += 1; }, true);
    addEventListener("keydown", () => { globalThis.effort.keys += 1; }, true);
  `);
  return () => page.evaluate("globalThis.effort") as Promise<{ clicks: number; keys: number }>;
}

test("two cards with four services that follow a check take 10 clicks, and typing only for names", {
  isLong: true,
  skip: noBrowser,
}, async () => {
  await createChecks();
  const opened = await openApplication(browser, app, { path: "/status-pages" });
  const { page } = opened;
  const choose = async (card: string, checks: readonly string[]) => {
    await page.getByLabel(`Add a service to ${card}`).click();
    for (const name of checks) {
      await page.getByRole("option", { name: new RegExp(`^${name}`) }).click();
      await page.getByRole("button", { name: `Move ${name}`, exact: true }).waitFor();
    }
  };
  await page.getByRole("heading", { name: "No status page yet" }).waitFor();
  const measure = await countEffort(page);
  await page.getByRole("link", { name: "New status page" }).click();
  await page.getByLabel("Name").waitFor();
  const isReady = await page.evaluate("document.activeElement?.tagName === 'INPUT'");
  if (isReady !== true) await page.getByLabel("Name").click();
  await page.keyboard.type("Acme");
  await page.getByRole("button", { name: "Create page" }).click();
  await choose("Services", ["Shop", "Search"]);
  await page.getByRole("button", { name: "Add a card" }).click();
  // The name of a new card is selected, so typing replaces it.
  await page.keyboard.type("Back");
  await choose("Back", ["API", "Mail"]);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("The page was saved.").waitFor();
  const { clicks, keys } = await measure();
  assert.equal(keys, "Acme".length + "Back".length);
  assert.ok(clicks <= 11, `${clicks} clicks`);

  const pages = await app.call("GET", "/v1/status-pages");
  const cards = pages.body.entries[0].cards as { name: string; services: { name: string }[] }[];
  assert.deepEqual(
    cards.map((card) => [card.name, card.services.map(({ name }) => name)]),
    [
      ["Services", ["Shop", "Search"]],
      ["Back", ["API", "Mail"]],
    ],
  );
  const services = await app.call("GET", "/v1/status-pages/services?paginated=false");
  for (const { follows } of services.body) assert.equal(follows.checkIds.length, 1);
  await opened.close();
});

test("a check on another card is added again as the same service", {
  isLong: true,
  skip: noBrowser,
}, async () => {
  const { body } = await app.call("GET", "/v1/status-pages");
  const opened = await openApplication(browser, app, {
    path: `/status-pages/${body.entries[0].id}/editor`,
  });
  const { page } = opened;
  await page.getByLabel("Add a service to Services").click();
  await page.getByRole("option", { name: /^Mail/ }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("The page was saved.").waitFor();
  const services = await app.call("GET", "/v1/status-pages/services?paginated=false");
  assert.equal(services.body.length, names.length);
  await opened.close();
});

test("the appearance of a page is edited: brand colour, days, links, footer and CSS", {
  isLong: true,
  skip: noBrowser,
}, async () => {
  const { body } = await app.call("GET", "/v1/status-pages");
  const [{ id, url }] = body.entries;
  const opened = await openApplication(browser, app, { path: `/status-pages/${id}/editor` });
  const { page } = opened;
  await page.getByLabel("Derived from a brand colour").click();
  await page.getByLabel("Brand colour", { exact: true }).fill("#7B1FA2");
  await page.getByLabel("30 days").click();
  await page.getByRole("button", { name: "Add a link: Header links" }).click();
  await page.getByLabel("Header links: text of link 1").fill("Home");
  opened.expect(/status of 400/);
  await page.getByLabel("Header links: address of link 1").fill("javascript:alert(1)");
  await page.getByLabel("Footer text").fill("Acme Ltd");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page
    .getByText(/must be an http or https URL/)
    .first()
    .waitFor();
  await page.getByLabel("Header links: address of link 1").fill("https://acme.example/");
  await page.getByRole("textbox", { name: "CSS" }).click();
  await page.keyboard.type(".banner { border-radius: 0; position: fixed }");
  await page.getByText("removed: position: fixed").waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("The page was saved.").waitFor();
  await opened.audit();
  await opened.close();
  const saved = (await app.call("GET", `/v1/status-pages/${id}`)).body;
  assert.equal(saved.brandColor, "#7B1FA2");
  assert.equal(saved.historyDays, 30);
  assert.deepEqual(saved.headerLinks, [{ name: "Home", url: "https://acme.example/" }]);
  assert.equal(saved.footerText, "Acme Ltd");
  const visitor = await openApplication(browser, app, { path: `/status/${url}/`, role: null });
  const radius = "getComputedStyle(document.querySelector('.banner')).borderRadius";
  assert.equal(await visitor.page.evaluate(radius), "0px");
  await visitor.close();
});
