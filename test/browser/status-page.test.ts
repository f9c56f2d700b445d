/** The public status page in a real browser, with and without its script. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
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
import {
  createIncident,
  createPage,
  type MadePage,
  planMaintenance,
  postUpdate,
} from "../support/modules/public-page.ts";
import { waitUntil } from "../support/time/wait-until.ts";

const options = { skip: noBrowser };
let app: TestApp;
let browser: Browser;
let calm: MadePage;
let bad: MadePage;
let twelve: MadePage;
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
    "/status/nobody",
  ];

  for (const colorScheme of ["light", "dark"] as const) {
    test(`is accessible at every width, ${colorScheme}`, async () => {
      const opened = await openPage(browser, { colorScheme });
      for (const path of pages()) {
        assert.ok(await opened.page.goto(`${app.url}${path}`));
        for (const width of windows) {
          await opened.page.setViewportSize({ width, height: 900 });
          const isAudited = width === 390 || width === 1440;
          if (isAudited) assert.deepEqual(await auditPage(opened.page), [], `${path} ${width}`);
          assert.equal(await findSideways(opened.page), null, `${path} ${width}`);
        }
        const known = opened.complaints.filter((words) => !/status of 404/.test(words));
        assert.deepEqual(known, [], path);
      }
      await opened.close();
    });
  }

  test("shows the overall state first, as text, colour and icon", async () => {
    const groundOfBanner = `getComputedStyle(document.querySelector("h1")).backgroundColor`;
    const grounds: string[] = [];
    for (const [path, words] of [
      [calm.path, "All systems operational"],
      [bad.path, "Major outage"],
    ] as const) {
      const opened = await visit(path);
      const banner = opened.page.locator("h1.banner");
      assert.equal((await banner.innerText()).trim(), words);
      assert.equal(await banner.locator("svg").isVisible(), true);
      grounds.push(String(await opened.page.evaluate(groundOfBanner)));
      assertAtPeace(opened);
      await opened.close();
    }
    assert.notEqual(grounds[0], grounds[1]);
  });

  test("shows user input as text everywhere and executes none of it", async () => {
    const opened = await visit(bad.path);
    let dialogs = 0;
    opened.page.on("dialog", async (dialog) => {
      dialogs += 1;
      await dialog.dismiss();
    });
    const typed = await opened.page.evaluate(
      `[...document.querySelectorAll(".service b, .incident h3")].map((one) => one.textContent)`,
    );
    assert.equal((typed as string[]).filter((text) => text === evil).length, 3);
    assert.equal(await opened.page.locator("main img, main script").count(), 0);
    const link = opened.page.getByRole("link", { name: "cable" });
    assert.equal(await link.getAttribute("rel"), "nofollow noopener noreferrer");
    assert.equal(dialogs, 0);
    assertAtPeace(opened);
    await opened.close();
  });

  test("shows local and relative times, with UTC available", async () => {
    const opened = await openPage(browser, { timezoneId: "Asia/Tokyo" });
    const { page } = opened;
    await page.clock.install({ time: app.clock.now() });
    await page.goto(`${app.url}${bad.path}`);
    const time = page.locator(".updates time").first();
    assert.equal(await time.getAttribute("datetime"), "2026-11-15T11:30:00.000Z");
    assert.match(await time.innerText(), /20:30/);
    assert.equal(await time.getAttribute("title"), "15 Nov 2026, 11:30 UTC");
    const ago = page.locator(".updates .ago").first();
    assert.equal(await ago.innerText(), "(30 minutes ago)");
    assert.match(await page.locator(".updated").innerText(), /^Last updated .*, checked just now$/);
    await page.clock.runFor(5 * 60_000);
    assert.equal(await ago.innerText(), "(35 minutes ago)");
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

  test("is complete without script", async () => {
    const opened = await visit(bad.path, { javaScriptEnabled: false });
    const { page } = opened;
    assert.equal(await page.getByRole("heading", { name: "Major outage" }).isVisible(), true);
    assert.equal(await page.locator("button.theme").isVisible(), false);
    assert.equal(await page.locator(".updates time").first().innerText(), "15 Nov 2026, 11:30 UTC");
    const title = (name: string) => page.getByRole("heading", { level: 1, name, exact: true });
    await page.getByRole("link", { name: "The shop is down" }).click();
    await title("The shop is down").waitFor();
    await page.getByRole("link", { name: "All incidents" }).click();
    await title("Incidents of November 2026").waitFor();
    assertAtPeace(opened);
    await opened.close();
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

  test("remembers the choice of light or dark, overriding the system", async () => {
    const opened = await visit(calm.path, { colorScheme: "light" });
    const { page } = opened;
    const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const before = await ground();
    await page.getByRole("button", { name: /light and dark/ }).click();
    const dark = await ground();
    assert.notEqual(dark, before);
    await page.reload();
    assert.equal(await ground(), dark);
    assert.equal(await page.locator("button.theme").getAttribute("aria-pressed"), "true");
    assertAtPeace(opened);
    await opened.close();
  });

  test("has the owner's theme and colours", async () => {
    const { defaultPalettes } = await import("../../src/pages/status-page/theme.ts");
    const themeColors = {
      light: { ...defaultPalettes.light, bodyBackgroundColor: "#fffbea" },
      dark: { ...defaultPalettes.dark, bodyBackgroundColor: "#102030" },
    };
    const more = { themeColors, defaultTheme: "DARK" };
    const { path } = await createPage(app, { url: "dressed", more });
    const opened = await visit(path, { colorScheme: "light" });
    const ground = await opened.page.evaluate("getComputedStyle(document.body).backgroundColor");
    assert.equal(ground, "rgb(16, 32, 48)");
    assertAtPeace(opened);
    await opened.close();
  });

  test("shows changes within a minute, without losing the reader's scroll position", async () => {
    const names = Array.from({ length: 9 }, (_, index) => `Part ${index + 1}`);
    const cards = { One: names.slice(0, 3), Two: names.slice(3, 6), Three: names.slice(6) };
    const { path, serviceIds } = await createPage(app, { url: "news", cards });
    const opened = await openPage(browser);
    const { page } = opened;
    await page.clock.install();
    await page.goto(`${app.url}${path}`);
    await page.getByRole("heading", { name: "Three" }).click();
    const affected = serviceIds.slice(0, 1);
    const id = await createIncident(app, { serviceIds: affected, name: "News of the day" });
    await waitUntil("the server has saved it", async () =>
      (await app.call("GET", path, { key: null })).text.includes("News of the day"),
    );
    await page.getByRole("link", { name: "Incident history" }).focus();
    await page.clock.runFor(61_000);
    await page.getByText("News of the day").waitFor();
    assert.equal(await page.evaluate("document.activeElement.textContent"), "Incident history");
    assert.match(await page.title(), /^Partial outage · /);
    const shown = await page.locator(".service b:visible").allInnerTexts();
    const wanted = ["Part 1", "Part 2", "Part 3", "Part 7", "Part 8", "Part 9"];
    assert.deepEqual(shown, wanted, "what is wrong, and what the reader has unfolded");
    await page.clock.runFor(200);
    assert.equal(await page.locator('[role="status"]').innerText(), "Partial outage");
    await postUpdate(app, id, { status: "RESOLVED", description: "All is well." });
    await waitUntil("the server has saved it", async () =>
      (await app.call("GET", path, { key: null })).text.includes("All is well."),
    );
    await page.clock.runFor(61_000);
    await page.getByText("All is well.").waitFor();
    assertAtPeace(opened);
    await opened.close();
  });

  test("the days of a service are navigated by keys and by touch, and described as text", async () => {
    const opened = await visit(bad.path, { hasTouch: true });
    const { page } = opened;
    const bar = page.getByRole("slider", { name: /^Shop: Last 90 days/ });
    await bar.focus();
    assert.match((await bar.getAttribute("aria-valuetext")) ?? "", /outage$/);
    await page.keyboard.press("Home");
    assert.equal(await bar.getAttribute("aria-valuenow"), "1");
    assert.match((await bar.getAttribute("aria-valuetext")) ?? "", /no data$/);
    await page.keyboard.press("ArrowRight");
    assert.equal(await bar.getAttribute("aria-valuenow"), "2");
    const box = await bar.boundingBox();
    assert.ok(box);
    await page.touchscreen.tap(box.x + box.width - 2, box.y + box.height / 2);
    // A browser turns a tap into a click after a delay.
    await bar.and(page.locator('[aria-valuenow="90"]')).waitFor();
    assert.match(await page.locator("p.day").first().innerText(), /outage$/);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("p.day").count(), 0);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.keyboard.press("Home");
    assert.equal(await bar.getAttribute("aria-valuenow"), "61", "a phone shows the last 30 days");
    const label = await page.locator("p.day").boundingBox();
    assert.ok(label && label.x >= 0 && label.x + label.width <= 390);
    assertAtPeace(opened);
    await opened.close();
  });

  test("stays unchanged while the server is unreachable, without false claims", async () => {
    const opened = await openPage(browser);
    const { page } = opened;
    await page.clock.install();
    await page.goto(`${app.url}${calm.path}`);
    await page.route("**/summary.json", (route) => route.fulfill({ status: 503, body: "{}" }));
    await page.clock.runFor(130_000);
    assert.equal(await page.getByText("All systems operational").isVisible(), true);
    await page.getByText(/could not be reached; this was last checked 2 minutes ago/).waitFor();
    assert.deepEqual(
      opened.complaints.filter((words) => !/status of 503/.test(words)),
      [],
    );
    await opened.close();
  });

  test("asks a private reader for the key, and then opens", async () => {
    const more = { isPrivate: true };
    const { id, path } = await createPage(app, { url: "closed", name: "Closed", more });
    const { body } = await app.call("POST", `/v1/status-pages/${id}/keys`, { body: {} });
    const opened = await visit(path);
    const { page } = opened;
    assert.deepEqual(await auditPage(page), []);
    await page.getByLabel("Key").fill("wrong");
    await page.getByRole("button", { name: "Show the page" }).click();
    await page.getByText("This key is not valid for this page.").waitFor();
    assert.deepEqual(await auditPage(page), []);
    await page.getByLabel("Key").fill(body.rawKey);
    await page.getByRole("button", { name: "Show the page" }).click();
    await page.getByText("All systems operational").waitFor();
    for (const again of [path, `${path}/history`]) {
      assert.equal((await page.goto(`${app.url}${again}`))?.status(), 200);
    }
    await opened.close();
  });

  test("is the same on its own domain", async () => {
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
      assert.deepEqual(await auditPage(page), []);
    }
    const hosts = new Set(opened.requested.map((address) => new URL(address).hostname));
    assert.deepEqual([...hosts], ["status.acme.test", "hosted.watch.test"]);
    await opened.close();
  });
});
