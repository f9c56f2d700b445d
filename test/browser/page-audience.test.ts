/** The audience of a status page: keys, domain, subscribers and snapshots. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser, openPage } from "../support/browsers/browser.ts";
import { test } from "../support/long-run.ts";
import { createIncident } from "../support/modules/incidents.ts";
import { addPage, findLink, waitForMail } from "../support/modules/subscribers.ts";
import { type DnsZone, startDnsZone } from "../support/servers/dns-zone.ts";
import { findFreePort } from "../support/servers/free-port.ts";
import {
  type MailReceiver,
  smtpError,
  startMailReceiver,
} from "../support/servers/mail-receiver.ts";
import { waitUntil } from "../support/time/wait-until.ts";

const closers: (() => unknown)[] = [];
let app: TestApp;
let browser: Browser;
let zone: DnsZone;
let mail: MailReceiver;
let snapshots: string;
before(async () => {
  if (noBrowser !== false) return;
  const t = { after: (close: unknown) => void closers.push(close as () => unknown) };
  zone = await startDnsZone(t);
  mail = await startMailReceiver(t, {
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith("full") ? smtpError(550) : null),
  });
  snapshots = await mkdtemp(join(tmpdir(), "vedette-audience-"));
  app = await startTestApp({
    BUILT_IN_PROBE: "false",
    PORT: String(await findFreePort()),
    SMTP_URL: mail.url,
    SNAPSHOT_DIR: snapshots,
    DOMAIN_PROOF: "required",
    DOMAIN_DNS_SERVERS: zone.server,
  });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await app?.stop();
  for (const close of closers) await close();
  if (snapshots !== undefined) await rm(snapshots, { recursive: true, force: true });
});

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
/** The button inside the dialog, not the one with the same name that opened it. */
const inDialog = (page: Page, name: string) =>
  page.getByRole("dialog").getByRole("button", { name, exact: true });
const tab = (page: Page, name: string) => page.getByRole("link", { name, exact: true });

describe("the audience of a page", { skip: noBrowser }, () => {
  test("a domain is set up from the DNS record to the served page", {
    isLong: true,
  }, async () => {
    const { id } = await addPage(app, { name: "Acme <b>status</b>" });
    const opened = await openApplication(browser, app, { path: `/status-pages/${id}/domain` });
    const { page } = opened;
    await page.getByLabel("Domain").fill("Status.Acme.test");
    await button(page, "Add domain").click();
    await page.getByText("Not served yet: no record found").waitFor();
    const value = await page.getByText(/^vedette=[0-9a-f]{32}$/).textContent();
    await page.getByText("_vedette-challenge.status.acme.test", { exact: true }).waitFor();
    await button(page, "Copy the value of the TXT record").waitFor();
    zone.texts.set("_vedette-challenge.status.acme.test", ["vedette=somebody-else"]);
    await button(page, "Check now").click();
    await page.getByText("vedette=somebody-else").waitFor();
    await opened.audit();
    zone.texts.set("_vedette-challenge.status.acme.test", [value ?? ""]);
    await button(page, "Check now").click();
    await page.getByText("Verified and served").waitFor();
    await page.getByText("The record was found.").waitFor();
    const visitor = await openPage(browser);
    const { port } = new URL(app.url);
    await waitUntil("the page is served", async () => {
      await visitor.page.goto(`http://status.acme.test:${port}/`);
      return visitor.page.getByText("Acme <b>status</b>").first().isVisible();
    });
    await visitor.page.context().close();
    await page.emulateMedia({ colorScheme: "dark" });
    await opened.audit();
    await button(page, "Remove domain").click();
    await page.getByRole("dialog").getByText("https://status.acme.test").waitFor();
    await inDialog(page, "Remove domain").click();
    await page.getByLabel("Domain").waitFor();
    await opened.close();
  });

  test("a private page opens with its key, until the key is revoked", async () => {
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

  test("a list is imported with an error for each invalid line, searched, resent and removed, on a phone", {
    isLong: true,
  }, async () => {
    const { id } = await addPage(app);
    const path = `/status-pages/${id}/subscribers`;
    const opened = await openApplication(browser, app, { path, width: 390, colorScheme: "dark" });
    const { page } = opened;
    await button(page, "Add or import").click();
    await page
      .getByLabel("Email addresses")
      .fill("name,email\nAda,ada@list.test\nBob,no address\nGrace,full@list.test");
    await button(page, "Add subscribers").click();
    await page.getByText("2 subscribers were added and asked to confirm.").waitFor();
    await page.getByText(/^Line 3/).waitFor();
    await opened.audit();
    await button(page, "Done").click();
    await page.getByLabel("Search addresses").focus();
    await page.keyboard.type("AD");
    await page.waitForURL(/search=AD$/);
    // The focus stays in the field while the list updates.
    await page.keyboard.type("A");
    await page.waitForURL(/search=ADA$/);
    await page.getByText("1 subscriber", { exact: true }).waitFor();
    await opened.audit();
    await button(page, "Messages").click();
    await button(page, "Not delivered").click();
    await page.getByText("The mail server responded with 550.").waitFor();
    await opened.audit();
    await button(page, /^Send again full@list.test/).click();
    await page.getByText("The message is being sent again.").waitFor();
    await button(page, "Subscribers").click();
    await button(page, "Remove ada@list.test").click();
    await inDialog(page, "Remove").click();
    await page.getByRole("link", { name: "ada@list.test" }).waitFor({ state: "detached" });
    await tab(page, "Snapshots").click();
    await button(page, "Write now").click();
    await page.getByText(/\d files$/).waitFor();
    await opened.audit();
    await opened.close();
  });

  test("a read-only user sees everything and no control", { isLong: true }, async () => {
    const { id } = await addPage(app, { customDomain: "read.acme.test" });
    const role = "READ_ONLY";
    const opened = await openApplication(browser, app, {
      path: `/status-pages/${id}/domain`,
      role,
    });
    const { page } = opened;
    await page.getByText("_vedette-challenge.read.acme.test").waitFor();
    for (const name of ["Check now", "Remove domain"]) {
      assert.equal(await button(page, name).count(), 0, name);
    }
    await tab(page, "Access").click();
    await page.getByText("Public: visible to everyone").waitFor();
    assert.equal(await button(page, "New key").count(), 0);
    await tab(page, "Subscribers").click();
    await page.getByText("No subscribers yet").waitFor();
    assert.equal(await button(page, "Add or import").count(), 0);
    await opened.close();
  });
});
