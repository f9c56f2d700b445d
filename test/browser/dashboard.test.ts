import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { findAccessFaults } from "../support/browsers/application.ts";
import {
  launchBrowser,
  noBrowser,
  openPage,
  type WatchedPage,
} from "../support/browsers/browser.ts";
import {
  addDashboard,
  addDashboardChecks,
  addPastRuns,
  writeStates,
} from "../support/modules/dashboards.ts";

const skip = noBrowser;
const dot =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==";

/** More tags than fit beside the name of a group. */
const seaTags = ["sea", ...Array.from({ length: 20 }, (_, n) => `a-rather-long-tag-${n}`)];

const longName =
  `echo ${"of a check whose name says everything that anybody may want to know ".repeat(2)}`.trim();

let app: TestApp;
let browser: Browser;
let ids: string[];
/** One shared window, because opening a new one costs more than the tests in it. */
let wall: WatchedPage;
before(async () => {
  if (noBrowser !== false) return;
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  browser = await launchBrowser();
  wall = await openPage(browser, { viewport: { width: 1920, height: 1080 } });
  const { body: group } = await app.call("POST", "/v1/check-groups", { body: { name: "Harbour" } });
  ids = await addDashboardChecks(app, [
    { name: "alpha", status: "passing", tags: seaTags, groupId: group.id, forMs: 3_600_000 },
    { name: "bravo", status: "failing", tags: ["sea", "north"], forMs: 600_000 },
    { name: "charlie", status: "degraded", tags: ["north"] },
    { name: "delta", tags: ["land"] },
    { name: longName, status: "passing", groupId: group.id },
    { name: "foxtrot", status: "passing" },
  ]);
  await addPastRuns(app, [
    { checkId: ids[4] ?? "", minutes: 1_200, everyMinutes: 30, rttMs: 1_234 },
    { checkId: ids[5] ?? "", minutes: 45, everyMinutes: 5, rttMs: 0.03 },
  ]);
  await app.query(
    `insert into incidents (id, account_id, name, severity, status, started_at, is_automatic,
        open_spans, created_at)
      select gen_random_uuid(), $1, name, 'MAJOR', 'IDENTIFIED', $2, false, '[]', $2
      from unnest($3::text[]) as one (name)`,
    [app.owner.accountId, app.clock.now(), ["Cable cut", "Storm", "Anchor lost"]],
  );
});
after(async () => {
  await browser?.close();
  await app?.stop();
});

/** Shows a dashboard in the shared window. */
async function show(body: Readonly<Record<string, unknown>>) {
  const dashboard = await addDashboard(app, body);
  wall.complaints.splice(0);
  await wall.page.goto(`${app.url}${dashboard.path}`);
  return { ...wall, dashboard };
}

const namesOn = (page: Page) => page.locator(".check-name").allTextContents();

/** How the settings look. `view-http.test.ts` tests the markup. */
test("pictures, width and style sheet are applied, and nothing is loaded from elsewhere", {
  skip,
}, async () => {
  const { page, complaints, requested } = wall;
  const open = async (body: Readonly<Record<string, unknown>>) => {
    await page.goto(`${app.url}${(await addDashboard(app, body)).path}`);
    return page.evaluate(`({
      width: document.querySelector(".checks").getBoundingClientRect().width,
      logo: document.querySelector(".logo")?.naturalWidth ?? null,
      color: getComputedStyle(document.querySelector(".check-name")).color,
    })`) as Promise<{ width: number; logo: number | null; color: string }>;
  };
  const customCSS = ".check-name { color: rgb(1, 2, 3); background: url(https://evil.test/x) }";
  const full = await open({ logo: dot, favicon: dot, customCSS });
  assert.ok(full.width > 1_700, String(full.width));
  assert.equal(full.logo, 1);
  assert.equal(full.color, "rgb(1, 2, 3)");
  const narrow = await open({ width: "960PX" });
  assert.ok(narrow.width < 960, String(narrow.width));
  assert.equal(narrow.logo, null);
  assert.notEqual(narrow.color, full.color);
  assert.deepEqual(complaints, []);
  const strange = requested.filter((url) => !url.startsWith(app.url));
  assert.deepEqual(strange, []);
});

