/**
 * Dashboards over hours, with a controlled browser clock, in the long run only. The rest is in
 * `src/screens/dashboards/view/dashboard-script.test.ts`.
 */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startApp } from "../../src/app/app.ts";
import { parseConfig } from "../../src/config.ts";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { captureLog } from "../support/apps/log.ts";
import { launchBrowser, noBrowser, openPage } from "../support/browsers/browser.ts";
import { isLook, watchLooks } from "../support/browsers/dashboard-looks.ts";
import { isLongRun, test } from "../support/long-run.ts";
import { addDashboard, addDashboardChecks, writeStates } from "../support/modules/dashboards.ts";
import { findFreePort } from "../support/servers/free-port.ts";
import { waitUntil } from "../support/time/wait-until.ts";

const skip = noBrowser;
const checkCount = 300;

let app: TestApp;
let browser: Browser;
let ids: string[];
before(async () => {
  if (noBrowser !== false || !isLongRun) return;
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  browser = await launchBrowser();
  ids = await addDashboardChecks(
    app,
    Array.from({ length: checkCount }, (_, n) => ({
      name: `host ${String(n).padStart(3, "0")}`,
      status: "passing" as const,
      tags: n < 3 ? ["few"] : [],
    })),
  );
});
after(async () => {
  await browser?.close();
  await app?.stop();
});

/**
 * An event stream whose keep-alives follow the page's clock; the real one would seem silent for
 * minutes.
 */
const steadyStream = `window.EventSource = class extends EventTarget {
  constructor() {
    super();
    setTimeout(() => this.onopen?.(), 0);
    setInterval(() => this.dispatchEvent(new Event("beat")), 20_000);
  }
  close() {}
}`;

/** Opens a dashboard with stopped timers, so that the age of the page depends only on the test. */
async function showFrozen(body: Readonly<Record<string, unknown>>) {
  const dashboard = await addDashboard(app, body);
  const opened = await openPage(browser, { viewport: { width: 1920, height: 1080 } });
  const { page, requested } = opened;
  const settle = watchLooks(page);
  await page.addInitScript(steadyStream);
  const now = app.clock.now();
  // `pauseAt` needs a future time, so the clock starts earlier.
  await page.clock.install({ time: new Date(now.getTime() - 600_000) });
  await page.clock.pauseAt(now);
  await page.goto(`${app.url}${dashboard.path}`);
  // The page fetches once on load to catch up with changes.
  await waitUntil("it polled once", async () => {
    await page.clock.runFor(260);
    return requested.some(isLook);
  });
  await page.getByText("Live").waitFor();
  await settle();
  requested.splice(0);
  return { ...opened, dashboard, settle };
}

const pageOf = async (page: Page) => Number(await page.locator(".board").getAttribute("data-page"));
test("overflowing content is shown screen by screen, and pauses while somebody reads", {
  isLong: true,
  skip,
}, async () => {
  const { page, close } = await showFrozen({
    paginate: false,
    paginationRate: 30,
    refreshRate: 600,
  });
  const numberOn = async () => (await page.locator(".page-number").textContent()) ?? "";
  const [, count = ""] = /^Screen 1 of (\d+)$/.exec(await numberOn()) ?? [];
  const screens = Number(count);
  assert.ok(screens > 10, count);
  const seen = new Set<string>();
  for (let screen = 1; screen <= screens; screen += 1) {
    assert.equal(await numberOn(), `Screen ${screen} of ${screens}`);
    const whole: string[] = await page.evaluate(`(() => {
      const top = document.querySelector(".headings").getBoundingClientRect().bottom;
      const bottom = document.querySelector(".pages").getBoundingClientRect().top;
      return [...document.querySelectorAll(".check")].filter((one) => {
        const box = one.getBoundingClientRect();
        return box.top >= top - 1 && box.bottom <= bottom + 1;
      }).map((one) => one.querySelector(".check-name").textContent);
    })()`);
    for (const name of whole) seen.add(name);
    await page.clock.runFor(30_000);
  }
  assert.equal(seen.size, checkCount, "every check was on a screen, whole");
  assert.equal(await numberOn(), `Screen 1 of ${screens}`, "and it begins again");
  await page.mouse.move(500, 500);
  await page.clock.runFor(30_000);
  assert.equal(await numberOn(), `Screen 1 of ${screens}`, "it waits while the mouse is used");
  await page.clock.runFor(60_000);
  assert.notEqual(await numberOn(), `Screen 1 of ${screens}`, "and goes on after that");
  const before = await numberOn();
  await page.getByRole("button", { name: "Pause" }).evaluate((button) => button.click());
  await page.clock.runFor(120_000);
  assert.equal(await numberOn(), before, "Pause holds it");
  await close();
});

