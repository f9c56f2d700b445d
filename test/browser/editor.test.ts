/** Creating a check. The rest of its editor is in `web/checks/editor/editor.test.tsx`. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { test } from "../support/long-run.ts";
import { needsPings } from "../support/programs/pings.ts";
import { waitUntil } from "../support/time/wait-until.ts";

let app: TestApp;
let browser: Browser;
let server: Server;
let port: number;

before(async () => {
  if (noBrowser !== false) return;
  app = await startTestApp({}, { runsNewChecks: true });
  browser = await launchBrowser();
  server = createServer((_request, response) => {
    response.setHeader("x-flavour", "vanilla");
    response.end("a body to look at");
  }).listen(0, "127.0.0.1");
  await new Promise((resume) => server.once("listening", resume));
  port = (server.address() as AddressInfo).port;
});
after(async () => {
  await browser?.close();
  await app?.stop();
  server?.close();
});

const target = (page: Page) => page.getByLabel("What do you want to monitor?");
const press = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name }).first().click();
const patience = { timeout: 30_000 };

/** Waits for the page of a check and returns the id in its address. */
async function waitForCheck(page: Page): Promise<string> {
  await page.waitForURL(/\/checks\/[0-9a-f-]{36}$/, patience);
  return page.url().split("/").at(-1) ?? "";
}

/** Leaves without saving and confirms the prompt. */
async function giveUp(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Now", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Leave without saving?" });
  await dialog.getByRole("button", { name: "Leave" }).click();
  await page.waitForURL(`${app.url}/`, patience);
}

const read = async (id: string) => (await app.call("GET", `/v1/checks/${id}`)).body;

describe("the editor of checks", { skip: noBrowser }, () => {
  test("typing a target and pressing Enter creates the first check, which runs immediately", {
    isLong: true,
  }, async () => {
    const opened = await openApplication(browser, app, { path: "/checks/new" });
    const { page } = opened;
    await target(page).fill(`http://127.0.0.1:${port}/health`);
    await page.getByText(`Requests http://127.0.0.1:${port}/health`).waitFor(patience);
    await opened.audit();
    await target(page).press("Enter");
    const id = await waitForCheck(page);
    const { checkType, name } = await read(id);
    assert.deepEqual([checkType, name], ["URL", `127.0.0.1:${port}/health`]);
    // A check that is due within ten seconds waits for its due time.
    app.clock.advance(10_000);
    const hasResult = async () =>
      (await app.call("GET", `/v2/check-results/${id}`)).body.entries.length > 0;
    await waitUntil("its first result is there", hasResult, 60_000);
    await opened.close();
  });

  test("Try it shows packets and phases live, and the result", {
    isLong: true,
    skip: needsPings,
  }, async () => {
    const opened = await openApplication(browser, app, { path: "/checks/new?kind=ICMP" });
    const { page } = opened;
    await target(page).fill("127.0.0.1");
    await page.getByLabel("Packets per run").fill("4");
    await press(page, "Try it");
    // Both are shown only while the run is in progress.
    await page.getByRole("button", { name: "Stop" }).waitFor(patience);
    await page.getByText(/lost so far/).waitFor(patience);
    await page.getByText("Passing").waitFor(patience);
    assert.equal(await page.getByRole("list", { name: "Packets" }).locator("li").count(), 4);
    await target(page).fill(`http://127.0.0.1:${port}/`);
    await page.getByRole("radio", { name: "URL" }).check();
    await press(page, "Try again");
    await page.getByText(`Connected to port ${port}`).waitFor(patience);
    await page.getByText("Status 200").waitFor(patience);
    await opened.audit();
    await giveUp(page);
    await opened.close();
  });

  test("a new check shows status, headers and body of a test run, within reach on a phone", {
    isLong: true,
  }, async () => {
    const opened = await openApplication(browser, app, { path: "/checks/new", width: 390 });
    const { page } = opened;
    await target(page).fill(`http://127.0.0.1:${port}/`);
    await press(page, "Add an assertion");
    await page.getByLabel(/^Value, assertion 1/).fill("204");
    const button = page.getByRole("button", { name: "Try it" });
    const { y } = (await button.boundingBox()) ?? { y: Number.POSITIVE_INFINITY };
    const top = y + Number(await page.evaluate("scrollY"));
    assert.ok(top < 2 * 844, `Try it is ${top} px below the top`);
    await button.click();
    const panel = page.getByRole("region", { name: "Try it" });
    await panel.getByText("200 OK").waitFor(patience);
    await panel.getByText("The assertion failed.").waitFor(patience);
    await panel.getByText("The status code equals 204: found 200.").waitFor(patience);
    await panel.getByText("a body to look at").waitFor(patience);
    await panel.getByText(/^Headers \(\d+\)$/).click();
    await panel.getByText("vanilla").waitFor(patience);
    await panel.getByText("Ran on this server.").waitFor(patience);
    assert.doesNotMatch(await panel.innerText(), /STATUS_CODE|eu-central-1|Ordered/);
    await opened.audit();
    assert.equal(await page.getByRole("button", { name: "Create" }).isVisible(), true);
    await target(page).fill("");
    await page.getByLabel("Remove assertion 1").click();
    await opened.close();
  });

  test("a pasted list applies frequency, group, tags and channels to all of its checks, with Create within reach", {
    isLong: true,
  }, async () => {
    const group = await app.call("POST", "/v1/check-groups", { body: { name: "Machines" } });
    const ids: number[] = [];
    for (const address of ["pager@example.com", "chat@example.com"]) {
      const body = { type: "EMAIL", config: { address } };
      const made = await app.call("POST", "/v1/alert-channels", { body });
      assert.equal(made.status, 201, made.text);
      ids.push(made.body.id);
    }
    const opened = await openApplication(browser, app, {
      path: "/checks/new?tab=list",
      width: 390,
    });
    const { page } = opened;
    const hosts = Array.from({ length: 30 }, (_, index) => `listed-${index}.example.com`);
    await page
      .getByLabel("Host names, IP addresses or URLs")
      .fill([...hosts, "192.0.2.1"].join("\n"));
    await page.getByLabel("Frequency").selectOption("Every 5 minutes");
    await page.getByLabel("Group").selectOption("Machines");
    await page.getByRole("textbox", { name: "Tags" }).fill("shop, production");
    await page.getByRole("checkbox", { name: "chat@example.com" }).uncheck();
    const bare = page.getByRole("radiogroup", { name: /30 host names/ });
    await bare.getByRole("radio", { name: "Ping" }).check();
    const create = page.getByRole("button", { name: "Create 31 checks" });
    await page.evaluate("scrollTo(0, 0)");
    const box = await create.boundingBox();
    assert.ok(box && box.y >= 0 && box.y + box.height <= 844, JSON.stringify(box));
    await opened.audit();
    await create.click();
    await page.getByText("31 created.").waitFor(patience);
    const { body } = await app.call("GET", "/v1/checks?limit=100&tag=shop");
    assert.equal(body.length, 31);
    for (const check of body) {
      const { checkType, frequency, groupId, tags, alertChannelSubscriptions } = check;
      assert.deepEqual([checkType, frequency, groupId], ["ICMP", 5, group.body.id]);
      assert.deepEqual(tags, ["shop", "production"]);
      assert.deepEqual(alertChannelSubscriptions, [{ alertChannelId: ids[0], activated: true }]);
    }
    await opened.close();
  });
});
