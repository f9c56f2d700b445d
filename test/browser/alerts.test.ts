/** Alerts live, and push to devices. The rest is in `web/alerts/alerts.test.tsx`. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { systemClock } from "../../src/platform/clock.ts";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
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
  test("an alert shows its runs, reason, delivery attempts, replay, acknowledgement and recovery live", {
    isLong: true,
  }, async () => {
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
    await page.getByText("1 failed run is enough for an alert.").waitFor();
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
