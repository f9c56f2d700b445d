/** Every way to sign in without a second factor. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { addMember } from "../support/apps/cast.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { isLongRun, test } from "../support/long-run.ts";
import { type MailReceiver, startMailReceiver } from "../support/servers/mail-receiver.ts";
import { waitUntil } from "../support/time/wait-until.ts";

let app: TestApp;
let browser: Browser;
let post: MailReceiver;
const ends: (() => unknown)[] = [];
before(async () => {
  if (noBrowser !== false) return;
  post = await startMailReceiver({ after: (end) => ends.push(end as () => unknown) });
  app = await startTestApp({ SMTP_URL: post.url, MAIL_FROM: "vedette@example.com" });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await app?.stop();
  for (const end of ends) await end();
});

const password = (page: Page) => page.getByRole("textbox", { name: "Password" });
const newPassword = (page: Page) => page.getByRole("textbox", { name: "New password" });
const press = (page: Page, name: string) => page.getByRole("button", { name }).click();

/** A screen is ready when its heading is, because its code loads after the shell. */
async function waitForScreen(page: Page): Promise<void> {
  await page.getByRole("navigation", { name: "Main" }).waitFor();
  await page.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
}

/** Returns the path of the newest link in the mail to an address. */
async function readMailedPath(email: string, screen: string, about = ""): Promise<string> {
  const find = () =>
    post.mails
      .filter(({ to, raw }) => to.includes(email) && raw.includes(about))
      .map(({ raw }) => raw.replaceAll("=\r\n", "").replaceAll("=3D", "="))
      .map((text) => new RegExp(`/${screen}#token=[\\w-]{43}`).exec(text)?.[0])
      .findLast((path) => path !== undefined);
  await waitUntil(`a mail to ${email}`, () => find() !== undefined);
  return find() ?? "";
}

describe("signing in", { skip: noBrowser }, () => {
  for (const width of isLongRun ? ([1440, 390] as const) : ([390] as const)) {
    const colorScheme = width === 1440 ? "light" : "dark";

    test(`the printed link signs the owner in with one click, at ${width}`, async () => {
      const fresh = await startTestApp({ BOOTSTRAP_PASSWORD: "", EXAMPLE: "true" });
      try {
        const path = `/sign-in#link=${fresh.owner.linkToken}`;
        const how = { role: null, path, width, colorScheme } as const;
        const opened = await openApplication(browser, fresh, how);
        const { page } = opened;
        await page.getByRole("heading", { name: "Choose a password" }).waitFor();
        assert.equal(new URL(page.url()).hash, "", "the token has left the address");
        await opened.audit();
        opened.expect(/status of 400/);
        await newPassword(page).fill("password123");
        await press(page, "Save and continue");
        await page.getByText("is a common password").waitFor();
        await newPassword(page).fill("a sentence to remember");
        // The only click between opening the link and being signed in.
        await press(page, "Save and continue");
        await waitForScreen(page);
        await page.getByRole("heading", { name: "Add a check" }).waitFor();
        await opened.audit();
        await press(page, "Remove the example");
        await page.getByText("The example was removed").waitFor();
        const left = await fresh.call("GET", "/v1/checks");
        assert.deepEqual(left.body, []);
        await opened.close();
        const again = await openApplication(browser, fresh, { ...how, expects: [/status of 404/] });
        await again.page.getByText("npm run vedette sign-in-link").waitFor();
        await again.audit();
        await again.close();
      } finally {
        await fresh.stop();
      }
    });

    test(`a colleague accepts an invite and is offered no write, at ${width}`, async () => {
      const email = `colleague-${width}@example.com`;
      await app.call("POST", "/v1/accounts/me/invites", { body: { email, role: "READ_ONLY" } });
      const path = await readMailedPath(email, "invite");
      const opened = await openApplication(browser, app, { role: null, path, width, colorScheme });
      const { page } = opened;
      await page.getByRole("heading", { name: "Join Vedette" }).waitFor();
      await page.getByText("You can view everything but change nothing.").waitFor();
      await page.getByLabel("Your name").fill("Ada <b>Lovelace</b>");
      await newPassword(page).fill("a sentence to remember");
      await opened.audit();
      await press(page, "Join Vedette");
      await waitForScreen(page);
      await press(page, "Account: Vedette");
      await page.getByText("Ada <b>Lovelace</b>").waitFor();
      assert.equal(await page.getByRole("heading", { name: "Add a check" }).count(), 0);
      await opened.audit();
      await press(page, "Sign out");
      await page.getByRole("heading", { name: "Sign in to Vedette" }).waitFor();
      await opened.close();
    });
  }

  test("an existing user signs in to join a second account, and switches between the two", {
    isLong: true,
  }, async () => {
    const person = await addMember(app, "both@example.com", { role: "READ_ONLY" });
    const other = await app.call("POST", "/v1/accounts", { body: { name: "Second & Sons" } });
    await app.call("POST", `/v1/accounts/${other.body.id}/invites`, {
      body: { email: person.email, role: "ADMIN" },
    });
    const path = await readMailedPath(person.email, "invite", "Second & Sons");
    // An account chosen by another user of this browser, to which this user has no access.
    const chosen = [{ name: "vedette.account", value: randomUUID() }];
    const storageState = { cookies: [], origins: [{ origin: app.url, localStorage: chosen }] };
    const context = { storageState };
    const expects = [/status of 403/];
    const opened = await openApplication(browser, app, { role: null, path, context, expects });
    const { page } = opened;
    await page.getByText("A user with this email address already exists").waitFor();
    await opened.audit();
    await password(page).fill(person.password);
    await press(page, "Sign in");
    await press(page, "Join Second & Sons");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await press(page, "Account: Second & Sons");
    const accounts = page.getByRole("list", { name: "Switch account" });
    await accounts.getByRole("button", { name: /^Vedette/ }).waitFor();
    await opened.audit();
    await accounts.getByRole("button", { name: /^Vedette/ }).click();
    await page.getByRole("button", { name: "Account: Vedette" }).waitFor();
    await opened.close();
  });
});
