/** A dashboard up to its screen. The rest is in `web/dashboards/dashboards.test.tsx`. */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser, openPage } from "../support/browsers/browser.ts";
import { test } from "../support/long-run.ts";
import { addDashboardChecks } from "../support/modules/dashboards.ts";

const skip = noBrowser;

let app: TestApp;
let browser: Browser;
before(async () => {
  if (noBrowser !== false) return;
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  browser = await launchBrowser();
  await addDashboardChecks(
    app,
    Array.from({ length: 40 }, (_, n) => ({
      name: `host ${String(n).padStart(2, "0")}`,
      status: "passing" as const,
      tags: n < 30 ? ["sea"] : ["land"],
    })),
  );
});
after(async () => {
  await browser?.close();
  await app?.stop();
});

const preview = (page: Page) => page.frameLocator('iframe[data-shown="true"]');
const cssOf = (page: Page) => page.getByRole("textbox", { name: "CSS" });

async function findDashboard() {
  const { body } = await app.call("GET", "/v1/dashboards");
  return body[0];
}

test("a private dashboard is built with a live preview, and its key is shown once", {
  skip,
}, async () => {
  const { page, audit, close } = await openApplication(browser, app, { path: "/dashboards" });
  await page.getByText("No dashboards yet").waitFor();
  await audit();
  await page.getByRole("button", { name: "New dashboard" }).click();
  await page.getByLabel("Heading").fill("Harbour");
  await page.getByRole("button", { name: "Create dashboard" }).click();
  await page.getByText("It shows 40 checks.").waitFor();
  await preview(page).getByRole("heading", { name: "Harbour" }).waitFor();
  await page.getByRole("button", { name: "sea", exact: true }).click();
  await page.getByText("It shows 30 checks.").waitFor();
  await page.getByLabel("Text below the heading").fill("All that floats");
  await preview(page).getByText("All that floats").waitFor();
  await cssOf(page).fill(".check-name { color: rgb(1, 2, 3) }\n.tag { position: fixed }");
  await page.getByText("1 warning").waitFor();
  await page.getByText(/^Column \d+: .*position/).waitFor();
  await page.getByLabel("Seconds per page").selectOption("300");
  await page.getByLabel("Refresh interval in seconds").selectOption("300");
  await page.getByLabel("URL path").fill("harbour");
  await page.getByRole("button", { name: "Save" }).click();
  // The notice disappears after some seconds; the dialog stays.
  await page.getByText("The dashboard was saved.").waitFor();
  await page.getByRole("button", { name: "Create key" }).click();
  const shown = page.getByRole("dialog");
  await shown.getByText("Copy the key now.").waitFor();
  const rawKey = (await shown.getByText(/^da_[0-9a-f]{32}$/).textContent()) ?? "";
  await shown.getByRole("button", { name: "I have copied it" }).click();
  await shown.waitFor({ state: "detached" });
  assert.equal((await page.content()).includes(rawKey), false, "the key is nowhere any more");
  const saved = await findDashboard();
  assert.deepEqual(saved.tags, ["sea"]);
  assert.equal(saved.customUrl, "harbour");
  assert.equal(saved.isPrivate, true);
  assert.equal(saved.cssWarnings[0].line, 2);
  await audit();
  await close();
  const screen = await openPage(browser, { viewport: { width: 1920, height: 1080 } });
  await screen.page.goto(`${app.url}/dashboards/harbour?key=${rawKey}`);
  assert.equal(
    screen.page.url(),
    `${app.url}/dashboards/harbour/`,
    "the key is not in the address",
  );
  const color = "getComputedStyle(document.querySelector('.check-name')).color";
  assert.equal(await screen.page.evaluate(color), "rgb(1, 2, 3)");
  await screen.page.getByText("Page 1 of 2").waitFor();
  await screen.close();
});
