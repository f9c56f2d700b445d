/** The script of a dashboard over time, with a controlled clock and without a browser. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../../test/support/apps/shared-app.ts";
import {
  addDashboard,
  addDashboardChecks,
  writeStates,
} from "../../../../test/support/modules/dashboards.ts";
import {
  openPublicPage,
  type PublicPage,
  type PublicPageOptions,
} from "../../../../test/support/pages/public-page.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";

const checkCount = 300;

let app: TestApp;
let ids: string[];
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  ids = await addDashboardChecks(
    app,
    Array.from({ length: checkCount }, (_, n) => ({
      name: `host ${String(n).padStart(3, "0")}`,
      status: "passing" as const,
      tags: n < 3 ? ["few"] : [],
    })),
  );
});
after(() => app.stop());

/** Opens a dashboard and waits for its initial poll. */
async function show(
  body: Readonly<Record<string, unknown>>,
  options: Partial<PublicPageOptions> = {},
) {
  const dashboard = await addDashboard(app, body);
  const page = await openPublicPage(`${app.url}${dashboard.path}`, {
    now: app.clock.now(),
    ...options,
  });
  await page.runFor(260);
  assert.ok(listPolls(page).length > 0, "it polls, to catch up with changes");
  page.requested.splice(0);
  return { page, dashboard };
}

const listPolls = ({ requested }: PublicPage) => requested.filter((url) => url.includes("/view"));
const pageOf = (page: PublicPage) => Number(page.get(".board").dataset.page);
const listNames = (page: PublicPage) => page.listTexts(".check-name");
const readFreshness = (page: PublicPage) => page.read(".freshness-text");
const setFirst = (status: "failing" | "passing") =>
  writeStates(app, [{ id: ids[0] ?? "", status }]);

/** The server's cached view may briefly be older than the state. */
async function pollUntil(page: PublicPage, what: string, isTrue: () => boolean): Promise<void> {
  await waitUntil(what, async () => {
    await page.dispatch("online");
    return isTrue();
  });
}

test("300 checks in pages of 15 rotate every 30 seconds, in order, and start again", async () => {
  const { page } = await show({ checksPerPage: 15, paginationRate: 30, refreshRate: 600 });
  assert.equal(pageOf(page), 1);
  await page.runFor(20_000);
  assert.deepEqual([pageOf(page), listPolls(page).length], [1, 0]);
  await page.runFor(10_000);
  for (let turn = 1; turn <= 20; turn += 1) {
    const next = (turn % 20) + 1;
    assert.equal(pageOf(page), next);
    const names = listNames(page);
    assert.equal(names[0], `host ${String((next - 1) * 15).padStart(3, "0")}`);
    assert.equal(names.length, 15);
    assert.equal(page.read(".page-number"), `Page ${next} of 20`);
    await page.runFor(30_000);
  }
});

test("pages do not turn while somebody reads, or while paused", async () => {
  const { page } = await show({ checksPerPage: 15, paginationRate: 30, refreshRate: 600 });
  await page.dispatch("pointermove");
  await page.runFor(59_000);
  assert.equal(pageOf(page), 1, "it waits while the mouse is used");
  await page.runFor(40_000);
  assert.equal(pageOf(page), 2, "and goes on after that");
  const pause = page.get(".pause:not(.fullscreen)");
  assert.equal(pause.hidden, false);
  await page.click(pause);
  await page.runFor(300_000);
  assert.equal(pageOf(page), 2);
  assert.equal(pause.getAttribute("aria-pressed"), "true");
  await page.click(pause);
  await page.runFor(90_000);
  assert.notEqual(pageOf(page), 2);
});

for (const refreshRate of [60, 300] as const) {
  test(`a dashboard polls every ${refreshRate} seconds, and not earlier`, async () => {
    const { page } = await show({ tags: ["few"], refreshRate });
    await page.runFor((refreshRate - 10) * 1_000);
    assert.equal(listPolls(page).length, 0);
    await page.runFor(10_000);
    assert.equal(listPolls(page).length, 1);
    await page.runFor(refreshRate * 1_000);
    assert.equal(listPolls(page).length, 2);
  });
}

test("the age of the data and of each state grows with the clock", async () => {
  const { page } = await show({ tags: ["few"], refreshRate: 600 });
  assert.equal(readFreshness(page), "Live, 0 s ago");
  await page.runFor(30_000);
  assert.match(readFreshness(page), /^Live, (?:29|30) s ago$/);
  await page.runFor(125_000);
  assert.equal(readFreshness(page), "Live, 2 min ago");
  assert.equal(page.listTexts("time.since")[0], "2 min");
});

test("the initial poll keeps an unchanged view, and a change replaces it", async () => {
  const { page } = await show({ tags: ["few"] });
  const board = page.get(".board");
  await page.dispatch("online");
  assert.equal(page.get(".board"), board);
  await setFirst("failing");
  await pollUntil(page, "it shows the state", () => page.list(".check-failing").length === 1);
  assert.notEqual(page.get(".board"), board);
  await setFirst("passing");
});

test("an event of the stream is followed by a poll", async () => {
  const { page } = await show({ tags: ["few"], refreshRate: 600 });
  await page.receive("changed");
  await page.runFor(250);
  assert.equal(listPolls(page).length, 1);
  await page.runFor(100_000);
  assert.equal(page.streams, 1, "a stream with beats is kept");
});

