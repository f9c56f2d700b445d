/** Creating and editing checks: typing, trying, pasting, and concurrent edits. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { allKinds } from "../../src/kinds/index.ts";
import { ownerPassword, startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication, pressSignedOut } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { isLongRun, test } from "../support/long-run.ts";
import { needsPings } from "../support/programs/pings.ts";
import { waitUntil } from "../support/time/wait-until.ts";

let app: TestApp;
let browser: Browser;
let server: Server;
let port: number;

before(async () => {
  if (noBrowser !== false) return;
  app = await startTestApp();
  browser = await launchBrowser();
  server = createServer((_request, response) => response.end("fine")).listen(0, "127.0.0.1");
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

async function createCheck(more: object = {}): Promise<string> {
  const body = {
    checkType: "ICMP",
    name: "Router",
    activated: false,
    request: { hostname: "127.0.0.1" },
    ...more,
  };
  const made = await app.call("POST", "/v1/checks", { body });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

describe("the editor of checks", { skip: noBrowser }, () => {
  test("typing a target and pressing Enter creates the first check, which runs immediately", async () => {
    const opened = await openApplication(browser, app, { path: "/checks/new" });
    const { page } = opened;
    await target(page).fill(`http://127.0.0.1:${port}/health`);
    await page.getByText(`Requests http://127.0.0.1:${port}/health`).waitFor(patience);
    await opened.audit();
    await target(page).press("Enter");
    const id = await waitForCheck(page);
    const { checkType, name } = await read(id);
    assert.deepEqual([checkType, name], ["URL", `127.0.0.1:${port}/health`]);
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

  test("a validation error is shown at its field, even if the field is collapsed", async () => {
    const opened = await openApplication(browser, app, {
      path: "/checks/new?kind=ICMP",
      expects: [/status of 400/],
      width: 390,
    });
    const { page } = opened;
    await target(page).fill("no host at all");
    await press(page, "Create");
    const field = target(page);
    await page.locator("#check-editor [aria-invalid=true]").waitFor(patience);
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    assert.match(await page.locator("form").innerText(), /Host or IP address is not a valid host/);
    await opened.audit();
    await target(page).fill("::1");
    await page.getByRole("main").getByText("More", { exact: true }).click();
    await page.getByLabel("IP version").selectOption("IPv4");
    await page.getByRole("main").getByText("More", { exact: true }).click();
    await press(page, "Create");
    const refused = page.getByLabel("IP version");
    await refused.and(page.locator(':focus[data-path="request.ipFamily"]')).waitFor(patience);
    await giveUp(page);
    await opened.close();
  });

  test("on a conflict, both versions are shown and nothing is lost", async () => {
    const id = await createCheck({ name: "Before", tags: ["old"] });
    const opened = await openApplication(browser, app, {
      path: `/checks/${id}/edit`,
      expects: [/status of 412/],
    });
    const { page } = opened;
    await page.getByLabel("Name", { exact: true }).fill("Mine");
    await page.getByLabel("Packets per run").fill("7");
    await app.call("PUT", `/v1/checks/${id}`, { body: { name: "Theirs", tags: ["new"] } });
    await press(page, "Save");
    const conflict = page.getByRole("alert", { name: "Another user changed this check" });
    await conflict.waitFor(patience);
    assert.match(await conflict.innerText(), /Tags: old new/);
    assert.equal((await read(id)).name, "Theirs", "nothing is overwritten");
    await opened.audit();
    await conflict.getByRole("radio", { name: /Theirs/ }).check();
    await press(page, "Use selection");
    await press(page, "Save");
    await waitForCheck(page);
    const { name, tags, request } = await read(id);
    assert.deepEqual([name, tags, request.pingCount], ["Theirs", ["new"], 7]);
    await opened.close();
  });

  test("an alert opens an incident for the selected service, which is named before saving", {
    isLong: true,
  }, async () => {
    const service = await app.call("POST", "/v1/status-pages/services", { body: { name: "Shop" } });
    const id = await createCheck({ activated: true, frequency: 1_440 });
    const opened = await openApplication(browser, app, {
      path: `/checks/${id}/edit`,
      expects: [/status of 400/],
    });
    const { page } = opened;
    await page.getByLabel("Open an incident on the status pages").check();
    const chosen = page.getByLabel("Affected service");
    await chosen.getByRole("option", { name: "Shop" }).waitFor({ state: "attached" });
    await press(page, "Save");
    await page.locator("#check-editor select[aria-invalid=true]").waitFor(patience);
    await chosen.selectOption("Shop");
    await page.getByText(/No status page shows this service/).waitFor(patience);
    await page.getByText("Its alert opens an incident").waitFor(patience);
    await page.getByLabel("Severity").selectOption("CRITICAL");
    await opened.audit();
    await press(page, "Save");
    await waitForCheck(page);
    assert.deepEqual((await read(id)).triggerIncident, {
      serviceId: service.body.id,
      severity: "CRITICAL",
      name: "{{CHECK_NAME}} is down",
      description: "We are investigating.",
      notifySubscribers: false,
    });
    await page.goto(`${app.url}/checks/${id}/edit`);
    await page.getByLabel("Open an incident on the status pages").uncheck();
    await press(page, "Save");
    await waitForCheck(page);
    assert.equal((await read(id)).triggerIncident, null);
    await opened.close();
  });

  test("a session that ends while the user types loses nothing but secrets", {
    isLong: true,
  }, async () => {
    const id = await createCheck({
      checkType: "API",
      request: { url: "http://127.0.0.1/", method: "GET" },
    });
    const opened = await openApplication(browser, app, {
      path: `/checks/${id}/edit`,
      expects: [/status of 401/],
    });
    const { page } = opened;
    await page.getByLabel("Name", { exact: true }).fill("Typed before the end");
    await press(page, "Add header");
    await page.getByLabel("Name, header 1").fill("x-token");
    await page.getByLabel("Secret, header 1").check();
    await page.getByLabel("Value, header 1").fill("hunter2");
    await pressSignedOut(page, "Save");
    await page.getByLabel("Email").fill("owner@example.com");
    assert.doesNotMatch(String(await page.evaluate("JSON.stringify(sessionStorage)")), /hunter2/);
    await page.getByRole("textbox", { name: "Password" }).fill(ownerPassword);
    await press(page, "Sign in");
    await page.getByText("Your unsaved changes were restored.").waitFor(patience);
    assert.match(page.url(), new RegExp(`/checks/${id}/edit$`));
    const name = page.getByLabel("Name", { exact: true });
    assert.equal(await name.inputValue(), "Typed before the end");
    assert.equal(await page.getByLabel("Name, header 1").inputValue(), "x-token");
    assert.equal(await page.getByLabel("Value, header 1").inputValue(), "");
    await page.getByLabel("Value, header 1").fill("hunter3");
    await press(page, "Save");
    await waitForCheck(page);
    assert.equal((await read(id)).name, "Typed before the end");
    await opened.close();
  });

  test("leaving with unsaved changes asks, and staying keeps them", async () => {
    const id = await createCheck();
    const opened = await openApplication(browser, app, { path: `/checks/${id}/edit` });
    const { page } = opened;
    await page.getByLabel("Name", { exact: true }).fill("Not saved");
    await page.getByRole("link", { name: "Now", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Leave without saving?" });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Not saved");
    await giveUp(page);
    assert.equal((await read(id)).name, "Router");
    await page.goto(`${app.url}/checks/${id}/edit`);
    const name = page.getByLabel("Name", { exact: true });
    await name.waitFor(patience);
    assert.equal(await name.inputValue(), "Router", "what was given up is gone");
    await opened.close();
  });

  test("a pasted list creates a check for each valid line, once, and reports the invalid lines", {
    isLong: true,
  }, async () => {
    const good = Array.from({ length: 17 }, (_, index) => `host-${index}.example.com`);
    const bad = ["nothing that is a target", "db.example.com:99999", `http://${"a".repeat(300)}/`];
    bad.push("https://anna:hunter2@shop.example.com/");
    const opened = await openApplication(browser, app, {
      path: "/checks/new?tab=list",
      width: 390,
      colorScheme: "dark",
      expects: [/ERR_CONNECTION_RESET/],
    });
    const { page } = opened;
    await page.getByLabel("Host names, IP addresses or URLs").fill([...good, ...bad].join("\n"));
    await page.getByText("1 line skipped").waitFor(patience);
    await opened.audit();
    assert.doesNotMatch(String(await page.evaluate("JSON.stringify(sessionStorage)")), /hunter2/);
    // The server creates them, but the response is lost.
    await page.route("**/v1/checks/many", async (route) => {
      await route.fetch();
      await route.abort("connectionreset");
    });
    await press(page, "Create 20 checks");
    await page.getByText("The server is unreachable.").waitFor(patience);
    await page.unroute("**/v1/checks/many");
    await press(page, "Create 20 checks");
    await page.getByText("17 created, 3 rejected.").waitFor(patience);
    assert.match(await page.locator("table").innerText(), /port must be between 1 and 65535/);
    await page.getByLabel("Target, Line 19").fill("db.example.com:5432");
    await press(page, "Retry the 3 rejected");
    await page.getByText("18 created, 2 rejected.").waitFor(patience);
    await opened.audit();
    const { body } = await app.call("GET", "/v1/checks?limit=100&search=host-");
    assert.equal(body.length, 17);
    await opened.close();
  });

  test("a check is duplicated, and deleted only after a confirmation that names the loss", {
    isLong: true,
  }, async () => {
    const id = await createCheck({ name: "Original", tags: ["kept"] });
    const opened = await openApplication(browser, app, { path: `/checks/${id}/edit` });
    const { page } = opened;
    await page.getByRole("link", { name: "Duplicate" }).click();
    const name = page.getByLabel("Name", { exact: true });
    await page.waitForURL(/from=/, patience);
    await waitUntil("the copy is shown", async () => {
      return (await name.inputValue()) === "Original (copy)";
    });
    await press(page, "Create");
    const copy = await read(await waitForCheck(page));
    assert.deepEqual([copy.name, copy.tags], ["Original (copy)", ["kept"]]);
    await page.goto(`${app.url}/checks/${id}/edit`);
    await press(page, "Delete");
    const dialog = page.getByRole("dialog", { name: "Delete this check?" });
    await dialog.getByText(/“Original” is deleted with all its results/).waitFor(patience);
    await dialog.getByRole("button", { name: "Delete check" }).click();
    await page.waitForURL(/\/checks(?:\?.*)?$/, patience);
    assert.equal((await app.call("GET", `/v1/checks/${id}`)).status, 404);
    await opened.close();
  });

  const targets: Readonly<Record<string, string>> = {
    API: "https://api.example.com/v1",
    DNS: "www.example.com",
    ICMP: "router.example.com",
    SSL: "shop.example.com",
    TCP: "db.example.com:5432",
    URL: "https://shop.example.com/health",
  };

  /** Check types with their own fields; the others use a subset of these. */
  const hasOwnParts = new Set(["API", "SSL", "HEARTBEAT"]);

  // The forms of the kinds share their parts; that of API has most of them.
  for (const { type } of allKinds.filter((kind) => isLongRun || kind.type === "API")) {
    test(`${type}: a new check has the API's defaults with a frequency of one minute, and saving it again changes nothing`, async () => {
      const path = `/checks/new?kind=${type}`;
      const opened = await openApplication(browser, app, { path, colorScheme: "dark" });
      const { page } = opened;
      if (targets[type]) await target(page).fill(targets[type]);
      await page.getByLabel("Name", { exact: true }).fill("Made in a browser");
      await page.getByRole("main").getByText("More", { exact: true }).click();
      await page.getByLabel("Active").uncheck();
      if (hasOwnParts.has(type)) await opened.audit();
      await press(page, "Create");
      const id = await waitForCheck(page);
      const made = await read(id);
      const minimal = minimise(type, made);
      const alone = await app.call("POST", "/v1/checks", { body: minimal });
      assert.equal(alone.status, 201, alone.text);
      assert.equal(withoutIds(made), withoutIds(alone.body));
      await page.goto(`${app.url}/checks/${id}/edit`);
      await page.getByRole("main").getByText("More", { exact: true }).waitFor(patience);
      await press(page, "Save");
      await waitForCheck(page);
      assert.equal(withoutIds(await read(id)), withoutIds(made));
      await opened.close();
    });
  }

  test("a read-only user gets a message and no form", { isLong: true }, async () => {
    const id = await createCheck();
    for (const path of ["/checks/new", `/checks/${id}/edit`]) {
      const opened = await openApplication(browser, app, { path, role: "READ_ONLY" });
      await opened.page.getByText("You cannot change checks").waitFor(patience);
      assert.equal(await opened.page.locator("form").count(), 0);
      await opened.audit();
      await opened.close();
    }
  });
});

type Made = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Returns the minimal equivalent API request. */
function minimise(checkType: string, { request = {}, heartbeat = {} }: Made): object {
  const { url, hostname, port: number, query, recordType, method, sslConfig } = request;
  const { period, periodUnit } = heartbeat;
  const host = (sslConfig as { hostname?: string } | undefined)?.hostname;
  const own = { url, hostname, port: checkType === "TCP" ? number : undefined, query, recordType };
  return {
    checkType,
    name: "Made in a browser",
    activated: false,
    ...(checkType === "HEARTBEAT"
      ? { heartbeat: { period, periodUnit } }
      : {
          // The application proposes one minute; the API defaults to ten.
          frequency: 1,
          request: {
            ...own,
            ...(checkType === "API" && { method }),
            ...(host !== undefined && { sslConfig: { hostname: host } }),
          },
        }),
  };
}

/** Ids, tokens and the modification time may differ; nothing else. */
function withoutIds(check: object): string {
  return JSON.stringify({ ...check, updated_at: null }).replaceAll(
    /[0-9a-f]{8}-[0-9a-f-]{27}/g,
    "an id",
  );
}
