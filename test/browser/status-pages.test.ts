/** Building a status page. The rest is in `web/status-pages/status-pages.test.tsx`. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, FrameLocator, Locator, Page } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication, pressSignedOut } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { createPng } from "../support/inputs/pictures.ts";
import { test } from "../support/long-run.ts";
import { createIncident, createPage } from "../support/modules/public-page.ts";
import { waitUntil } from "../support/time/wait-until.ts";

let app: TestApp;
let browser: Browser;
before(async () => {
  if (noBrowser !== false) return;
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await app?.stop();
});

const button = (page: Page | Locator, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true });

/** The document of the preview that is shown, not of one that is still loading. */
const previewOf = (page: Page): FrameLocator =>
  page.frameLocator('iframe[title="Preview of the page"]');

/** Until the newest preview has loaded, its frame may be replaced. */
async function waitForNewestPreview(page: Page): Promise<void> {
  await waitUntil("the newest preview is shown", () =>
    page.evaluate(`(() => {
      const frames = [...document.querySelectorAll("iframe")];
      return frames.length === 1 && frames[0].title === "Preview of the page"
        && !/Preview out of date|Loading the preview/.test(document.body.innerText);
    })()`),
  );
}

/** Omits the time of the last update, which differs. */
async function readWords(main: Locator): Promise<string> {
  const parts = await main.locator(":scope > :not(.updated)").allInnerTexts();
  return parts.join(" ").replaceAll(/\s+/g, " ").trim();
}

async function addService(page: Page, card: string, name: string): Promise<void> {
  const field = page.getByLabel(`Add a service to ${card}`);
  await field.fill(name);
  await page.getByRole("option", { name: `Create “${name}” without a check` }).click();
  await button(page, `Move ${name}`).waitFor();
  // The list stays open for the next service, and may cover what is below the field.
  await field.press("Escape");
}

const listMoved = (page: Page) =>
  page
    .getByRole("button", { name: /^Move / })
    .evaluateAll((handles) =>
      handles.map((handle) => handle.getAttribute("aria-label")?.replace("Move ", "") ?? ""),
    );

async function dragOnto(page: Page, name: string, target: Locator): Promise<void> {
  await target.scrollIntoViewIfNeeded();
  await button(page, `Move ${name}`).hover();
  await page.mouse.down();
  const box = await target.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width / 2, box.y + 2, { steps: 4 });
  await page.mouse.up();
}

async function createCheck(name: string): Promise<void> {
  const body = { name, frequency: 1_440, request: { hostname: "127.0.0.1" } };
  const { status, text } = await app.call("POST", "/v1/checks/icmp", { body });
  assert.equal(status, 201, text);
}

