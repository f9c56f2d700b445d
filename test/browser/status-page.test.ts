/**
 * How the public status page looks in a real browser. What its script does is tested in
 * `src/screens/public-pages/page-script.test.ts`.
 */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { findSideways } from "../support/browsers/application.ts";
import {
  launchBrowser,
  noBrowser,
  openPage,
  type WatchedPage,
} from "../support/browsers/browser.ts";
import { auditPage } from "../support/browsers/page-audit.ts";
import { test } from "../support/long-run.ts";
import {
  createIncident,
  createPage,
  type MadePage,
  planMaintenance,
} from "../support/modules/public-page.ts";
import { waitUntil } from "../support/time/wait-until.ts";

const options = { skip: noBrowser };
let app: TestApp;
let browser: Browser;
let calm: MadePage;
let bad: MadePage;
let twelve: MadePage;
let closed: MadePage;
let incidentId: string;

const evil = `"><img src=x onerror=alert(1)><script>alert(1)</script> & 'x' \u202e`;

before(async () => {
  if (noBrowser !== false) return;
  app = await startTestApp({ PUBLIC_URL: "http://watch.test" });
  browser = await launchBrowser();
  calm = await createPage(app, { url: "calm", name: "Calm" });
  bad = await createPage(app, {
    url: "bad",
    name: "Bad",
    cards: { One: ["Shop", evil], Two: ["API"] },
  });
  const names = Array.from({ length: 12 }, (_, index) => `Service ${index + 1}`);
  twelve = await createPage(app, {
    url: "twelve",
    cards: { One: names.slice(0, 4), Two: names.slice(4, 8), Three: names.slice(8) },
  });
  closed = await createPage(app, { url: "closed", more: { isPrivate: true } });
  const [shop = "", hostile = ""] = bad.serviceIds;
  incidentId = await createIncident(app, {
    name: "The shop is down",
    severity: "CRITICAL",
    serviceIds: [shop],
    updates: [
      [90, "INVESTIGATING", "We are **looking** into it."],
      [30, "IDENTIFIED", `A [cable](https://example.com/) is cut.\n\n- one\n- two\n\n${evil}`],
    ],
  });
  await createIncident(app, {
    name: evil,
    severity: "MINOR",
    serviceIds: [hostile],
    updates: [
      [5_000, "INVESTIGATING", evil],
      [4_000, "RESOLVED", "Over."],
    ],
  });
  await planMaintenance(app, { name: evil, description: evil, fromMinutes: 60, toMinutes: 90 });
});

after(async () => {
  await browser?.close();
  await app?.stop();
});

async function visit(path: string, how: Parameters<typeof openPage>[1] = {}): Promise<WatchedPage> {
  const opened = await openPage(browser, how);
  await opened.page.goto(`${app.url}${path}`);
  return opened;
}

function assertAtPeace({ complaints, requested }: WatchedPage): void {
  assert.deepEqual(complaints, []);
  const origins = new Set(requested.map((address) => new URL(address).origin));
  assert.deepEqual([...origins], [app.url]);
}