/** Source text that runs in the browser and reports layout faults. */
const findGeometryFaults = `(() => {
  const faults = [];
  const boxOf = (one) => one.getBoundingClientRect();
  const textBoxes = (one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return [...range.getClientRects()].filter(({ width }) => width > 0);
  };
  const same = (what, one, other, by = 1.5) => {
    if (Math.abs(one - other) > by) faults.push(what + ": " + one + " and " + other);
  };
  const isWide = innerWidth >= 900;
  const headings = [...document.querySelectorAll(".headings th")];
  const pointsOf = new Map();
  const lines = [...document.querySelectorAll(".check-row, .place")];
  for (const row of lines) {
    const cells = [...row.children].map((cell) => ({ cell, boxes: textBoxes(cell) }));
    for (const [index, one] of cells.entries()) {
      // Text stays in its cell and touches no other text.
      for (const { left, right } of one.boxes) {
        const own = boxOf(one.cell);
        const isOut = left < own.left - 1 || right > own.right + 1;
        if (isOut) faults.push("sticks out: " + one.cell.outerHTML);
      }
      for (const other of cells.slice(index + 1)) {
        const touches = one.boxes.some((a) => other.boxes.some((b) =>
          a.left < b.right + 4 && b.left < a.right + 4 &&
          a.top < b.bottom - 1 && b.top < a.bottom - 1));
        if (touches) faults.push("touch: " + one.cell.outerHTML + other.cell.outerHTML);
      }
    }
    const name = row.querySelector(".check-name");
    const isCut = name && name.scrollWidth > name.clientWidth + 1;
    if (isCut) faults.push("a name is cut: " + name.textContent);
    if (name && isWide) {
      same("name below its heading", textBoxes(name)[0].left, textBoxes(headings[1])[0].left);
      const icon = row.querySelector(".check-state .icon");
      same("state below its heading", boxOf(icon).left, textBoxes(headings[0])[0].left);
    }
    const figures = [...row.querySelectorAll(".figure")];
    for (const [index, figure] of figures.entries()) {
      const heading = headings.at(index - figures.length);
      const right = boxOf(figure).right - parseFloat(getComputedStyle(figure).paddingRight);
      if (isWide) {
        same("figure below its heading", right, textBoxes(heading)[0].right);
        const end = textBoxes(heading).at(-1);
        if (Math.abs(end.right - right) > 1.5) faults.push("heading's second line");
      } else {
        const first = document.querySelectorAll(".check-row .figure")[index];
        same("figure below the first row's", boxOf(figure).left, boxOf(first).left);
      }
      const text = figure.firstChild;
      const at = text.data.search(/[.\u2008]/);
      if (!isWide || at < 0) continue;
      const range = document.createRange();
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      const key = row.className.split(" ")[0] + index;
      if (!pointsOf.has(key)) pointsOf.set(key, boxOf(range).left);
      same("decimal points", boxOf(range).left, pointsOf.get(key));
    }
    const line = row.querySelector(".check-line");
    if (line && line.querySelector("path, .spark-note") === null) faults.push("an empty strip");
  }
  const sizeOf = (one) => parseFloat(getComputedStyle(document.querySelector(one)).fontSize);
  if (sizeOf(".place-name") >= sizeOf(".check-name")) faults.push("a location is larger than its check");
  if (document.documentElement.scrollWidth > innerWidth) faults.push("wider than its window");
  return [...new Set(faults)].slice(0, 10);
})()`;

for (const [width, height] of [
  [390, 844],
  [1280, 720],
  [1440, 900],
  [1920, 1080],
  [3840, 2160],
] as const) {
  test(`at ${width} px columns align, nothing overlaps and names are complete`, {
    skip,
  }, async () => {
    const { page } = wall;
    await page.setViewportSize({ width, height });
    const body = { expandChecks: true, showCheckRunLinks: width > 390, enableIncidents: true };
    const { path } = await addDashboard(app, body);
    await page.goto(`${app.url}${path}`);
    assert.deepEqual(await page.evaluate(findGeometryFaults), []);
    const words = await page.locator(".check-line").allTextContents();
    assert.match(
      words.join(),
      /^(?:no run in 24 h,){3}waiting for the first run,last 2[01] h,last (?:45|50) min$/,
    );
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      if (width === 390 || width === 1920) {
        assert.deepEqual(await findAccessFaults(page), [], colorScheme);
      }
    }
    await page.setViewportSize({ width: 1920, height: 1080 });
  });
}

test("the text of a row is large enough to read from three metres", { skip }, async () => {
  const { page } = wall;
  await page.goto(`${app.url}${(await addDashboard(app, {})).path}`);
  const sizes: number[] = await page.evaluate(`[".check-name", ".figure", ".state-word"]
    .map((one) => parseFloat(getComputedStyle(document.querySelector(one)).fontSize))`);
  assert.ok(Math.min(...sizes) >= 17, sizes.join());
});

