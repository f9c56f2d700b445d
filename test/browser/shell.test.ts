/** The frame of every screen: sign-in, navigation, unknown addresses. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser } from "playwright-core";
import { ownerPassword, startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { test } from "../support/long-run.ts";

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
  for (const width of [1440, 390] as const) {
    test(`requires sign-in and then shows the requested screen, at ${width}`, async () => {
      const opened = await openApplication(browser, app, { role: null, path: "/?x=1", width });
      const { page } = opened;
      await page.getByLabel("Email").fill("owner@example.com");
      await page.getByRole("textbox", { name: "Password" }).fill("not the password");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("alert").waitFor();
      await opened.audit();
      await page.getByRole("textbox", { name: "Password" }).fill(ownerPassword);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("navigation").waitFor();
      assert.equal(page.url(), `${app.url}/?x=1`);
      await opened.audit();
      await opened.close();
    });
  }

  test("a member of any role can sign in, in dark mode too", {
    isLong: true,
  }, async () => {
    const opened = await openApplication(browser, app, { role: "READ_ONLY", colorScheme: "dark" });
    await opened.page.getByRole("navigation").waitFor();
    await opened.audit();
    await opened.close();
  });

  test("on a phone, entries that do not fit in the bar are under More", async () => {
    const opened = await openApplication(browser, app, { width: 390 });
    const { page } = opened;
    const navigation = page.getByRole("navigation", { name: "Main" });
    await navigation.getByRole("button", { name: "More" }).click();
    await navigation.getByRole("link", { name: "Groups" }).waitFor();
    await opened.audit();
    await navigation.getByRole("link", { name: "Settings" }).click();
    await page.waitForURL(/\/settings/);
    await navigation.getByRole("link", { name: "Settings" }).waitFor({ state: "hidden" });
    await opened.close();
  });

  test("an owner creates another account, which opens immediately", { isLong: true }, async () => {
    const opened = await openApplication(browser, app);
    const { page } = opened;
    await page.getByRole("button", { name: "Account: Vedette" }).click();
    await page.getByText("New account").click();
    await page.getByLabel("Account name").fill("Second");
    await opened.audit();
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByRole("button", { name: "Account: Second" }).waitFor();
    await opened.close();
  });

  test("an unknown address shows a not-found page", async () => {
    const opened = await openApplication(browser, app, { path: "/settings/nowhere" });
    await opened.page.getByText("Page not found").waitFor();
    await opened.close();
  });
});
