/** Subscribing to a status page, from the button on the page to the last mail. */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Browser, Page } from "playwright-core";
import { findAccessFaults, findSideways } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser, openPage } from "../support/browsers/browser.ts";
import { auditPage } from "../support/browsers/page-audit.ts";
import { test } from "../support/long-run.ts";
import { createIncident, postUpdate } from "../support/modules/incidents.ts";
import { listSampleMails } from "../support/modules/mails.ts";
import {
  addPage,
  findLink,
  findMails,
  findStatus,
  type SubscriberFixture,
  startSubscriberFixture,
  waitForMail,
} from "../support/modules/subscribers.ts";
import { waitUntil } from "../support/time/wait-until.ts";

let fixture: SubscriberFixture;
let browser: Browser;
before(async () => {
  if (noBrowser !== false) return;
  fixture = await startSubscriberFixture();
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await fixture?.stop();
});

/** The form is a dialog: Escape closes it and returns the focus to the button. */
async function leaveAndReturn(page: Page): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Subscribe to updates" });
  await dialog.waitFor();
  assert.deepEqual(await findAccessFaults(page), []);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  assert.equal(await page.evaluate("document.activeElement.textContent"), "Subscribe");
  await page.keyboard.press("Enter");
  await page.getByLabel(/^Email address/).fill("nobody");
  await page.getByRole("button", { name: "Subscribe" }).click();
  await dialog.getByRole("alert").waitFor();
  assert.equal(await page.evaluate("document.activeElement.id"), "address");
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with script" : "without script";

  test(`a reader subscribes, confirms, is notified, changes preferences and unsubscribes, ${how}`, {
    skip: noBrowser,
  }, async () => {
    const { app, mail } = fixture;
    const status = await addPage(app);
    const [checkout = "", search = ""] = status.serviceIds;
    const address = `reader-${javaScriptEnabled}@example.com`;
    const { page, complaints, requested, close } = await openPage(browser, { javaScriptEnabled });

    await page.goto(`${app.url}/status/${status.url}/`);
    const home = page.url();
    await page.getByRole("link", { name: "Subscribe" }).click();
    if (javaScriptEnabled) await leaveAndReturn(page);
    await page.getByLabel(/^Email address/).fill(address);
    await page.getByRole("checkbox", { name: "Checkout" }).check();
    await page.getByRole("button", { name: "Subscribe" }).click();
    await page.getByRole("heading", { name: "Almost there" }).waitFor();
    assert.equal(page.url() === home, javaScriptEnabled, "above the page, or on a separate page");

    const asked = await waitForMail(mail, address);
    await page.goto(`${app.url}${findLink(asked, "confirm")}`);
    assert.equal(await findStatus(app, address), "PENDING", "looking is not confirming");
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.getByRole("heading", { name: "You are subscribed" }).waitFor();

    const told = { notifySubscribers: true };
    const update = { description: "We are on it.", ...told };
    const incident = await createIncident(app, checkout, { incidentUpdates: [update] });
    assert.equal(incident.status, 201, incident.text);
    const first = await waitForMail(mail, address, 2);
    assert.equal(first.subject, "[Acme status] Payments fail – Investigating");

    await page.goto(`${app.url}${findLink(first, "manage")}`);
    assert.equal(await page.getByLabel("Checkout").isChecked(), true);
    await page.getByLabel("Checkout").uncheck();
    await page.getByLabel("Search").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Your choice is saved.").waitFor();
    await postUpdate(app, incident.body.id, { status: "RESOLVED", ...told });
    await createIncident(app, search, { name: "Search is slow", incidentUpdates: [update] });
    const second = await waitForMail(mail, address, 3);
    assert.match(second.subject, /Search is slow/, "and of what was not chosen nothing was heard");

    await page.goto(`${app.url}${findLink(second, "unsubscribe")}`);
    assert.equal(await findStatus(app, address), "VERIFIED");
    await page.getByRole("button", { name: "Unsubscribe" }).click();
    await page.getByRole("heading", { name: "You are unsubscribed" }).waitFor();
    assert.equal(await findStatus(app, address), null);
    await createIncident(app, search, { name: "Once more", incidentUpdates: [update] });
    await waitUntil("it was addressed to nobody", async () => {
      const { rows } = await app.query("select id from announcements where not is_addressed");
      return rows.length === 0;
    });
    assert.equal(findMails(mail, address).length, 3);

    // The expected response to an invalid form.
    const unexpected = complaints.filter((words) => !/status of 400/.test(words));
    assert.deepEqual(unexpected, [], "the policy allows all that the pages need");
    assert.ok(requested.every((url) => url.startsWith(app.url)));
    await close();
  });
}

test("a rejected form explains what is wrong and keeps the input", {
  skip: noBrowser,
}, async () => {
  const { app } = fixture;
  const status = await addPage(app);
  const { page, close } = await openPage(browser);
  await page.goto(`${app.url}/status/${status.url}/subscribe`);
  await page.getByLabel(/^Email address/).fill("nobody");
  await page.getByLabel("Search").check();
  await page.getByRole("button", { name: "Subscribe" }).click();
  await page.getByRole("alert").waitFor();
  assert.match(await page.getByRole("alert").innerText(), /must be an email address/);
  assert.equal(await page.getByLabel(/^Email address/).inputValue(), "nobody");
  assert.equal(await page.getByLabel("Search").isChecked(), true);
  await close();
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`the form is accessible, in ${colorScheme} mode and on a phone`, {
    skip: noBrowser,
  }, async () => {
    const { app } = fixture;
    const status = await addPage(app);
    for (const width of [320, 1280]) {
      const viewport = { width, height: 800 };
      const { page, close } = await openPage(browser, { colorScheme, viewport });
      await page.goto(`${app.url}/status/${status.url}/subscribe`);
      assert.deepEqual(await auditPage(page), [], `${width}`);
      await page.getByRole("button", { name: "Subscribe" }).focus();
      await page.getByLabel(/^Email address/).fill("nobody");
      await page.keyboard.press("Enter");
      await page.getByRole("alert").waitFor();
      assert.deepEqual(await auditPage(page), [], `${width} with a fault`);
      await close();
    }
  });
}

test("every mail of the product is accessible, in light and dark mode, narrow and wide", {
  isLong: true,
  skip: noBrowser,
}, async () => {
  const { page, complaints, requested, close } = await openPage(browser);
  // A mail is part of the mail program's page, which has the landmarks.
  const except = ["region", "landmark-one-main"];
  // One of each tone, of each layout part, and a hostile one.
  const audited = /^alert-(?!long|cert)|^incident-(?:new|resolved)|-planned$|^confirm-short$/;
  for (const { name, mail } of await listSampleMails()) {
    await page.setContent(mail.html);
    for (const width of [640, 320]) {
      await page.setViewportSize({ width, height: 800 });
      assert.equal(await findSideways(page), null, `${name} at ${width}`);
    }
    if (!audited.test(name)) continue;
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await findAccessFaults(page, { except }), [], `${name} ${colorScheme}`);
    }
  }
  assert.deepEqual([complaints, requested], [[], []], "no mail asks anybody for anything");
  await close();
});
