/** Incidents: one journey. The rest is in `web/incidents/incidents.test.tsx`. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { systemClock } from "../../src/platform/clock.ts";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { createStatusPage } from "../support/modules/status-pages.ts";
import { findMails, waitForMail } from "../support/modules/subscribers.ts";
import { findFreePort } from "../support/servers/free-port.ts";
import { type MailReceiver, startMailReceiver } from "../support/servers/mail-receiver.ts";
import { waitUntil } from "../support/time/wait-until.ts";

const patience = { timeout: 60_000 };
const people = ["ada@example.com", "bob@example.com"];

let app: TestApp;
let browser: Browser;
let mail: MailReceiver;
let shop: string;
let quiet: string;
let pageUrl: string;
const ends: (() => unknown)[] = [];

async function post(path: string, body: unknown): Promise<{ readonly id: string }> {
  const made = await app.call("POST", path, { body });
  assert.ok(made.status < 300, made.text);
  return made.body;
}

/** Creates a service that follows a check, which fails because nothing listens on its port. */
async function breakTheShop(): Promise<void> {
  const request = { hostname: "127.0.0.1", port: await findFreePort() };
  const rest = { frequency: 1440, retryStrategy: null };
  const check = await post("/v1/checks/tcp", { name: "db-1.fra", request, ...rest });
  const follows = { checkIds: [check.id] };
  shop = (await post("/v1/status-pages/services", { name: "Shop", follows })).id;
  quiet = (await post("/v1/status-pages/services", { name: "Archive" })).id;
  const services = [{ id: shop }, { id: quiet }];
  const page = await createStatusPage(app, { name: "Ours", cards: [{ name: "All", services }] });
  pageUrl = `/status/${page.url}/`;
  await post(`/v1/status-pages/${page.id}/subscriptions/bulk`, {
    subscriptions: people.map((config) => ({ type: "EMAIL", config })),
    autoVerify: true,
  });
  const { body } = await app.call("POST", "/v2/check-sessions/trigger", {
    body: { target: { checkId: [check.id] } },
  });
  const session = body.sessions[0].checkSessionId;
  await app.call("GET", `/v2/check-sessions/${session}/completion`);
}

before(async () => {
  if (noBrowser !== false) return;
  mail = await startMailReceiver({ after: (end) => ends.push(end as () => unknown) });
  const settings = { SMTP_URL: mail.url, OUTBOUND_ALLOW_PRIVATE: "true" };
  app = await startTestApp(settings, { clock: systemClock });
  browser = await launchBrowser();
  await breakTheShop();
});
after(async () => {
  await browser?.close();
  await app?.stop();
  for (const end of ends) await end();
});

const press = (page: Page, name: string) =>
  page.getByRole("button", { name, exact: true }).first().click();
const follow = (page: Page, name: string) =>
  page.getByRole("link", { name, exact: true }).first().click();
/** A cached page is re-rendered after the change notification has arrived. */
const waitForPublic = (words: RegExp, path = "") =>
  waitUntil(`the public reads ${words}`, async () => {
    const { text } = await app.call("GET", `${pageUrl}${path}`, { key: null });
    return words.test(text);
  });

/** The field has the same text until the server has accepted it. */
async function waitForUpdate(page: Page, words: string): Promise<void> {
  await page.getByLabel("Message").waitFor({ state: "detached", ...patience });
  await page.getByRole("listitem").filter({ hasText: words }).waitFor(patience);
}

describe("incidents", { skip: noBrowser }, () => {
  test("an incident is created from a template, updated and resolved", async () => {
    await post("/v1/status-pages/incident-templates", {
      name: "Provider",
      incidentName: "{{services}}: {{provider}} is down",
      updates: [{ status: "INVESTIGATING", description: "**{{provider}}** does not answer." }],
    });
    const opened = await openApplication(browser, app);
    const { page } = opened;
    await page.getByRole("link", { name: "Create incident for db-1.fra" }).click(patience);
    assert.equal(await page.getByRole("checkbox", { name: "Shop" }).isChecked(), true);
    assert.equal(await page.getByRole("checkbox", { name: "Archive" }).isChecked(), false);
    await page.getByLabel("Template").selectOption({ label: "Provider" });
    await page.getByLabel("provider", { exact: true }).fill("Acme");
    await press(page, "Apply template");
    const title = page.getByLabel("Title");
    await waitUntil("the template is filled in", async () => (await title.inputValue()) !== "");
    assert.equal(await title.inputValue(), "Shop: Acme is down");

    // Subscribers are notified only if the user turns it on, and their number is shown.
    const notify = page.getByRole("switch", { name: "Notify 2 subscribers" });
    assert.equal(await notify.isChecked(), false);
    for (const name of ["Page", "Email", "Feed"]) {
      const frame = page.frameLocator(`iframe[title="${name}"]`);
      await frame.getByText("Shop: Acme is down").first().waitFor(patience);
      await frame.locator("strong", { hasText: "Acme" }).first().waitFor(patience);
    }
    await opened.audit();
    await notify.check();
    await press(page, "Post incident");
    await page.getByRole("heading", { level: 1, name: "Shop: Acme is down" }).waitFor(patience);
    await waitForPublic(/Shop: Acme is down/);
    for (const address of people) {
      const { subject, body } = await waitForMail(mail, address);
      assert.equal(subject, "[Ours] Shop: Acme is down – Investigating");
      assert.match(body, /Acme/);
    }

    await follow(page, "Post update");
    await press(page, "Draft from check results");
    const message = page.getByLabel("Message");
    await page.getByText("This draft was written from the check results.").waitFor(patience);
    assert.match(await message.inputValue(), /^\*\*Shop\*\* is still not working\./);
    await press(page, "Post update");
    await waitForUpdate(page, "is still not working");
    await page.getByRole("link", { name: "Resolve" }).click(patience);
    await page.getByLabel("Message").fill("Acme is back.");
    await page.getByRole("switch", { name: "Notify 2 subscribers" }).check();
    await press(page, "Post update");
    await waitForUpdate(page, "Acme is back.");
    await page.getByRole("link", { name: "Resolve" }).waitFor({ state: "detached" });
    for (const address of people) {
      const { subject } = await waitForMail(mail, address, 2);
      assert.equal(subject, "[Ours] Shop: Acme is down – Resolved");
      assert.equal(findMails(mail, address).length, 2, "the update in between told nobody");
    }
    await waitForPublic(/Acme is back/);
    await opened.close();
  });
});