describe("status pages", { skip: noBrowser }, () => {
  test("a page is built from scratch, matches its preview and is public", async () => {
    await createCheck("ping shop");
    const opened = await openApplication(browser, app, { path: "/status-pages" });
    const { page } = opened;
    await page.getByRole("heading", { name: "No status page yet" }).waitFor();
    await opened.audit();
    await page.getByRole("link", { name: "New status page" }).click();
    await page.getByLabel("Name").fill("Ácme <b>Status</b>");
    const address = page.getByRole("textbox", { name: "Address" });
    assert.equal(await address.inputValue(), "acme-b-status-b");
    await address.fill("acme");
    await button(page, "Create page").click();

    await page.getByLabel("Card name").fill("Website");
    await addService(page, "Website", "Shop");
    await addService(page, "Website", "Search");
    await button(page, "Add a card").click();
    await page.getByLabel("Card name").last().fill("Interfaces");
    await addService(page, "Interfaces", "API");

    await button(page, "Edit Shop").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Followed checks").fill("shop");
    await page.getByRole("option", { name: /ping shop/ }).click();
    await button(dialog, "Stop following ping shop").waitFor();
    await button(dialog, "Save service").click();
    await page.getByText("Follows 1 check").waitFor();
    await page.getByText("2 services follow no check and are shown as Operational").waitFor();

    // By keyboard: through the card and on to the next one; the focus moves along.
    await button(page, "Move Shop").focus();
    await page.keyboard.press("ArrowDown");
    await page.getByText("Shop: position 2 of 2 on Website.").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.getByText("Shop: position 1 of 2 on Interfaces.").waitFor();
    assert.deepEqual(await listMoved(page), ["Website", "Search", "Interfaces", "Shop", "API"]);
    await button(page, "Move Interfaces").focus();
    await page.keyboard.press("ArrowUp");
    await page.getByText("Card Interfaces: position 1 of 2.").waitFor();
    // By mouse: a service to another card.
    await dragOnto(page, "Shop", page.locator("[data-service]", { hasText: "Search" }));
    assert.deepEqual(await listMoved(page), ["Interfaces", "API", "Website", "Shop", "Search"]);

    const logo = { name: "logo.png", mimeType: "image/png", buffer: createPng(60, 20) };
    await page.locator("input[type=file]").first().setInputFiles(logo);
    const picture = previewOf(page).getByRole("img", { name: "Ácme <b>Status</b>" });
    await picture.waitFor();
    await waitUntil(
      "the picture is drawn",
      async () => (await picture.evaluate((image) => Reflect.get(image, "naturalWidth"))) === 60,
    );
    await page.getByLabel("Custom").click();
    await page.getByLabel("Text", { exact: true }).fill("#eeeeee");
    await page.getByText(/Low contrast on “Cards”: 1\.1\d? to 1, at least 4\.5/).waitFor();
    await page.getByLabel("Text", { exact: true }).fill("#223344");
    await page
      .getByText(/Low contrast/)
      .first()
      .waitFor({ state: "detached" });
    await previewOf(page).getByText("Search", { exact: true }).waitFor();
    await opened.audit();

    await button(page, "Save").click();
    await page.getByText("The page was saved.").waitFor();
    await waitForNewestPreview(page);
    const shown = await readWords(previewOf(page).locator("main"));
    assert.match(shown, /Interfaces.*API.*Website.*Shop.*Search/);
    await opened.close();
    const visitor = await openApplication(browser, app, { path: "/status/acme/", role: null });
    assert.equal(await readWords(visitor.page.locator("main")), shown);
    const color = await visitor.page.evaluate(
      "getComputedStyle(document.querySelector('main')).color",
    );
    assert.equal(color, "rgb(34, 51, 68)");
    await visitor.close();
  });

  test("on a phone and in dark mode: a validation error at its field, then nothing is lost or overwritten", {
    isLong: true,
  }, async () => {
    const made = await createPage(app, { url: "phone", name: "Phone", cards: { Web: ["Pay"] } });
    await createIncident(app, { serviceIds: made.serviceIds });
    const path = `/status-pages/${made.id}`;
    const opened = await openApplication(browser, app, {
      path,
      width: 390,
      colorScheme: "dark",
      // The event stream may report the deleted page before the screen is left.
      expects: [/status of 4(?:00|01|04|12)/],
    });
    const { page } = opened;
    await previewOf(page).getByText("Pay").first().waitFor();
    await opened.audit();
    const svg = { name: "a.svg", mimeType: "image/svg+xml", buffer: Buffer.from("<svg>") };
    await page.locator("input[type=file]").first().setInputFiles(svg);
    await page
      .getByText(/logo is rejected/)
      .first()
      .waitFor();
    await button(page, "Logo: remove").click();
    await waitForNewestPreview(page);
    // A newer preview keeps the scroll position of the previous one.
    await page.getByTitle("Preview of the page", { exact: true }).scrollIntoViewIfNeeded();
    const drawn =
      "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))";
    await previewOf(page).locator("main").evaluate(`scrollTo(0, 60), ${drawn}`);
    await page.getByLabel("Description").fill("Typed before the session ended");
    const lead = previewOf(page).getByText("Typed before the session ended");
    await lead.waitFor();
    await waitUntil("it is scrolled", async () => (await lead.evaluate("scrollY")) === 60);

    // The session ends; after signing in again, the draft is restored.
    await pressSignedOut(page, "Save");
    await page.getByLabel("Email").fill("owner@example.com");
    await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
    await button(page, "Sign in").click();
    await page.getByText("Your unsaved changes were restored.").waitFor();
    assert.equal(
      await page.getByLabel("Description").inputValue(),
      "Typed before the session ended",
    );

    // Another user saves first.
    const theirs = { name: "Phone of others", url: "phone", cards: [], description: "Theirs" };
    await app.call("PUT", `/v1/status-pages/${made.id}`, { body: theirs });
    await button(page, "Save").click();
    await page.getByRole("alert", { name: "Another user changed this page" }).waitFor();
    await button(page, "Use selection").click();
    const { promise: isTyped, resolve: answer } = Promise.withResolvers<void>();
    await page.route(`**/v1/status-pages/${made.id}`, async (route) => {
      if (route.request().method() === "PUT") await isTyped;
      await route.fallback();
    });
    await button(page, "Save").click();
    await page.getByLabel("Description").fill("Not saved");
    answer();
    await page.getByText("The page was saved.").waitFor();
    const saved = (await app.call("GET", `/v1/status-pages/${made.id}`)).body;
    assert.deepEqual(
      [saved.name, saved.description],
      ["Phone of others", "Typed before the session ended"],
    );

    // Input during the save is kept and guarded; deleting names what is lost.
    assert.equal(await page.getByLabel("Description").inputValue(), "Not saved");
    await page.getByRole("link", { name: "Alerts" }).click();
    await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
    await button(page.getByRole("dialog"), "Cancel").click();
    await button(page, "Delete").click();
    const dialog = page.getByRole("dialog", { name: /Delete the status page/ });
    await dialog.getByText(/0 subscribers are removed/).waitFor();
    await button(dialog, "Delete page").click();
    await page.getByText("was deleted").waitFor();
    await page.getByRole("heading", { name: "Status pages", exact: true }).waitFor();
    assert.equal((await app.call("GET", `/v1/status-pages/${made.id}`)).status, 404);
    await opened.close();
  });
});
