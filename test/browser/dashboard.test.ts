import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Browser } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { findAccessFaults } from "../support/browsers/application.ts";
import {
  launchBrowser,
  noBrowser,
  openPage,
  type WatchedPage,
} from "../support/browsers/browser.ts";
import { test } from "../support/long-run.ts";
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

const sizes = [
  [390, 844],
  [1280, 720],
  [1440, 900],
  [1920, 1080],
  [3840, 2160],
] as const;

test("at every width columns align, nothing overlaps and names are complete", {
  skip,
}, async () => {
  const { page } = wall;
  const body = { expandChecks: true, enableIncidents: true };
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    // The narrow layout has no links to runs, and the wide ones share a page.
    if (width <= 1_280) {
      const { path } = await addDashboard(app, { ...body, showCheckRunLinks: width > 390 });
      await page.goto(`${app.url}${path}`);
    }
    assert.deepEqual(await page.evaluate(findGeometryFaults), [], `${width}`);
    const words = await page.locator(".check-line").allTextContents();
    assert.match(
      words.join(),
      /^(?:no run in 24 h,){3}waiting for the first run,last 2[01] h,last (?:45|50) min$/,
    );
    if (width !== 390 && width !== 1_920) continue;
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await findAccessFaults(page), [], `${width} ${colorScheme}`);
    }
  }
  await page.setViewportSize({ width: 1920, height: 1080 });
  const fontSizes: number[] = await page.evaluate(`[".check-name", ".figure", ".state-word"]
    .map((one) => parseFloat(getComputedStyle(document.querySelector(one)).fontSize))`);
  const sizeFromThreeMetres = 17;
  assert.ok(Math.min(...fontSizes) >= sizeFromThreeMetres, fontSizes.join());
});

test("a state change appears live, and nothing else on the page moves", {
  isLong: true,
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
  const placeOf = async () => (await page.locator(".freshness-dot").boundingBox())?.x;
  const place = await placeOf();
  // The text of the age grows until the next change.
  await page.locator(".freshness-text").evaluate((one) => {
    one.textContent = "Live, 59 s ago";
  });
  assert.equal(await placeOf(), place);
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

/** Runs last, because it adds checks. */
test("fifteen checks below three incidents fit on a screen, and fewer are larger", {
  isLong: true,
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
