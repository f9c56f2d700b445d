/**
 * The audience of a status page, in the long run. `web/status-pages/status-pages.test.tsx` runs with
 * every change.
 */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser, openPage } from "../support/browsers/browser.ts";
import { isLongRun, test } from "../support/long-run.ts";
import { createIncident } from "../support/modules/incidents.ts";
import { addPage, findLink, waitForMail } from "../support/modules/subscribers.ts";
import { findFreePort } from "../support/servers/free-port.ts";
import { type MailReceiver, startMailReceiver } from "../support/servers/mail-receiver.ts";

const closers: (() => unknown)[] = [];
let app: TestApp;
let browser: Browser;
let mail: MailReceiver;
before(async () => {
  if (noBrowser !== false || !isLongRun) return;
  mail = await startMailReceiver({ after: (close) => closers.push(close as () => unknown) });
  // The links that the application shows contain the port.
  const PORT = String(await findFreePort());
  app = await startTestApp({ BUILT_IN_PROBE: "false", PORT, SMTP_URL: mail.url });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await app?.stop();
  for (const close of closers) await close();
});

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
/** The button inside the dialog, not the one with the same name that opened it. */
const inDialog = (page: Page, name: string) =>
  page.getByRole("dialog").getByRole("button", { name, exact: true });
const tab = (page: Page, name: string) => page.getByRole("link", { name, exact: true });

describe("the audience of a page", { skip: noBrowser }, () => {
  test("a private page opens with its key, until the key is revoked", {
    isLong: true,
  }, async () => {
    const { id } = await addPage(app, { name: "Secret status" });
    const opened = await openApplication(browser, app, { path: `/status-pages/${id}/access` });
    const { page } = opened;
    await button(page, "Make private").click();
    await inDialog(page, "Make private").click();
    await page.getByText("Private: visible only to visitors with a key.").waitFor();
    await button(page, "New key").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("It is not shown again.").waitFor();
    const link = (await dialog.locator("code").nth(1).textContent()) ?? "";
    assert.match(link, /\?key=da_[0-9a-f]{32}$/);
    await button(page, "Done").click();
    const visitor = await openPage(browser);
    await visitor.page.goto(link.replace(/\?.*/, ""));
    await visitor.page.getByLabel("Key").waitFor();
    await visitor.page.goto(link);
    await visitor.page.getByText("All systems operational").waitFor();
    await page.reload();
    const row = page.getByRole("row", { name: /da_\.\.\./ });
    await row.waitFor();
    assert.equal(await row.getByText("Never").count(), 0, "its use is shown");
    await opened.audit();
    await page.emulateMedia({ colorScheme: "dark" });
    await opened.audit();
    await button(page, /^Revoke da_/).click();
    await inDialog(page, "Revoke").click();
    await page.getByText("No keys yet").waitFor();
    await visitor.page.reload();
    await visitor.page.getByLabel("Key").waitFor();
    await visitor.page.context().close();
    await tab(page, "Snapshots").click();
    await page.getByText("A private page has no snapshot").waitFor();
    await opened.close();
  });

  test("a subscriber subscribes, is notified and is removed, as seen by reader and owner", {
    isLong: true,
  }, async () => {
    const { id, url, serviceIds } = await addPage(app, { name: "Shop status" });
    const address = "ada@example.com";
    const visitor = await openPage(browser);
    await visitor.page.goto(`${app.url}/status/${url}/subscribe`);
    const field = visitor.page.locator('main input[name="address"]').first();
    await field.fill(address);
    await field.press("Enter");
    const asked = await waitForMail(mail, address);
    const opened = await openApplication(browser, app, { path: `/status-pages/${id}/subscribers` });
    const { page } = opened;
    const row = page.getByRole("row", { name: new RegExp(address) });
    await row.getByText("Not confirmed").waitFor();
    await visitor.page.goto(`${app.url}${findLink(asked, "confirm")}`);
    await visitor.page.locator("form button").click();
    await visitor.page.getByText("You are subscribed").first().waitFor();
    await row.getByText("Confirmed", { exact: true }).waitFor();
    const update = { description: "We look into it.", notifySubscribers: true };
    const more = { name: "Payments fail", incidentUpdates: [update] };
    assert.equal((await createIncident(app, serviceIds[0] ?? "", more)).status, 201);
    const notification = await waitForMail(mail, address, 2);
    assert.match(notification.subject, /Payments fail/);
    await row.getByRole("link", { name: address }).click();
    const message = page.getByRole("row", { name: /Payments fail/ });
    await message.getByText("Delivered").waitFor();
    assert.match(page.url(), /view=messages/);
    await opened.audit();
    await visitor.page.goto(`${app.url}${findLink(notification, "manage")}`);
    await visitor.page.getByRole("link", { name: "Unsubscribe" }).click();
    await visitor.page.getByRole("button", { name: "Unsubscribe" }).click();
    await visitor.page.getByText("You are unsubscribed").first().waitFor();
    await visitor.page.context().close();
    await button(page, "Subscribers").click();
    await page.getByText("No subscribers yet").waitFor();
    await opened.close();
  });
});
