/** The built-in docs: guides, search, and requests sent from the API reference. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { test } from "../support/long-run.ts";

let app: TestApp;
let browser: Browser;
before(async () => {
  if (noBrowser !== false) return;
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await app?.stop();
});

describe("the docs in the product", { skip: noBrowser }, () => {
  test("a reader searches on a phone and opens a result", { isLong: true }, async () => {
    const opened = await openApplication(browser, app, { role: null, path: "/docs", width: 390 });
    const { page } = opened;
    await opened.audit();
    await page.getByRole("searchbox", { name: "Search the docs" }).fill("grace heartbeat");
    await page.getByRole("button", { name: "Search" }).click();
    await page.waitForURL(/search=grace/);
    await opened.audit();
    await page.getByRole("main").getByRole("link").first().click();
    await page.getByRole("heading", { level: 1, name: "Heartbeat checks" }).waitFor();
    await opened.audit();
    await opened.close();
  });

  test("an operation is sent with the session, and with a key", async () => {
    const opened = await openApplication(browser, app, {
      path: "/docs/api/createVariable",
      colorScheme: "dark",
      expects: [/status of 40[019]/],
    });
    const { page } = opened;
    const create = page.locator("#createVariable");
    await create.getByRole("button", { name: "Try it: POST /v1/variables" }).click();
    await create.getByLabel("Body").fill('{ "key": "TRIED", "value": "42" }');
    await create.getByRole("button", { name: "Send POST" }).click();
    await create.getByText(/^201 Created, request /).waitFor();
    assert.equal((await app.call("GET", "/v1/variables/TRIED")).body.value, "42");
    await create.getByRole("button", { name: "Send POST" }).click();
    await create.getByText(/^4\d\d .*, request /).waitFor();
    await page.getByRole("link", { name: /^Get one variable/ }).click();
    const read = page.locator("#getVariable");
    await read.getByRole("button", { name: /^Try it/ }).click();
    await read.getByLabel("key (path)").fill("TRIED");
    await read.getByLabel(/^API key/).fill("nobody's");
    await read.getByRole("button", { name: "Send GET" }).click();
    await read.getByText(/^401 /).waitFor();
    await read.getByLabel(/^API key/).fill("");
    await read.getByRole("button", { name: "Send GET" }).click();
    await read.getByLabel("The answer").getByText('"value": "42"').waitFor();
    await opened.close();
  });
});
