/** The first steps of an account, and the page of a heartbeat check. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser } from "playwright-core";
import { systemClock } from "../../src/platform/clock.ts";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { test } from "../support/long-run.ts";

let app: TestApp;
let browser: Browser;

before(async () => {
  if (noBrowser !== false) return;
  app = await startTestApp({}, { clock: systemClock });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await app?.stop();
});

const patience = { timeout: 30_000 };

async function create(path: string, body: object) {
  const made = await app.call("POST", path, { body });
  assert.equal(made.status, 201, made.text);
  return made.body;
}

describe("the first steps", { skip: noBrowser }, () => {
  test("lead to a check, a channel and a status page, and stay until all three exist", async () => {
    const opened = await openApplication(browser, app, { path: "/", width: 390 });
    const { page } = opened;
    const steps = page.getByRole("region", { name: "First steps" });
    const links = [
      ["Add a check", "/checks/new"],
      ["Add a channel", "/alerts/channels"],
      ["Create a status page", "/status-pages/new"],
    ] as const;
    for (const [name, href] of links) {
      assert.equal(await steps.getByRole("link", { name }).getAttribute("href"), href);
    }
    await opened.audit();
    const request = { hostname: "127.0.0.1" };
    await create("/v1/checks", { checkType: "ICMP", name: "Own", activated: false, request });
    const channel = { type: "EMAIL", config: { address: "ops@example.com" } };
    await create("/v1/alert-channels", channel);
    await page.reload();
    await steps.getByRole("link", { name: "Create a status page" }).waitFor(patience);
    assert.equal(await steps.getByText("Done").count(), 2);
    const feed = page.getByRole("region", { name: "Last 24 hours" });
    await feed.getByText("ops@example.com").waitFor(patience);
    await create("/v1/status-pages", { name: "Ours", url: "ours", cards: [] });
    await page.reload();
    await page.getByRole("heading", { name: "Last 24 hours" }).waitFor(patience);
    assert.equal(await steps.count(), 0);
    await opened.close();
  });
});

describe("the page of a heartbeat", { skip: noBrowser }, () => {
  test("has commands to copy and waits for the first ping, without run metrics", {
    isLong: true,
  }, async () => {
    const { id, heartbeat } = await create("/v1/checks/heartbeat", {
      name: "Nightly backup",
      heartbeat: { period: 1, periodUnit: "hours", grace: 5, graceUnit: "minutes" },
    });
    const opened = await openApplication(browser, app, { path: `/checks/${id}` });
    const { page } = opened;
    await page.getByText("Waiting for the first ping.").waitFor(patience);
    const curl = `curl -fsS -m 10 --retry 5 --retry-connrefused -o /dev/null ${heartbeat.pingUrl}`;
    await page.getByText(curl, { exact: true }).waitFor(patience);
    await page.getByText(`0 * * * * /path/to/job; ${curl}/$?`).waitFor(patience);
    await page.getByText(/^\[Service\]/).waitFor(patience);
    for (const name of ["script", "crontab", "systemd"]) {
      await page
        .getByRole("button", { name: new RegExp(`^Copy the lines? for .*${name}$`) })
        .waitFor();
    }
    await opened.audit();
    const main = page.getByRole("main");
    assert.doesNotMatch(
      await main.innerText(),
      /run the check now|Run now|P50|P95|P99|No runs in this range/i,
    );

    const pinged = await fetch(new URL(new URL(heartbeat.pingUrl).pathname, app.url));
    assert.equal(pinged.status, 200);
    await page.getByRole("heading", { name: "Runs" }).waitFor(patience);
    await page.getByText("Availability").first().waitFor(patience);
    assert.doesNotMatch(await main.innerText(), /Waiting for the first ping|P50|P95|P99/);
    await page.getByText(curl, { exact: true }).waitFor({ state: "hidden" });
    await opened.close();
  });
});