test("without a stream it polls every 15 seconds", async () => {
  const { page } = await show({ tags: ["few"], refreshRate: 600 }, { stream: "rejected" });
  await setFirst("failing");
  await waitUntil("it shows the state", async () => {
    await page.runFor(15_000);
    return page.list(".check-failing").length === 1;
  });
  assert.ok(listPolls(page).length >= 1);
  assert.match(readFreshness(page), /^Updated, \d+ s ago$/);
  await setFirst("passing");
});

test("a stream that is dropped as soon as it opens is retried with increasing delays", async () => {
  const { page } = await show({ tags: ["few"] }, { stream: "dropped" });
  await page.runFor(60_000);
  assert.ok(page.streams > 2 && page.streams < 15, String(page.streams));
});

test("offline, it shows the cached pages with their age, keeps rotating, and recovers", async () => {
  const { page } = await show({ checksPerPage: 15, paginationRate: 30, refreshRate: 60 });
  await page.runFor(30_000);
  assert.equal(pageOf(page), 2);
  page.isOffline = true;
  await page.runFor(30_000);
  assert.match(readFreshness(page), /^No connection\. This is \d+ s old\.$/);
  assert.equal(page.get(".freshness").classList.contains("freshness-stale"), true);
  const seen = new Set<number>();
  for (let turn = 0; turn < 4; turn += 1) {
    await page.runFor(30_000);
    seen.add(pageOf(page));
    assert.equal(listNames(page).length, 15);
  }
  assert.deepEqual([...seen].sort(), [1, 2], "it turns through the pages that it has");
  await page.runFor(300_000);
  assert.match(readFreshness(page), /^No connection\. This is \d+ min old\.$/);
  page.isOffline = false;
  await page.runFor(30_000);
  assert.match(readFreshness(page), /^Live/);
});

test("a dashboard ignores a page that is not from Vedette, and applies changes later", async () => {
  const { page, dashboard } = await show({ tags: ["few"], header: "Before" });
  let asked = 0;
  // The error page of a proxy while the server starts.
  page.respond = (url) => {
    if (!url.endsWith(dashboard.path)) return null;
    asked += 1;
    return new Response("<h1>Bad Gateway</h1>", { status: 502 });
  };
  const body = { header: "Afterwards", width: "960PX" };
  await app.call("PUT", `/v1/dashboards/${dashboard.dashboardId}`, { body });
  await waitUntil("it requested its page", async () => {
    await page.runFor(60_000);
    return asked > 0;
  });
  await page.runFor(60_000);
  assert.ok(asked >= 2, "it requests again");
  assert.equal(listNames(page).length, 3);
  assert.equal(page.title, "Before");
  page.respond = () => null;
  await page.runFor(60_000);
  assert.equal(page.title, "Afterwards");
  assert.equal(page.read("h1"), "Afterwards");
  assert.equal(page.list("body.width-960").length, 1);
});

test("a private dashboard asks for the key, and locks again when the key is rotated", async () => {
  const dashboard = await addDashboard(app, {
    header: "Secret dashboard",
    isPrivate: true,
    tags: ["few"],
  });
  const address = `${app.url}${dashboard.path}`;
  const page = await openPublicPage(address, { now: app.clock.now() });
  assert.equal(page.read("h1"), "This dashboard is private");
  assert.doesNotMatch(page.document.body.textContent, /Secret dashboard|host 000/);
  await page.type(page.getField("Its key"), "da_00000000000000000000000000000000");
  await page.click(page.get("button", "Open"));
  assert.match(page.read("[role=alert]"), /is not valid/);
  await page.type(page.getField("Its key"), dashboard.rawKey);
  await page.click(page.get("button", "Open"));
  assert.equal(page.read("h1"), "Secret dashboard");
  await page.goto(page.address);
  assert.equal(listNames(page).length, 3, "the cookie opens it again");
  const keysPath = `/v1/dashboards/${dashboard.dashboardId}/keys`;
  const { body: keys } = await app.call("GET", keysPath);
  const rotated = await app.call("POST", `${keysPath}/${keys[0].id}/rotate`);
  await pollUntil(page, "it is locked", () => page.read("h1") === "This dashboard is private");
  assert.doesNotMatch(page.document.body.textContent, /host 000/);
  await page.goto(`${address}?key=${rotated.body.rawKey}`);
  assert.equal(page.read("h1"), "Secret dashboard");
  assert.equal(page.address.includes("da_"), false);
});

test("without JavaScript everything is shown, and the page reloads itself", async () => {
  const { path } = await addDashboard(app, { checksPerPage: 2, tags: ["few"], refreshRate: 60 });
  const options = { now: app.clock.now(), hasScript: false };
  const page = await openPublicPage(`${app.url}${path}`, options);
  assert.deepEqual(listNames(page), ["host 000", "host 001"]);
  assert.match(page.read(".freshness"), /^as of 2026-11-15 12:00/);
  assert.match(page.get("noscript").innerHTML, /http-equiv="refresh" content="60/);
  await page.click(page.get("a", /^Next/));
  assert.match(page.address, /page=2/);
  assert.deepEqual(listNames(page), ["host 002"]);
  await page.click(page.get("a", "Show locations"));
  assert.match(page.address, /expand=1/);
  assert.ok(page.list(".place").length > 0);
});
