/** Settings and alert channels. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { reportRun } from "../support/apps/alerting-app.ts";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { makeCertificate } from "../support/certificates/make-certificate.ts";
import { test } from "../support/long-run.ts";
import { startHttpReceiver } from "../support/servers/http-receiver.ts";
import { waitUntil } from "../support/time/wait-until.ts";

let app: TestApp;
let browser: Browser;
before(async () => {
  if (noBrowser !== false) return;
  app = await startTestApp({ BUILT_IN_PROBE: "false", OUTBOUND_ALLOW_PRIVATE: "true" });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await app?.stop();
});

const sections = [
  "profile",
  "devices",
  "api-keys",
  "members",
  "variables",
  "client-certificates",
  "audit",
  "alerts",
  "agent",
  "servers",
  "about",
];
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

async function settle(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).last().waitFor();
  await page.getByText("Loading").first().waitFor({ state: "detached" });
}

describe("settings and alerts", { skip: noBrowser }, () => {
  test("a key is created, copied, used outside the browser, revoked and rejected", async () => {
    const opened = await openApplication(browser, app, { path: "/settings/api-keys" });
    const { page } = opened;
    await button(page, "New key").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("deploy <b>script</b>");
    await dialog.getByLabel("Role").selectOption("Read only");
    await button(page, "Create key").click();
    const key = (await dialog.locator("code").first().textContent()) ?? "";
    assert.match(key, /^vd_/);
    assert.match((await dialog.locator("code").nth(1).textContent()) ?? "", /^curl .*vd_/);
    const use = () =>
      fetch(`${app.url}/v1/check-statuses`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal((await use()).status, 200);
    await button(page, "I have copied it").click();
    const row = page.getByRole("row", { name: /deploy/ });
    await row.getByText("never").first().waitFor();
    await opened.audit();
    await row.getByRole("button", { name: /^Revoke/ }).click();
    await dialog.getByText("This cannot be undone").waitFor();
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await row.waitFor({ state: "detached" });
    assert.equal((await use()).status, 401);
    await opened.close();
  });

  test("a secret variable is changed without being read, and deleted by name", {
    isLong: true,
  }, async () => {
    const opened = await openApplication(browser, app, {
      path: "/settings/variables",
      expects: [/status of 400/],
    });
    const { page } = opened;
    await button(page, "New variable").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("7_TOKEN");
    await dialog.getByRole("textbox", { name: "Value" }).fill("hush-hush");
    await dialog.getByLabel("Visibility").selectOption("Secret (never shown again)");
    await button(page, "Save").click();
    await dialog.getByText(/must be letters, digits and underscores/i).waitFor();
    await dialog.getByLabel("Name").fill("API_TOKEN");
    await button(page, "Save").click();
    const row = page.getByRole("row", { name: /API_TOKEN/ });
    await row.getByText("hidden").waitFor();
    await row.getByRole("button", { name: /^Edit/ }).click();
    await dialog.getByText("A secret cannot be made visible").waitFor();
    assert.equal(await dialog.getByRole("textbox", { name: "Value" }).inputValue(), "");
    await opened.audit();
    const before = (await app.query("select sealed from variables")).rows[0];
    await button(page, "Save").click();
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual((await app.query("select sealed from variables")).rows[0], before);
    assert.equal((await page.content()).includes("hush-hush"), false);
    await row.getByRole("button", { name: /^Delete/ }).click();
    await dialog.getByText("{{API_TOKEN}}").waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("No variables yet").waitFor();
    await opened.close();
  });

  test("a client certificate is rejected with a wrong key, stored and deleted", {
    isLong: true,
  }, async () => {
    const { cert, key } = makeCertificate({ name: "probe" });
    const other = makeCertificate({ name: "other" });
    const path = "/settings/client-certificates";
    const opened = await openApplication(browser, app, {
      path,
      colorScheme: "dark",
      expects: [/status of 400/],
    });
    const { page } = opened;
    await button(page, "New certificate").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Host").fill("*.example.com");
    await dialog.getByRole("textbox", { name: "Certificate", exact: true }).fill(cert);
    await dialog.getByLabel("Private key").fill(other.key);
    await button(page, "Save").click();
    await dialog
      .getByText(/does not belong to the certificate/i)
      .first()
      .waitFor();
    await opened.audit();
    await dialog.getByLabel("Private key").fill(key);
    await button(page, "Save").click();
    const row = page.getByRole("row", { name: /\*\.example\.com/ });
    await row.getByRole("button", { name: /^Delete/ }).click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("No client certificate yet").waitFor();
    await opened.close();
  });

  test("the audit log is filtered by its address, shows before and after, and is downloaded", {
    isLong: true,
  }, async () => {
    await app.call("PATCH", "/v1/accounts/me", { body: { name: "Acme" } });
    await app.call("PATCH", "/v1/accounts/me", { body: { name: "=Acme two" } });
    const opened = await openApplication(browser, app, { path: "/settings/audit" });
    const { page } = opened;
    await page.getByLabel("Action").selectOption("account.updated");
    await page.waitForURL(/action=account\.updated/);
    const entry = button(page, /account updated =Acme two/);
    await entry.click();
    await page.getByRole("row", { name: /name Acme =Acme two/ }).waitFor();
    await opened.audit();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      button(page, "Export CSV").click(),
    ]);
    const text = await readFile(await download.path(), "utf8");
    assert.match(text, /^at,action,/);
    assert.equal(text.trimEnd().split("\r\n").length, 3, "the head and two entries");
    await page.getByLabel("Search all fields").fill("nothing like this");
    await page.getByText("No entries match").waitFor();
    await button(page, "Clear filters").click();
    await entry.waitFor();
    await opened.close();
  });

  test("a first channel is tested before it is saved, and shows the receiver's response", {
    isLong: true,
  }, async (t) => {
    const receiver = await startHttpReceiver(t, () => ({ status: 500, body: "no such hook" }));
    const opened = await openApplication(browser, app, { path: "/alerts/channels" });
    const { page } = opened;
    await page.getByText("No channels yet").waitFor();
    await opened.audit();
    await page.getByRole("link", { name: "Webhook" }).click();
    await page.getByLabel("Name").fill("Pager");
    opened.expect(/status of 400/);
    await button(page, "Send test").click();
    await page.getByText(/must be a URL that starts with http/i).waitFor();
    await page.getByLabel("URL").fill(`${receiver.url}/hook`);
    await button(page, "Send test").click();
    await page.getByText("no such hook").waitFor();
    await page.getByText(/Status 500/).waitFor();
    receiver.respond = () => ({ status: 200, body: "thank you" });
    await button(page, "Send test").click();
    await page.getByText("The test was delivered.").waitFor();
    await page.getByText("thank you").waitFor();
    await opened.audit();
    await button(page, "Save channel").click();
    await page.getByRole("heading", { name: "The channel was saved" }).waitFor();
    await opened.audit();
    assert.equal(JSON.parse(receiver.requests.at(-1)?.body ?? "{}").alertType, "ALERT_TEST");
    await opened.close();
  });

  test("the second of two users who edit a channel is warned, and nothing is overwritten", {
    isLong: true,
  }, async () => {
    const list = await app.call("GET", "/v1/alert-channels");
    const [channel] = list.body;
    const opened = await openApplication(browser, app, {
      path: `/alerts/channels/${channel.id}`,
      expects: [/status of 412/],
    });
    const { page } = opened;
    const name = page.getByRole("textbox", { name: "Name" });
    await name.fill("Mine");
    const theirs = { ...channel, config: { ...channel.config, name: "Theirs" } };
    await app.call("PUT", `/v1/alert-channels/${channel.id}`, { body: theirs });
    await button(page, "Save channel").click();
    const panel = page.getByRole("alert", { name: "Another user changed this channel" });
    await panel.getByRole("radio", { name: "Theirs" }).check();
    assert.equal(await name.inputValue(), "Mine");
    await opened.audit();
    await button(page, "Use selection").click();
    await waitUntil("their name is loaded", async () => (await name.inputValue()) === "Theirs");
    await page.getByText("Webhook: Theirs").waitFor();
    await opened.close();
  });

  test("an alert shows its notifications, is acknowledged, and deleting its channel names the affected checks", {
    isLong: true,
  }, async () => {
    const body = { name: "Router <i>", request: { hostname: "192.0.2.1" } };
    const { body: check } = await app.call("POST", "/v1/checks/icmp", { body });
    await reportRun(app, check.id, "failing");
    const opened = await openApplication(browser, app, { path: "/alerts", width: 390 });
    const { page } = opened;
    await button(page, "Acknowledge Router <i>").click();
    await page.getByText(/^acknowledged/).waitFor();
    await page.getByRole("link", { name: /Failing Router <i>/ }).click();
    await page.getByText(/^Webhook Theirs at/).waitFor();
    await opened.audit();
    await page.goto(`${app.url}/alerts/channels`);
    await button(page, "Delete Theirs").click();
    await page.getByRole("dialog").getByText("Router <i>").waitFor();
    await button(page, "Cancel").click();
    await opened.close();
  });

  test("the permissions of each role are shown as reported by the server", {
    isLong: true,
  }, async () => {
    const opened = await openApplication(browser, app, { path: "/settings/members" });
    const { page } = opened;
    await page.getByText("Show every operation").click();
    const { body } = await app.call("GET", "/v1/roles");
    const audit = body.operations.find(
      (one: { operationId: string }) => one.operationId === "listAuditEntries",
    );
    const row = page.getByRole("row", { name: /^Audit log/ });
    const cell = row.getByRole("cell").nth(3);
    assert.ok((await cell.textContent())?.includes(audit.summary));
    await opened.audit();
    await opened.close();
  });

  test("READ_ONLY is offered no write on any screen of a phone", { isLong: true }, async () => {
    const opened = await openApplication(browser, app, {
      role: "READ_ONLY",
      width: 390,
      colorScheme: "dark",
      path: "/alerts/channels",
    });
    const { page } = opened;
    const screens = ["/alerts", "/alerts/channels", ...sections.map((one) => `/settings/${one}`)];
    const writes =
      /^(Delete|Send test|Acknowledge|Send again|Invite|Remove|Withdraw|New channel|Export)/;
    for (const path of screens) {
      await page.goto(`${app.url}${path}`);
      await settle(page);
      assert.equal(await button(page, writes).count(), 0, path);
      assert.equal(await page.getByRole("link", { name: writes }).count(), 0, path);
      await opened.audit();
    }
    // Users may change their own name and keys.
    await page.goto(`${app.url}/settings/alerts`);
    await settle(page);
    assert.equal(await button(page, "Save").count(), 0);
    await opened.close();
  });
});
