/** An invite. Other ways to sign in are in `web/sign-in/sign-in.test.tsx`. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";

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

const newPassword = (page: Page) => page.getByRole("textbox", { name: "New password" });
const press = (page: Page, name: string) => page.getByRole("button", { name }).click();

/** A screen is ready when its heading is, because its code loads after the shell. */
async function waitForScreen(page: Page): Promise<void> {
  await page.getByRole("navigation", { name: "Main" }).waitFor();
  await page.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
}

describe("signing in", { skip: noBrowser }, () => {
  test("a colleague accepts an invite on a phone in dark mode, and is offered no write", async () => {
    const email = "colleague@example.com";
    const body = { email, role: "READ_ONLY" };
    const invite = await app.call("POST", "/v1/accounts/me/invites", { body });
    const path = `/invite#token=${invite.body.token}`;
    const how = { role: null, path, width: 390, colorScheme: "dark" } as const;
    const opened = await openApplication(browser, app, how);
    const { page } = opened;
    await page.getByRole("heading", { name: "Join Vedette" }).waitFor();
    await page.getByText("You can view everything but change nothing.").waitFor();
    await page.getByLabel("Your name").fill("Ada <b>Lovelace</b>");
    await newPassword(page).fill("a sentence to remember");
    await opened.audit();
    await press(page, "Join Vedette");
    await waitForScreen(page);
    await press(page, "Account: Vedette, Ada <b>Lovelace</b>");
    await page.getByText("Ada <b>Lovelace</b>").last().waitFor();
    assert.equal(await page.getByRole("heading", { name: "Add a check" }).count(), 0);
    await opened.audit();
    await press(page, "Sign out");
    await page.getByRole("heading", { name: "Sign in to Vedette" }).waitFor();
    await opened.close();
  });
});