test("without JavaScript everything is shown, and the page reloads itself", {
  skip,
}, async () => {
  const { page, close } = await openPage(browser, { javaScriptEnabled: false });
  const { path } = await addDashboard(app, { checksPerPage: 2 });
  await page.goto(`${app.url}${path}`);
  assert.deepEqual(await namesOn(page), ["bravo", "charlie"]);
  assert.match((await page.locator(".freshness").textContent()) ?? "", /^as of 2026-11-15 12:00/);
  await page.getByText("Next").click();
  await page.waitForURL(/page=2/);
  assert.deepEqual(await namesOn(page), ["alpha", "delta"]);
  await page.getByText("Show locations").click();
  await page.waitForURL(/expand=1/);
  assert.ok((await page.locator(".place").count()) > 0);
  await close();
});

test("a state change appears live, and nothing else on the page moves", {
  skip,
}, async () => {
  const { page, complaints } = await show({});
  await page.getByText("Live").waitFor();
  // Two frames, because the first paint of the word "Live" may still be due.
  await page.evaluate(`new Promise((resolve) =>
    requestAnimationFrame(() => requestAnimationFrame(resolve)))`);
  await page.evaluate(`window.shifts = 0;
    new PerformanceObserver((list) => {
      for (const one of list.getEntries()) window.shifts += one.value;
    }).observe({ type: "layout-shift", buffered: false })`);
  const before = await page
    .locator(".check")
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  await writeStates(app, [{ id: ids[0] ?? "", status: "failing" }]);
  await page.locator(".check-failing .check-name", { hasText: "alpha" }).waitFor();
  const later = await page
    .locator(".check")
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  assert.deepEqual(later, before);
  assert.equal(await page.evaluate("window.shifts"), 0);
  await writeStates(app, [{ id: ids[0] ?? "", status: "passing" }]);
  await page.locator(".check-passing .check-name", { hasText: "alpha" }).waitFor();
  assert.deepEqual(complaints, []);
});

test("a dashboard applies new settings live", { skip }, async () => {
  const { page, dashboard } = await show({ header: "Before" });
  await page.getByText("Live").waitFor();
  await app.call("PUT", `/v1/dashboards/${dashboard.dashboardId}`, {
    body: { header: "Afterwards", width: "960PX", customCSS: ".check-name{color:rgb(9,9,9)}" },
  });
  await page.getByRole("heading", { name: "Afterwards" }).waitFor();
  assert.equal(await page.title(), "Afterwards");
  assert.equal(await page.locator("body.width-960").count(), 1);
});

test("a private dashboard asks for the key, and locks again when the key is rotated", {
  skip,
}, async () => {
  // A separate window, because one that was forced to reload does not reload again for a minute.
  const { page, close } = await openPage(browser);
  const dashboard = await addDashboard(app, { header: "Secret dashboard", isPrivate: true });
  await page.goto(`${app.url}${dashboard.path}`);
  assert.equal(await page.getByText("Secret dashboard").count(), 0);
  await page.getByLabel("Its key").fill("da_00000000000000000000000000000000");
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByText("is not valid").waitFor();
  await page.getByLabel("Its key").fill(dashboard.rawKey);
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByRole("heading", { name: "Secret dashboard" }).waitFor();
  await page.getByText("Live").waitFor();
  await page.reload();
  assert.equal((await namesOn(page)).length, 6);
  await page.goto(`${app.url}${dashboard.path}?page=1`);
  const { body: keys } = await app.call("GET", `/v1/dashboards/${dashboard.dashboardId}/keys`);
  const rotated = await app.call(
    "POST",
    `/v1/dashboards/${dashboard.dashboardId}/keys/${keys[0].id}/rotate`,
  );
  await page.getByText("This dashboard is private").waitFor();
  assert.equal(await page.getByText("bravo").count(), 0);
  await page.goto(`${app.url}${dashboard.path}?key=${rotated.body.rawKey}`);
  await page.getByRole("heading", { name: "Secret dashboard" }).waitFor();
  assert.equal(page.url().includes("da_"), false);
  await close();
});

/** Runs last, because it adds checks. */
test("fifteen checks below three incidents fit on a screen, and fewer are larger", {
  skip,
}, async () => {
  const heights: number[] = [];
  for (const count of [3, 12]) {
    const more = Array.from({ length: count }, (_, n) => ({
      name: `crowd ${count} ${n}`,
      status: "passing" as const,
      tags: ["crowd"],
    }));
    await addDashboardChecks(app, more);
    const { page } = await show({ enableIncidents: true, tags: ["crowd"] });
    assert.equal(await page.locator(".incident").count(), 3);
    const high = await page.evaluate("document.documentElement.scrollHeight");
    assert.ok(Number(high) <= 1_080, String(high));
    heights.push((await page.locator(".check-row").first().boundingBox())?.height ?? 0);
  }
  const [few = 0, many = 0] = heights;
  assert.ok(few > many * 1.5, heights.join());
});
