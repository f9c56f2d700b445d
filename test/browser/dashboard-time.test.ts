/** Dashboards over time, with a controlled browser clock. */
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
import { test } from "../support/long-run.ts";
import { addDashboard, addDashboardChecks, writeStates } from "../support/modules/dashboards.ts";
import { findFreePort } from "../support/servers/free-port.ts";
import { waitUntil } from "../support/time/wait-until.ts";

const skip = noBrowser;
const checkCount = 300;

let app: TestApp;
let browser: Browser;
let ids: string[];
before(async () => {
  if (noBrowser !== false) return;
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

/** Simulates a proxy that accepts the request and drops it. */
const droppedStream = `window.streams = 0;
window.EventSource = class {
  constructor() {
    window.streams += 1;
    setTimeout(() => {
      this.onopen?.();
      this.onerror?.();
    }, 0);
  }
  addEventListener() {}
  close() {}
}`;

/** Opens a dashboard with stopped timers, so that the age of the page depends only on the test. */
async function showFrozen(
  body: Readonly<Record<string, unknown>>,
  stream: string | null = steadyStream,
) {
  const dashboard = await addDashboard(app, body);
  const opened = await openPage(browser, { viewport: { width: 1920, height: 1080 } });
  const { page, requested } = opened;
  const settle = watchLooks(page);
  if (stream === null) await page.route("**/events", (route) => route.abort());
  else await page.addInitScript(stream);
  const now = app.clock.now();
  // `pauseAt` needs a future time, so the clock starts earlier.
  await page.clock.install({ time: new Date(now.getTime() - 600_000) });
  await page.clock.pauseAt(now);
  await page.goto(`${app.url}${dashboard.path}`);
  // With or without a stream, the page fetches once on load to catch up with changes.
  await waitUntil("it polled once", async () => {
    await page.clock.runFor(260);
    return requested.some(isLook);
  });
  if (stream === steadyStream) await page.getByText("Live").waitFor();
  await settle();
  requested.splice(0);
  return { ...opened, dashboard, settle };
}

const pageOf = async (page: Page) => Number(await page.locator(".board").getAttribute("data-page"));
const firstOn = async (page: Page) =>
  (await page.locator(".check-name").first().textContent()) ?? "";

test("300 checks in pages of 15 rotate every 30 seconds, in order, and start again", {
  isLong: true,
  skip,
}, async () => {
  const { page, requested, close } = await showFrozen({
    checksPerPage: 15,
    paginationRate: 30,
    refreshRate: 600,
  });
  assert.equal(await pageOf(page), 1);
  await page.clock.runFor(20_000);
  assert.equal(await pageOf(page), 1);
  assert.equal(requested.filter((url) => url.includes("/view?page=2")).length, 0);
  await page.clock.runFor(10_000);
  for (let turn = 1; turn <= 20; turn += 1) {
    const next = (turn % 20) + 1;
    await waitUntil(`page ${next} is shown`, async () => (await pageOf(page)) === next);
    assert.equal(await firstOn(page), `host ${String((next - 1) * 15).padStart(3, "0")}`);
    assert.equal(await page.locator(".check").count(), 15);
    await page.clock.runFor(30_000);
  }
  const looks = requested
    .filter((url) => url.includes("/view?page="))
    .map((url) => Number(url.split("=")[1]))
    // A poll due at the same time as a rotation requests the page that is still shown.
    .filter((number, index, all) => number !== all[index - 1]);
  assert.deepEqual(looks.slice(0, 20), [...Array.from({ length: 19 }, (_, n) => n + 2), 1]);
  await close();
});

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

for (const refreshRate of [60, 300] as const) {
  test(`a dashboard polls every ${refreshRate} seconds, and not earlier`, {
    skip,
  }, async () => {
    const { page, requested, close } = await showFrozen({ tags: ["few"], refreshRate });
    const looks = () => requested.filter((url) => url.includes("/view")).length;
    await page.clock.runFor((refreshRate - 10) * 1_000);
    assert.equal(looks(), 0);
    await page.clock.runFor(10_000);
    await waitUntil("it polled", () => looks() === 1);
    await page.clock.runFor(refreshRate * 1_000);
    await waitUntil("it polled again", () => looks() === 2);
    await close();
  });
}

test("the layout does not shift while the age of the data grows", { skip }, async () => {
  const { page, close } = await showFrozen({ tags: ["few"], refreshRate: 600 });
  const placeOf = async () => (await page.locator(".freshness-dot").boundingBox())?.x;
  const before = await placeOf();
  await page.clock.runFor(30_000);
  await page.getByText(/^Live, [1-9]\d s ago$/).waitFor();
  assert.equal(await placeOf(), before);
  await close();
});

test("the initial poll of a dashboard does not change the page", { skip }, async () => {
  const dashboard = await addDashboard(app, { tags: ["few"] });
  const { page, close } = await openPage(browser);
  await page.addInitScript(`addEventListener("DOMContentLoaded", () => {
    document.querySelector(".board").isTheFirst = true;
  })`);
  const looked = page.waitForResponse((answer) => answer.url().includes("/view"));
  await page.goto(`${app.url}${dashboard.path}`);
  await (await looked).finished();
  await page.getByText("Live").waitFor();
  assert.equal(await page.evaluate('document.querySelector(".board").isTheFirst'), true);
  await writeStates(app, [{ id: ids[0] ?? "", status: "failing" }]);
  await page.locator(".check-failing").waitFor();
  assert.equal(await page.evaluate('document.querySelector(".board").isTheFirst'), undefined);
  await writeStates(app, [{ id: ids[0] ?? "", status: "passing" }]);
  await close();
});

test("without a stream it polls every 15 seconds", { skip }, async () => {
  const { page, requested, settle, close } = await showFrozen(
    { tags: ["few"], refreshRate: 600 },
    null,
  );
  const looks = () => requested.filter((url) => url.includes("/view")).length;
  await writeStates(app, [{ id: ids[0] ?? "", status: "failing" }]);
  await page.clock.runFor(15_000);
  await waitUntil("it sent a request", () => looks() >= 1);
  // The server's cached page may briefly be older than the state.
  await waitUntil("it shows the state", async () => {
    await settle();
    if ((await page.locator(".check-failing").count()) > 0) return true;
    await page.clock.runFor(15_000);
    return false;
  });
  await page.clock.runFor(1_000);
  assert.match((await page.locator(".freshness-text").textContent()) ?? "", /^Updated/);
  await writeStates(app, [{ id: ids[0] ?? "", status: "passing" }]);
  await close();
});

test("a stream that is dropped as soon as it opens is retried with increasing delays", {
  skip,
}, async () => {
  const { page, close } = await showFrozen({ tags: ["few"] }, droppedStream);
  await page.clock.runFor(60_000);
  assert.ok(Number(await page.evaluate("window.streams")) < 15);
  await close();
});

test("offline, it shows the cached pages with their age, keeps rotating, and recovers", {
  skip,
}, async () => {
  const { page, settle, close } = await showFrozen({
    checksPerPage: 15,
    paginationRate: 30,
    refreshRate: 60,
    tags: [],
  });
  await page.clock.runFor(30_000);
  await waitUntil("page 2 is shown", async () => (await pageOf(page)) === 2);
  await settle();
  await page.context().setOffline(true);
  await page.clock.runFor(30_000);
  await waitUntil("it shows that it is offline", async () =>
    /^No connection\. This is \d+ (s|min) old\.$/.test(
      (await page.locator(".freshness-text").textContent()) ?? "",
    ),
  );
  assert.equal(await page.locator(".check").count(), 15);
  // Which page it shows now depends on whether it had noticed the outage when it rotated.
  for (const known of [1, 2, 1]) {
    await waitUntil(`it turns to page ${known}, which it knows`, async () => {
      await page.clock.runFor(30_000);
      return (await pageOf(page)) === known;
    });
  }
  await page.clock.runFor(300_000);
  await waitUntil("the age grows", async () =>
    /This is \d+ min old/.test((await page.locator(".freshness-text").textContent()) ?? ""),
  );
  assert.equal(await page.locator(".check").count(), 15);
  await page.context().setOffline(false);
  await waitUntil("it is fresh again", async () => {
    await page.clock.runFor(30_000);
    return /^(Live|Updated)/.test((await page.locator(".freshness-text").textContent()) ?? "");
  });
  await close();
});

test("a dashboard ignores a page that is not from Vedette, and applies changes later", {
  skip,
}, async () => {
  const { page, dashboard, close } = await showFrozen({ tags: ["few"], header: "Before" });
  let asked = 0;
  // The error page of a proxy while the server starts.
  await page.route(`**${dashboard.path}`, (route) => {
    asked += 1;
    return route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad Gateway</h1>" });
  });
  await app.call("PUT", `/v1/dashboards/${dashboard.dashboardId}`, {
    body: { header: "Afterwards" },
  });
  await page.clock.runFor(60_000);
  await waitUntil("it requested its page", () => asked === 1);
  await page.clock.runFor(60_000);
  await waitUntil("it requested again", () => asked === 2);
  assert.equal(await page.locator(".check").count(), 3);
  await page.unroute(`**${dashboard.path}`);
  await page.clock.runFor(60_000);
  await page.getByRole("heading", { name: "Afterwards" }).waitFor();
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
