/** Settings and alert channels. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { test } from "../support/long-run.ts";

let app: TestApp;
let browser: Browser;
before(async () => {
  if (noBrowser !== false) return;
  app = await startTestApp({ BUILT_IN_PROBE: "false", OUTBOUND_ALLOW_PRIVATE: "true" });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await app?.stop();
});

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

describe("settings and alerts", { skip: noBrowser }, () => {
  test("a key is created, copied, used outside the browser, revoked and rejected", async () => {
    const opened = await openApplication(browser, app, { path: "/settings/api-keys" });
    const { page } = opened;
    await button(page, "New key").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("deploy <b>script</b>");
    await dialog.getByLabel("Role").selectOption("Read only");
    await button(page, "Create key").click();
    const key = (await dialog.locator("code").first().textContent()) ?? "";
    assert.match(key, /^vd_/);
    assert.match((await dialog.locator("code").nth(1).textContent()) ?? "", /^curl .*vd_/);
    const use = () =>
      fetch(`${app.url}/v1/check-statuses`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal((await use()).status, 200);
    await button(page, "I have copied it").click();
    const row = page.getByRole("row", { name: /deploy/ });
    await row.getByText("never").first().waitFor();
    await opened.audit();
    await row.getByRole("button", { name: /^Revoke/ }).click();
    await dialog.getByText("This cannot be undone").waitFor();
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await row.waitFor({ state: "detached" });
    assert.equal((await use()).status, 401);
    await opened.close();
  });
});