/** Counts what could grow over a long time. */
async function countMemory(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  await session.send("Performance.enable");
  const { metrics } = await session.send("Performance.getMetrics");
  await session.detach();
  const find = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return [find("Nodes"), find("JSEventListeners"), find("JSHeapUsedSize")] as const;
}

test("after two hours in TV mode, changes are shown, and neither nodes nor memory grow", {
  isLong: true,
  skip,
}, async () => {
  const { page, complaints, settle, close } = await showFrozen({
    paginationRate: 300,
    refreshRate: 300,
  });
  let before: Awaited<ReturnType<typeof countMemory>> | null = null;
  const shown = new Set<number>();
  let words = `All ${checkCount} checks are passing`;
  for (let step = 1; step <= 24; step += 1) {
    // Something changes every half hour.
    if (step % 6 === 0) {
      const status = step % 12 === 6 ? ("failing" as const) : ("passing" as const);
      words = status === "failing" ? "1 failing" : `All ${checkCount} checks are passing`;
      await writeStates(app, [{ id: ids[29] ?? "", status }]);
    }
    await page.clock.runFor(300_000);
    await waitUntil(`step ${step} says ${words}`, async () => {
      // The online event makes the page poll without advancing its clock.
      await page.evaluate('dispatchEvent(new Event("online"))');
      await settle();
      return ((await page.locator(".counts").textContent()) ?? "").includes(words);
    });
    shown.add(await pageOf(page));
    if (step === 22) before = await countMemory(page);
  }
  assert.ok(shown.size >= 10, `pages ${[...shown].join()}`);
  const later = await countMemory(page);
  // Every visited page is cached for offline use; by now most have been visited.
  for (const [index, value] of later.entries()) {
    assert.ok(value <= (before?.[index] ?? 0) * 1.4, JSON.stringify([before, later]));
  }
  assert.deepEqual(complaints, []);
  await writeStates(app, [{ id: ids[29] ?? "", status: "passing" }]);
  await close();
});

test("a dashboard reconnects after the server restarts", { isLong: true, skip }, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "vedette-restart-"));
  // Servers that share a database need the same key.
  const sealingKey = await readFile(join(app.dataDir, "encryption.key"), "utf8");
  const { log, text } = captureLog();
  const start = (port: string) =>
    startApp(
      parseConfig({
        PORT: port,
        DATABASE_URL: app.databaseUrl,
        DATA_DIR: dataDir,
        ENCRYPTION_KEY: sealingKey,
        BUILT_IN_PROBE: "false",
        RATE_LIMIT_PER_MINUTE: "0",
      }),
      { clock: app.clock, log },
    );
  const first = await start(String(await findFreePort()));
  const port = new URL(first.url).port;
  const { path } = await addDashboard(app, { tags: ["few"], isPrivate: false });
  const { page, close } = await openPage(browser);
  await page.goto(`${first.url}${path}`);
  await page.getByText("Live").waitFor();
  await first.stop();
  assert.doesNotMatch(text(), /aborting requests/, "open dashboards do not delay a stop");
  await page.evaluate("window.stillTheSamePage = true");
  await page.getByText("No connection").waitFor();
  assert.equal(await page.locator(".check").count(), 3);
  await writeStates(app, [{ id: ids[1] ?? "", status: "failing" }]);
  const second = await start(port);
  await page.locator(".check-failing").waitFor();
  await page.getByText("Live").waitFor();
  assert.equal(await page.evaluate("window.stillTheSamePage"), true);
  await close();
  await second.stop();
  await rm(dataDir, { recursive: true, force: true });
  await writeStates(app, [{ id: ids[1] ?? "", status: "passing" }]);
});
