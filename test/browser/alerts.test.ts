/** Alerts: details, channels and devices. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { systemClock } from "../../src/platform/clock.ts";
import { ownerPassword, startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { test } from "../support/long-run.ts";
import { findFreePort } from "../support/servers/free-port.ts";
import { type HttpReceiver, startHttpReceiver } from "../support/servers/http-receiver.ts";
import { createPushReceiver } from "../support/servers/push-receiver.ts";
import { waitUntil } from "../support/time/wait-until.ts";

let app: TestApp;
let browser: Browser;
let http: HttpReceiver;
let target: Server;
let port: number;
let checkId: string;
/** Cleanup functions, because test hooks cannot be registered inside a hook. */
const ends: (() => void)[] = [];
const name = "db-1 <b>fra</b>";

before(async () => {
  if (noBrowser !== false) return;
  app = await startTestApp({ OUTBOUND_ALLOW_PRIVATE: "true" }, { clock: systemClock });
  http = await startHttpReceiver({ after: (end) => ends.push(end as () => void) });
  browser = await launchBrowser();
  port = await findFreePort();
  target = createServer((socket) => socket.end()).listen(port, "127.0.0.1");
  await once(target, "listening");
  const config = { name: "pager", url: `${http.url}/pager`, method: "POST" };
  await app.call("POST", "/v1/alert-channels", { body: { type: "WEBHOOK", config } });
  const request = { hostname: "127.0.0.1", port };
  const body = { name, request, frequency: 1440, retryStrategy: null };
  checkId = (await app.call("POST", "/v1/checks/tcp", { body })).body.id;
  await run();
});
after(async () => {
  await browser?.close();
  await app?.stop();
  target?.close();
  for (const end of ends) end();
});

async function run(): Promise<void> {
  const body = { target: { checkId: [checkId] } };
  const { body: triggered } = await app.call("POST", "/v2/check-sessions/trigger", { body });
  const id = triggered.sessions[0].checkSessionId;
  await app.call("GET", `/v2/check-sessions/${id}/completion`);
}

async function setTarget(isUp: boolean): Promise<void> {
  const done = once(target, isUp ? "listening" : "close");
  if (isUp) target.listen(port, "127.0.0.1");
  else target.close();
  await done;
}

const button = (page: Page, called: string | RegExp) => page.getByRole("button", { name: called });
const link = (page: Page, called: string | RegExp) => page.getByRole("link", { name: called });

