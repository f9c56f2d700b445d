/** Second factors and alternatives to the password. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { systemClock } from "../../src/platform/clock.ts";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { addMember, createKey, type Person } from "../support/apps/cast.ts";
import { findAccessFaults, findSideways } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser, openPage } from "../support/browsers/browser.ts";
import { test } from "../support/long-run.ts";
import { readCodeAt } from "../support/modules/second-factors.ts";
import { findFreePort } from "../support/servers/free-port.ts";
import { type OidcServer, startOidcServer } from "../support/servers/oidc-server.ts";

let app: TestApp;
let browser: Browser;
let provider: OidcServer;
/** Passkeys need a host name, such as localhost. */
let url = "";

before(async () => {
  if (noBrowser !== false) return;
  const port = await findFreePort();
  url = `http://localhost:${port}`;
  const ada = { sub: "ada", email: "ada@example.com", email_verified: true, name: "Ada" };
  provider = await startOidcServer(`${url}/sign-in/oidc/callback`, ada);
  const environment = {
    PORT: String(port),
    PUBLIC_URL: url,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: provider.clientSecret,
    OIDC_NAME: "Example ID",
    OIDC_DEFAULT_ROLE: "READ_ONLY",
  };
  app = await startTestApp(environment, { clock: systemClock });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await app?.stop();
  await provider?.stop();
});

async function open(width: 1440 | 390 = 1440) {
  const viewport = width === 1440 ? { width, height: 900 } : { width, height: 844 };
  const { page, complaints, close } = await openPage(browser, {
    viewport,
    reducedMotion: "reduce",
  });
  const isRefusal = (words: string) => /status of 40[013]/.test(words);
  return {
    page,
    close: async () => {
      assert.deepEqual(
        complaints.filter((words) => !isRefusal(words)),
        [],
        page.url(),
      );
      await close();
    },
  };
}

async function audit(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    assert.deepEqual(await findAccessFaults(page), [], `${colorScheme} ${page.url()}`);
  }
  assert.equal(await findSideways(page), null);
}

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

async function givePassword(page: Page, { email, password }: Person): Promise<void> {
  await page.goto(`${url}/sign-in`);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

async function openSecurity(page: Page): Promise<void> {
  await page.goto(`${url}/settings/security`);
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
}

async function signOut(page: Page): Promise<void> {
  await page.goto(`${url}/favicon.svg`);
  await page.context().clearCookies();
}

const isHome = (address: URL) => address.pathname === "/";

async function readCodes(page: Page): Promise<readonly string[]> {
  const dialog = page.getByRole("dialog", { name: "Recovery codes" });
  await dialog.waitFor();
  const codes = await dialog.getByRole("listitem").allTextContents();
  assert.equal(codes.length, 10);
  await button(page, "I have saved them").click();
  return codes;
}

describe("second factors", { skip: noBrowser }, () => {
  test("an authenticator app is set up by its secret, then a code or a recovery code is required", {
    isLong: true,
  }, async () => {
    const person = await addMember(app, "tess@example.com", { role: "READ_ONLY" });
    const { page, close } = await open();
    await givePassword(page, person);
    await page.waitForURL(isHome);
    await openSecurity(page);
    await audit(page);
    await button(page, "Set up").click();
    const dialog = page.getByRole("dialog", { name: "Set up an authenticator app" });
    await dialog.getByRole("img", { name: "QR code with the secret" }).waitFor();
    await audit(page);
    const secret = (await dialog.locator("code").innerText()).replaceAll(/\s/g, "");
    await dialog.getByLabel("Six-digit code").fill("000000");
    await dialog.getByRole("button", { name: "Confirm" }).click();
    await dialog.getByText("is not a valid code for this secret").waitFor();
    await dialog.getByLabel("Six-digit code").fill(readCodeAt(secret, Date.now()));
    await dialog.getByRole("button", { name: "Confirm" }).click();
    const codes = await readCodes(page);
    await page.getByText("10 recovery codes are left.").waitFor();
    await signOut(page);
    await givePassword(page, person);
    const field = page.getByLabel("Code from your authenticator app");
    await field.waitFor();
    await audit(page);
    // A code from a clock half a minute ahead is accepted, and was not used yet.
    await field.fill(readCodeAt(secret, Date.now() + 30_000));
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.waitForURL(isHome);
    await signOut(page);
    await givePassword(page, person);
    await button(page, "Use a recovery code").click();
    await page.getByLabel("Recovery code").fill(codes[3] ?? "");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.waitForURL(isHome);
    await openSecurity(page);
    await page.getByText("9 recovery codes are left.").waitFor();
    await button(page, "Remove").click();
    await page.getByLabel("Your password").fill(person.password);
    await button(page, "Confirm").click();
    await button(page, "Set up").waitFor();
    await close();
  });

  test("a passkey signs in alone, and is the second factor after a password", async () => {
    const person = await addMember(app, "pat@example.com", { role: "READ_ONLY" });
    const { page, close } = await open(390);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("WebAuthn.enable");
    await devtools.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await givePassword(page, person);
    await page.waitForURL(isHome);
    await openSecurity(page);
    await button(page, "Add a passkey").click();
    await page.getByLabel("Name").fill("Phone");
    await button(page, "Continue").click();
    await readCodes(page);
    await button(page, "Delete Phone").waitFor();
    await audit(page);
    await signOut(page);
    await page.goto(`${url}/sign-in`);
    await button(page, "Sign in with a passkey").waitFor();
    await audit(page);
    await button(page, "Sign in with a passkey").click();
    await page.waitForURL(isHome);
    await signOut(page);
    await givePassword(page, person);
    await page.getByRole("heading", { name: "Two-factor authentication" }).waitFor();
    await button(page, "Sign in with a passkey").click();
    await page.waitForURL(isHome);
    await close();
  });

  test("OpenID Connect leads to the provider and back to the requested screen", {
    isLong: true,
  }, async () => {
    const { page, close } = await open();
    await page.goto(`${url}/settings/security`);
    await page.getByRole("link", { name: "Sign in with Example ID" }).click();
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    await page.getByText("OpenID Connect").waitFor();
    await page.getByText("You have no password").waitFor();
    await close();
  });

  test("if an account requires a second factor, a user without one must set one up", {
    isLong: true,
  }, async () => {
    const person = await addMember(app, "newcomer@example.com", { role: "READ_WRITE" });
    const { key } = await createKey(app, "OWNER");
    const ask = (requiresSecondFactor: boolean) =>
      app.call("PATCH", "/v1/accounts/me", { key, body: { requiresSecondFactor } });
    await ask(true);
    try {
      const { page, close } = await open(390);
      await givePassword(page, person);
      await page.getByText("Set up a second factor to continue").waitFor();
      assert.equal(new URL(page.url()).pathname, "/settings/security");
      await audit(page);
      await close();
    } finally {
      await ask(false);
    }
  });
});
