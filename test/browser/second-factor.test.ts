/**
 * Passkeys and OpenID Connect. Other second factors are in
 * `web/settings/security/security.test.tsx`.
 */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { systemClock } from "../../src/platform/clock.ts";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { addMember, type Person } from "../support/apps/cast.ts";
import { findAccessFaults, findSideways } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser, openPage } from "../support/browsers/browser.ts";
import { test } from "../support/long-run.ts";
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
    colorScheme: "dark",
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
  assert.deepEqual(await findAccessFaults(page), [], page.url());
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
});