describe("alerts", { skip: noBrowser }, () => {
  test("an alert shows its runs, reason, delivery attempts, replay, acknowledgement and recovery live", async () => {
    http.respond = () => ({ status: 410 });
    await setTarget(false);
    await run();
    const opened = await openApplication(browser, app);
    const { page } = opened;
    await link(page, "Open alert").click();
    await page.waitForURL(/\/alerts\/[0-9a-f-]{36}$/);
    await page.getByRole("heading", { name }).waitFor();
    const runs = page.locator("section").filter({ hasText: "Runs that led to it" });
    await runs
      .getByText(/refused/)
      .first()
      .waitFor();
    await page.getByText("A run failed; the rules require 1.").waitFor();
    await page.getByText("not delivered").waitFor();
    await page.getByText("The webhook answered 410.").waitFor();
    await opened.audit();
    http.respond = () => ({ status: 200 });
    await button(page, /^Send again/).click();
    await page.getByText("answered 200", { exact: true }).waitFor();
    await page.getByText("2 attempts").click();
    await page.getByText(/sent again by owner@example\.com/).waitFor();
    await button(page, `Acknowledge ${name}`).click();
    await page.getByText("acknowledged by").first().waitFor();
    await button(page, "Mute").click();
    await button(page, "Unmute").click();
    await button(page, "Mute").waitFor();
    assert.ok(await link(page, "Create incident").isVisible());
    assert.ok(await link(page, "All alerts").isVisible());
    await setTarget(true);
    await run();
    await page.getByText("It passed again.").waitFor();
    await page.getByText(/^lasted/).waitFor();
    await opened.audit();
    await opened.close();
  });

  test("an alert opens from the list and the check's page, on a phone and in dark mode, without actions for a read-only user", {
    isLong: true,
  }, async () => {
    const opened = await openApplication(browser, app, {
      path: "/alerts",
      width: 390,
      colorScheme: "dark",
      role: "READ_ONLY",
    });
    const { page } = opened;
    await link(page, /Failing db-1/)
      .last()
      .click();
    await page.getByText("A run failed; the rules require 1.").waitFor();
    assert.equal(await button(page, /^(Acknowledge|Send again)/).count(), 0);
    await opened.audit();
    await page.goto(`${app.url}/checks/${checkId}?tab=alerts`);
    await link(page, "Started failing").click();
    await page.getByText("A run failed; the rules require 1.").waitFor();
    await page.goto(`${app.url}/alerts/0198c1f0-0000-7000-8000-000000000000`);
    await page.getByText(/Alert not found/).waitFor();
    opened.expect(/status of 404/);
    await opened.audit();
    await opened.close();
  });

  test("a channel lists its checks, a switch changes them, and the alert settings are described in sentences", {
    isLong: true,
  }, async () => {
    const config = { name: "night", url: `${http.url}/night`, method: "POST" };
    const body = { type: "WEBHOOK", config };
    const { id } = (await app.call("POST", "/v1/alert-channels", { body })).body;
    const opened = await openApplication(browser, app, { path: `/alerts/channels/${id}` });
    const { page } = opened;
    await page.getByText(/Nothing sends here yet/).waitFor();
    await opened.audit();
    await page.getByLabel("Show").selectOption("all");
    const sends = page.getByRole("switch", { name: `${name} sends here` });
    // The input itself is visually hidden.
    await sends.check({ force: true });
    await waitUntil("the server has saved it", async () => {
      const { body: channel } = await app.call("GET", `/v1/alert-channels/${id}`);
      return channel.subscriptions.some((one: { checkId: string }) => one.checkId === checkId);
    });
    await page.goto(`${app.url}/settings/alerts`);
    await button(page, "Add a stage").click();
    await page.getByText(/this stage has no channel/).waitFor();
    await page.getByLabel("Webhook: night").check();
    await page
      .getByText(/15 minutes after it was first sent, Webhook: night is notified too/)
      .waitFor();
    await button(page, "Save").click();
    await page.getByText("Saved").first().waitFor();
    await opened.audit();
    await opened.close();
    const { body: settings } = await app.call("GET", "/v1/alert-settings");
    assert.deepEqual(settings.escalationStages, [{ afterMinutes: 15, alertChannelIds: [id] }]);
  });

  test("the link in a notification leads through sign-in to the alert", {
    isLong: true,
  }, async () => {
    const { body } = http.requests.findLast(({ path }) => path === "/pager") ?? { body: "{}" };
    const { pathname } = new URL(JSON.parse(body).alertUrl);
    const opened = await openApplication(browser, app, { path: pathname, role: null });
    const { page } = opened;
    await page.getByLabel("Email").fill("owner@example.com");
    await page.getByRole("textbox", { name: "Password" }).fill(ownerPassword);
    await button(page, "Sign in").click();
    await page.getByRole("heading", { name }).waitFor();
    assert.equal(new URL(page.url()).pathname, pathname);
    await opened.close();
  });

  test("a new channel can be connected to all existing checks", {
    isLong: true,
  }, async () => {
    const opened = await openApplication(browser, app, {
      path: "/alerts/channels/new?type=WEBHOOK",
      width: 390,
    });
    const { page } = opened;
    const connects = page.getByRole("switch", { name: "Send alerts of the existing check here" });
    await connects.waitFor();
    assert.equal(await connects.isChecked(), false, "it is not the first channel");
    await connects.check({ force: true });
    await page.getByLabel("Name").fill("late");
    await page.getByLabel("URL").fill(`${http.url}/late`);
    await button(page, "Save channel").click();
    await page.getByRole("heading", { name: "The channel was saved" }).waitFor();
    await page.getByText("Alerts of 1 check or group are sent here.").waitFor();
    await opened.audit();
    await button(page, "Disconnect all").click();
    await page.getByText("1 check disconnected.").waitFor();
    await page.getByText(/Nothing sends here yet/).waitFor();
    await button(page, "Send alerts of the existing check here").click();
    await page.getByText("1 check connected.").waitFor();
    await page.getByRole("switch", { name: `${name} sends here` }).waitFor();
    await opened.audit();
    await opened.close();
  });

  test("every channel type has a usable form, in light and dark mode", {
    isLong: true,
  }, async () => {
    const { body: kinds } = await app.call("GET", "/v1/alert-channels/kinds");
    const opened = await openApplication(browser, app, { path: "/alerts/channels/new" });
    const { page } = opened;
    await link(page, "Home Assistant").waitFor();
    await opened.audit();
    for (const [place, { type, configSchema }] of kinds.entries()) {
      await page.emulateMedia({ colorScheme: place % 2 === 0 ? "light" : "dark" });
      await page.goto(`${app.url}/alerts/channels/new?type=${type}`);
      await button(page, "Send test").waitFor();
      assert.equal(
        await page.locator("form [required]").count(),
        configSchema.required.length,
        `${type} asks for what it needs`,
      );
      await opened.audit();
    }
    await opened.close();
  });

  test("a device turns push on, its push service receives encrypted messages, and the worker shows them", async () => {
    const device = createPushReceiver();
    const { p256dh, auth } = device;
    const opened = await openApplication(browser, app, { path: "/alerts", context: {} });
    const { page } = opened;
    // Replaces the vendor's push service with one on loopback, and grants the permission, which a
    // headless browser cannot.
    const given = JSON.stringify({ endpoint: `${http.url}/push/one`, keys: { p256dh, auth } });
    await page.addInitScript(`{
      let own = null;
      Object.defineProperty(Notification, "permission", { get: () => "granted" });
      Notification.requestPermission = async () => "granted";
      PushManager.prototype.getSubscription = async () => own;
      PushManager.prototype.subscribe = async () =>
        (own = { toJSON: () => (${given}), unsubscribe: async () => true });
    }`);
    await page.goto(`${app.url}/settings/devices`);
    await button(page, "Turn on for this device").click();
    await page.getByText("Notifications are on for this device.").waitFor();
    await page.getByText("No alert channel sends to devices yet").waitFor();
    await opened.audit();
    const body = { type: "WEBPUSH", config: { name: "Phones" } };
    const { id } = (await app.call("POST", "/v1/alert-channels", { body })).body;
    http.respond = () => ({ status: 201, body: "" });
    const { body: sent } = await app.call("POST", `/v1/alert-channels/${id}/test`);
    assert.equal(sent.outcome, "sent");
    const pushed = http.requests.findLast(({ path }) => path === "/push/one");
    const data = device.decrypt(pushed?.bytes ?? Buffer.alloc(0));
    assert.equal(await showByWorker(page, data), "Vedette: test message");
    await button(page, /^Remove /).click();
    await page.getByText("No devices yet").waitFor();
    await opened.close();
  });
});

/** Returns the title that the service worker shows for a push message. */
async function showByWorker(page: Page, data: string): Promise<string> {
  const known = page.context().waitForEvent("serviceworker");
  known.catch(() => {});
  const worker = page.context().serviceWorkers()[0] ?? (await known);
  await worker.evaluate(`self.shown = [];
    ServiceWorkerRegistration.prototype.showNotification = async (title) => shown.push(title)`);
  const session = await page.context().newCDPSession(page);
  const registered = Promise.withResolvers<string>();
  session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
    const [first] = registrations;
    if (first !== undefined) registered.resolve(first.registrationId);
  });
  await session.send("ServiceWorker.enable");
  const registrationId = await registered.promise;
  await session.send("ServiceWorker.deliverPushMessage", {
    origin: app.url,
    registrationId,
    data,
  });
  let title = "";
  await waitUntil("it is shown", async () => {
    title = await worker.evaluate("self.shown[0] ?? ''");
    return title !== "";
  });
  return title;
}