describe("the public page in a browser", options, () => {
  const windows = [320, 390, 768, 1440, 1920];
  const pages = () => [
    twelve.path,
    bad.path,
    `${bad.path}/history`,
    `${bad.path}/incidents/${incidentId}`,
    closed.path,
    "/status/nobody",
  ];

  test("is accessible at every width in light and dark mode, and executes no user input", async () => {
    const opened = await openPage(browser);
    const { page, complaints } = opened;
    page.on("dialog", async (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      await dialog.dismiss();
    });
    for (const path of pages()) {
      assert.ok(await page.goto(`${app.url}${path}`));
      for (const width of windows) {
        await page.setViewportSize({ width, height: 900 });
        assert.equal(await findSideways(page), null, `${path} ${width}`);
        if (width !== 390 && width !== 1440) continue;
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          assert.deepEqual(await auditPage(page), [], `${path} ${width} ${colorScheme}`);
        }
      }
      const known = complaints.filter((words) => !/status of 40[14]/.test(words));
      assert.deepEqual(known, [], path);
    }
    await opened.close();
  });

  test("twelve operational services fit on a screen, and expand by click and by key", async () => {
    for (const [width, atMost, javaScriptEnabled] of [
      [1440, 350, true],
      [390, 400, false],
    ] as const) {
      const viewport = { width, height: 800 };
      const opened = await visit(twelve.path, { viewport, javaScriptEnabled });
      const { page } = opened;
      const services = page.locator("section", {
        has: page.getByText("Services", { exact: true }),
      });
      const measure = async () => (await services.boundingBox())?.height ?? Number.NaN;
      const folded = await measure();
      assert.ok(folded < atMost, `${folded} px at ${width}`);
      assert.equal(await page.getByText("Service 5", { exact: true }).isVisible(), false);
      await page.getByRole("heading", { name: "Two" }).click();
      assert.equal(await page.getByText("Service 5", { exact: true }).isVisible(), true);
      await page.locator("summary").first().focus();
      await page.keyboard.press("Enter");
      assert.equal(await page.getByText("Service 1", { exact: true }).isVisible(), true);
      await page.getByRole("heading", { name: "Three" }).click();
      const unfolded = await measure();
      if (width === 1440) assert.ok(unfolded < 950, `${unfolded} px unfolded`);
      assertAtPeace(opened);
      await opened.close();
    }
  });

  test("is operated with the keyboard alone, from the skip link on, with visible focus", async () => {
    const opened = await visit(bad.path);
    const { page } = opened;
    await page.keyboard.press("Tab");
    const skip = page.locator(".skip");
    assert.equal(await page.evaluate(`document.activeElement.className === "skip"`), true);
    assert.ok(((await skip.boundingBox())?.y ?? -1) >= 0);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    const focused = "document.activeElement.textContent.trim()";
    assert.equal(await page.evaluate(focused), "The shop is down");
    const outline = "getComputedStyle(document.activeElement).outlineStyle";
    assert.equal(await page.evaluate(outline), "solid");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/incidents/${incidentId}`);
    await opened.close();
  });

  test("has the colours of its state, of the reader's choice and of its owner", async () => {
    const { defaultPalettes } = await import("../../src/pages/status-page/theme.ts");
    const themeColors = {
      light: { ...defaultPalettes.light, bodyBackgroundColor: "#fffbea" },
      dark: { ...defaultPalettes.dark, bodyBackgroundColor: "#102030" },
    };
    const more = { themeColors, defaultTheme: "DARK" };
    const { path } = await createPage(app, { url: "dressed", more });
    const opened = await visit(bad.path, { colorScheme: "light" });
    const { page } = opened;
    const readColor = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector("${selector}")).backgroundColor`);
    const outage = await readColor("h1");
    await page.goto(`${app.url}${path}`);
    assert.equal(await readColor("body"), "rgb(16, 32, 48)");
    await page.goto(`${app.url}${calm.path}`);
    assert.notEqual(await readColor("h1"), outage);
    const light = await readColor("body");
    await page.getByRole("button", { name: /light and dark/ }).click();
    const dark = await readColor("body");
    assert.notEqual(dark, light);
    await page.reload();
    assert.equal(await readColor("body"), dark);
    assertAtPeace(opened);
    await opened.close();
  });

  test("the days of a service are chosen by touch, and fit on a phone", {
    isLong: true,
  }, async () => {
    const viewport = { width: 390, height: 844 };
    const opened = await visit(bad.path, { hasTouch: true, viewport });
    const { page } = opened;
    const bar = page.getByRole("slider", { name: /^Shop: Last 90 days/ });
    await bar.scrollIntoViewIfNeeded();
    const box = await bar.boundingBox();
    assert.ok(box);
    await page.touchscreen.tap(box.x + box.width - 2, box.y + box.height / 2);
    // A browser turns a tap into a click after a delay.
    await page
      .locator("p.day")
      .filter({ hasText: /outage$/ })
      .waitFor();
    await page.keyboard.press("Home");
    assert.equal(await bar.getAttribute("aria-valuenow"), "61", "a phone shows the last 30 days");
    const label = await page.locator("p.day").boundingBox();
    assert.ok(label && label.x >= 0 && label.x + label.width <= 390);
    assertAtPeace(opened);
    await opened.close();
  });

  test("is the same on its own domain", { isLong: true }, async () => {
    const more = { customDomain: "status.acme.test" };
    await createPage(app, { url: "hosted", name: "Hosted", more });
    const { port } = new URL(app.url);
    const opened = await openPage(browser);
    const { page } = opened;
    for (const host of ["status.acme.test", "hosted.watch.test"]) {
      await waitUntil(`${host} is known`, async () => {
        await page.goto(`http://${host}:${port}/`);
        return page.getByText("All systems operational").isVisible();
      });
      await page.getByRole("link", { name: "History", exact: true }).click();
      await page.waitForURL(`http://${host}:${port}/history`);
    }
    const hosts = new Set(opened.requested.map((address) => new URL(address).hostname));
    assert.deepEqual([...hosts], ["status.acme.test", "hosted.watch.test"]);
    await opened.close();
  });
});
