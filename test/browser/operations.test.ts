/** Backups and the doctor, for administrators. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import type { Browser } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { test } from "../support/long-run.ts";

let app: TestApp;
let browser: Browser;
let folder = "";
before(async () => {
  if (noBrowser !== false) return;
  folder = await mkdtemp(join(tmpdir(), "vedette-operations-"));
  app = await startTestApp({
    BACKUP_DIR: folder,
    BACKUP_EVERY_HOURS: "0",
    BACKUP_VERIFY_EVERY_HOURS: "0",
    BUILT_IN_PROBE: "false",
  });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await app?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe("operations", { skip: noBrowser }, () => {
  test("an admin starts a backup and sees it succeed", async () => {
    const opened = await openApplication(browser, app, { path: "/settings/backups", width: 390 });
    const { page } = opened;
    await page.getByText("No backups yet").waitFor();
    await page.getByText("on request only").waitFor();
    await opened.audit();
    await page.getByRole("button", { name: "Back up now" }).click();
    await page.getByText("Succeeded").waitFor();
    const [file = ""] = await readdir(folder);
    await page.getByText(file).waitFor();
    await page.getByText("does not include the encryption key").waitFor();
    await opened.audit();
    await opened.close();
  });

  test("the doctor shows the worst finding first, and only to admins", async () => {
    const opened = await openApplication(browser, app, { path: "/settings/doctor" });
    const { page } = opened;
    await page.getByText(/PostgreSQL \d+\.\d+ answers\./).waitFor();
    const groups = await page.getByRole("heading", { level: 2 }).allTextContents();
    assert.match(groups.at(-1) ?? "", /^OK \d+$/);
    await page.getByText("Backups do not include the encryption key").waitFor();
    await opened.audit();
    await opened.close();
    const other = await openApplication(browser, app, {
      path: "/settings/doctor",
      role: "READ_WRITE",
    });
    await other.page.getByText("Only an admin or an owner can view this.").waitFor();
    assert.equal(await other.page.getByRole("link", { name: "Backups" }).count(), 0);
    await other.close();
  });
});
