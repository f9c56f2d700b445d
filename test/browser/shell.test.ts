/** The frame of every screen. The rest is in `web/shell/shell.test.tsx`. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { ownerPassword, startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";

let app: TestApp;
let browser: Browser;
before(async () => {
  if (noBrowser !== false) return;
  app = await startTestApp();
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await app?.stop();
});

describe("the web application", { skip: noBrowser }, () => {
  test("on a phone in dark mode: sign-in, the requested screen, and More for what does not fit in the bar", async () => {
    const opened = await openApplication(browser, app, {
      role: null,
      path: "/?x=1",
      width: 390,
      colorScheme: "dark",
    });
    const { page } = opened;
    await page.getByLabel("Email").fill("owner@example.com");
    await page.getByRole("textbox", { name: "Password" }).fill("not the password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").waitFor();
    await opened.audit();
    await page.getByRole("textbox", { name: "Password" }).fill(ownerPassword);
    await page.getByRole("button", { name: "Sign in" }).click();
    const navigation = page.getByRole("navigation", { name: "Main" });
    await navigation.waitFor();
    assert.equal(page.url(), `${app.url}/?x=1`);
    await navigation.getByRole("button", { name: "More" }).click();
    await navigation.getByRole("link", { name: "Groups" }).waitFor();
    await opened.audit();
    await navigation.getByRole("link", { name: "Settings" }).click();
    await page.waitForURL(/\/settings/);
    await navigation.getByRole("link", { name: "Settings" }).waitFor({ state: "hidden" });
    await opened.close();
  });
});
