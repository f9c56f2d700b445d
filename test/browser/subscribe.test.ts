/** Subscribing to a status page. `src/sites/subscribers/sign-up.test.ts` does it without script. */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Browser, Page } from "playwright-core";
import { findAccessFaults, findSideways } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser, openPage } from "../support/browsers/browser.ts";
import { auditPage } from "../support/browsers/page-audit.ts";
import { test } from "../support/long-run.ts";
import { createIncident } from "../support/modules/incidents.ts";
import { listSampleMails } from "../support/modules/mails.ts";
import {
  addPage,
  findLink,
  findStatus,
  type SubscriberFixture,
  startSubscriberFixture,
  waitForMail,
} from "../support/modules/subscribers.ts";

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
  await page.getByLabel(/^Email address/).fill("nobody@nowhere");
  await page.getByRole("button", { name: "Subscribe" }).click();
  await dialog.getByRole("alert").waitFor();
  assert.equal(await page.evaluate("document.activeElement.id"), "address");
}

test("a reader subscribes in a dialog above the page, confirms and unsubscribes", {
  skip: noBrowser,
}, async () => {
  const { app, mail } = fixture;
  const status = await addPage(app);
  const address = "reader@example.com";
  const { page, complaints, requested, close } = await openPage(browser);
  await page.goto(`${app.url}/status/${status.url}/`);
  const home = page.url();
  await page.getByRole("link", { name: "Subscribe" }).click();
  await leaveAndReturn(page);
  await page.getByLabel(/^Email address/).fill(address);
  await page.getByRole("checkbox", { name: "Checkout" }).check();
  await page.getByRole("button", { name: "Subscribe" }).click();
  await page.getByRole("heading", { name: "Almost there" }).waitFor();
  assert.equal(page.url(), home);

  const asked = await waitForMail(mail, address);
  await page.goto(`${app.url}${findLink(asked, "confirm")}`);
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("heading", { name: "You are subscribed" }).waitFor();
  const update = { description: "We are on it.", notifySubscribers: true };
  const [checkout = ""] = status.serviceIds;
  await createIncident(app, checkout, { incidentUpdates: [update] });
  const sent = await waitForMail(mail, address, 2);
  assert.equal(sent.subject, "[Acme status] Payments fail – Investigating");
  await page.goto(`${app.url}${findLink(sent, "unsubscribe")}`);
  await page.getByRole("button", { name: "Unsubscribe" }).click();
  await page.getByRole("heading", { name: "You are unsubscribed" }).waitFor();
  assert.equal(await findStatus(app, address), null);

  // The expected response to an invalid form.
  const unexpected = complaints.filter((words) => !/status of 400/.test(words));
  assert.deepEqual(unexpected, [], "the policy allows all that the pages need");
  assert.ok(requested.every((url) => url.startsWith(app.url)));
  await close();
});

test("the form is accessible, in light and dark mode and on a phone", {
  skip: noBrowser,
}, async () => {
  const { app } = fixture;
  const status = await addPage(app);
  const { page, close } = await openPage(browser);
  const audit = async (state: string) => {
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await auditPage(page), [], `${width} ${colorScheme} ${state}`);
      }
    }
  };
  await page.goto(`${app.url}/status/${status.url}/subscribe`);
  await audit("empty");
  await page.getByLabel(/^Email address/).fill("nobody@nowhere");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
  await audit("rejected");
  await close();
});

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
