/** Creating a check: guesses, suggestions and previews. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { test } from "../support/long-run.ts";
import { waitUntil } from "../support/time/wait-until.ts";

let app: TestApp;
let browser: Browser;
let server: Server;
let port: number;

before(async () => {
  if (noBrowser !== false) return;
  app = await startTestApp();
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
const name = (page: Page) => page.getByLabel("Name", { exact: true });
const kind = (page: Page, label: string) => page.getByRole("radio", { name: label, exact: true });
const press = (page: Page, label: string) =>
  page.getByRole("button", { name: label, exact: true }).first().click();
const patience = { timeout: 30_000 };

/** Waits for the page of a check and returns the id in its address. */
async function waitForCheck(page: Page): Promise<string> {
  await page.waitForURL(/\/checks\/[0-9a-f-]{36}$/, patience);
  return page.url().split("/").at(-1) ?? "";
}

const read = async (id: string) => (await app.call("GET", `/v1/checks/${id}`)).body;

const draftKey = "vedette.draft.new";

/** Reloads with the draft, as after a session that ended. */
async function loadAgain(page: Page): Promise<void> {
  const readDraft = () => page.evaluate<string | null>(`sessionStorage.getItem("${draftKey}")`);
  await waitUntil("the draft is stored", async () => (await readDraft()) !== null);
  const draft = await readDraft();
  await target(page).fill("");
  await name(page).fill("");
  await kind(page, "URL").check();
  await waitUntil("nothing is left to save", async () => (await readDraft()) === null);
  await page.evaluate(`sessionStorage.setItem("${draftKey}", ${JSON.stringify(draft)})`);
  await page.reload();
}

describe("a new check", { skip: noBrowser }, () => {
  test("guesses the type again after a restored draft is discarded", { isLong: true }, async () => {
    const opened = await openApplication(browser, app, { path: "/checks/new" });
    const { page } = opened;
    await target(page).fill("db.example.com:5432");
    await name(page).fill("A name of my own");
    await loadAgain(page);
    await page.getByText("Your unsaved changes were restored.").waitFor(patience);
    assert.equal(await kind(page, "TCP port").isChecked(), true);
    await press(page, "Discard changes");
    await page.getByText("Your unsaved changes were restored.").waitFor({ state: "hidden" });
    assert.equal(await target(page).inputValue(), "");
    for (const [typed, label] of [
      ["127.0.0.1", "Ping"],
      ["db:5432", "TCP port"],
      ["https://shop.example.com/", "URL"],
    ] as const) {
      await target(page).fill(typed);
      assert.equal(await kind(page, label).isChecked(), true, typed);
    }
    assert.equal(await name(page).inputValue(), "shop.example.com");
    await target(page).fill("");
    await opened.close();
  });

  test("for a bare host name is a URL check, and a ping with one click", async () => {
    const opened = await openApplication(browser, app, { path: "/checks/new" });
    const { page } = opened;
    await target(page).fill("shop.example.com");
    assert.equal(await kind(page, "URL").isChecked(), true);
    await page.getByText("Requests https://shop.example.com").waitFor(patience);
    await opened.audit();
    await press(page, "Use a ping check instead");
    assert.equal(await kind(page, "Ping").isChecked(), true);
    await page.getByText("Pings shop.example.com").waitFor(patience);
    await press(page, "Create");
    const { checkType, request, frequency, locations } = await read(await waitForCheck(page));
    assert.deepEqual([checkType, request.hostname], ["ICMP", "shop.example.com"]);
    assert.deepEqual(
      [frequency, locations],
      [1, (await app.call("GET", "/v1/checks")).body[0].locations],
    );
    await opened.close();
  });

  test("offers locations with a probe, and collapses the others", {
    isLong: true,
  }, async () => {
    const opened = await openApplication(browser, app, { path: "/checks/new?kind=URL" });
    const { page } = opened;
    const from = page.getByRole("group", { name: "Locations" });
    const here = from.getByRole("checkbox", { name: "This server" });
    await here.waitFor(patience);
    assert.equal(await here.isChecked(), true);
    assert.equal(await from.getByRole("checkbox").count(), 1);
    await from.getByText("21 more locations without a probe").click();
    assert.equal(await from.getByRole("checkbox").count(), 22);
    await from.getByRole("checkbox", { name: "Ireland" }).check();
    await page
      .getByText(/It runs every minute, from one location at a time: .+ and Ireland/)
      .waitFor(patience);
    await here.uncheck();
    await target(page).fill(`http://127.0.0.1:${port}/`);
    await opened.audit();
    await press(page, "Try it");
    await page.getByText("Ran on this server: Ireland has no probe.").waitFor(patience);
    await press(page, "Create");
    assert.deepEqual((await read(await waitForCheck(page))).locations, ["eu-west-1"]);
    await opened.close();
  });

  test("shows status, headers and body of a test run, within reach on a phone", {
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
});

describe("a pasted list", { skip: noBrowser }, () => {
  test("applies frequency, group, tags and channels to all of its checks, with Create within reach", {
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

describe("two tabs with one check", { skip: noBrowser }, () => {
  test("the second tab is warned before Save, shows the changes, and saves on top of them", {
    isLong: true,
  }, async () => {
    const made = await app.call("POST", "/v1/checks", {
      body: {
        checkType: "ICMP",
        name: "Shared",
        activated: false,
        request: { hostname: "::1", ipFamily: "IPv6" },
      },
    });
    assert.equal(made.status, 201, made.text);
    const { id } = made.body;
    const opened = await openApplication(browser, app, { path: `/checks/${id}/edit` });
    const { page } = opened;
    await page.getByLabel("Packets per run").fill("7");
    const banner = page.getByText("Another user changed this check after you opened the form.");
    assert.equal(await banner.count(), 0);
    await app.call("PUT", `/v1/checks/${id}`, { body: { tags: ["theirs"] } });
    await banner.waitFor(patience);
    await opened.audit();
    await press(page, "Show changes");
    const conflict = page.getByRole("alert", { name: "Another user changed this check" });
    await conflict.getByText(/theirs/).waitFor(patience);
    await press(page, "Use selection");
    await banner.waitFor({ state: "hidden" });
    await press(page, "Save");
    await waitForCheck(page);
    const { tags, request } = await read(id);
    assert.deepEqual([tags, request.pingCount], [["theirs"], 7]);
    await opened.close();
  });
});
