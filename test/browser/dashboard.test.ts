import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import {
  launchBrowser,
  noBrowser,
  openPage,
  type WatchedPage,
} from "../support/browsers/browser.ts";
import { addDashboard, addDashboardChecks, sayStates } from "../support/rooms/dashboards.ts";

const skip = noBrowser;
const dot =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==";

/** More than there is room for beside the name of a group. */
const seaTags = ["sea", ...Array.from({ length: 20 }, (_, n) => `a-rather-long-tag-${n}`)];

let app: TestApp;
let browser: Browser;
let ids: string[];
/** A new window costs more than all that a setting draws in it. */
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

async function show(body: Readonly<Record<string, unknown>>, options = {}) {
  const dashboard = await addDashboard(app, body);
  const opened = await openPage(browser, { viewport: { width: 1920, height: 1080 }, ...options });
  await opened.page.goto(`${app.url}${dashboard.path}`);
  return { ...opened, dashboard };
}

const namesOn = (page: Page) => page.locator(".check-name").allTextContents();

/** Each setting: what the page has with it, and what without. */
const settings: readonly {
  readonly name: string;
  readonly on: Readonly<Record<string, unknown>>;
  readonly off: Readonly<Record<string, unknown>>;
  readonly has: (page: Page) => Promise<boolean>;
}[] = [
  {
    name: "header and description",
    on: { header: "Control room", description: "All of it" },
    off: { header: "Control room", description: "All of it", showHeader: false },
    has: async (page) =>
      (await page.locator(".header-text").count()) === 1 &&
      (await page.locator(".description").isVisible()),
  },
  {
    name: "description",
    on: { description: "All of it" },
    off: {},
    has: async (page) => (await page.getByText("All of it").count()) === 1,
  },
  {
    name: "logo",
    on: { logo: dot },
    off: {},
    has: (page) =>
      page.evaluate(
        "[...document.images].some((one) => one.className === 'logo' && one.naturalWidth === 1)",
      ),
  },
  {
    name: "link of the logo",
    on: { logo: dot, link: "https://example.org/home" },
    off: { logo: dot },
    has: async (page) => (await page.locator(".logo-link").count()) === 1,
  },
  {
    name: "favicon",
    on: { favicon: dot },
    off: {},
    has: async (page) =>
      (await page.locator("link[rel=icon]").getAttribute("href"))?.includes("images/favicon") ??
      false,
  },
  {
    name: "full width",
    on: { width: "FULL" },
    off: { width: "960PX" },
    has: async (page) => ((await page.locator(".checks").boundingBox())?.width ?? 0) > 1_700,
  },
  {
    name: "pagination",
    on: { checksPerPage: 2 },
    off: { checksPerPage: 2, paginate: false },
    has: async (page) => (await namesOn(page)).length === 2,
  },
  {
    name: "all of the tags",
    on: { tags: ["sea", "north"], useTagsAndOperator: true },
    off: { tags: ["sea", "north"] },
    has: async (page) => (await namesOn(page)).join() === "bravo",
  },
  {
    name: "hidden tags",
    on: { hideTags: true },
    off: {},
    has: async (page) => (await page.locator(".tag").count()) === 0,
  },
  {
    name: "incidents",
    on: { enableIncidents: true },
    off: {},
    has: async (page) => (await page.getByText("Cable cut").count()) === 1,
  },
  {
    name: "expanded checks",
    on: { expandChecks: true },
    off: {},
    has: async (page) => (await page.locator(".place").count()) > 0,
  },
  {
    name: "run links",
    on: { showCheckRunLinks: true },
    off: {},
    has: async (page) => (await page.locator(".run-link").count()) === 3,
  },
  {
    name: "group names",
    on: {},
    off: { showGroupNames: false },
    has: async (page) => (await page.getByText("Harbour").count()) === 1,
  },
  {
    name: "P95",
    on: {},
    off: { showP95: false },
    has: async (page) => (await page.locator(".figure-p95").count()) === 4,
  },
  {
    name: "P99",
    on: {},
    off: { showP99: false },
    has: async (page) => (await page.locator(".figure-p99").count()) === 4,
  },
  {
    name: "checks without data before those that pass",
    on: { sortByStatus: true },
    off: {},
    has: async (page) => (await namesOn(page)).join() === "bravo,charlie,delta,alpha",
  },
  {
    name: "custom style sheet",
    on: { customCSS: ".check-name { color: rgb(1, 2, 3); background: url(https://evil.test/x) }" },
    off: { customCSS: "" },
    has: (page) =>
      page.evaluate(
        "getComputedStyle(document.querySelector('.check-name')).color === 'rgb(1, 2, 3)'",
      ),
  },
];

for (const { name, on, off, has } of settings) {
  test(`${name}: there when it is on, not there when it is off`, { skip }, async () => {
    for (const [body, wanted] of [
      [on, true],
      [off, false],
    ] as const) {
      const { page, complaints, requested } = wall;
      await page.goto(`${app.url}${(await addDashboard(app, body)).path}`);
      assert.equal(await has(page), wanted, JSON.stringify(body));
      assert.deepEqual(complaints, []);
      assert.deepEqual(
        requested.filter((url) => !url.startsWith(app.url)),
        [],
      );
    }
  });
}

for (const [width, height] of [
  [1920, 1080],
  [1280, 720],
  [390, 844],
  [320, 640],
] as const) {
  test(`at ${width} × ${height} nothing sticks out, in light and dark`, { skip }, async () => {
    const grounds = new Set<string>();
    for (const colorScheme of ["light", "dark"] as const) {
      const body = { enableIncidents: true, showCheckRunLinks: true, expandChecks: width < 400 };
      const { page, complaints, close } = await show(body, {
        viewport: { width, height },
        colorScheme,
      });
      const wide = await page.evaluate("document.documentElement.scrollWidth");
      assert.ok(Number(wide) <= width, `${wide} is wider than ${width}`);
      grounds.add(await page.evaluate("getComputedStyle(document.body).backgroundColor"));
      assert.deepEqual(complaints, []);
      await close();
    }
    assert.equal(grounds.size, 2);
  });
}

test("many tags leave a group its room", { skip }, async () => {
  const { page, close } = await show({});
  const group = await page.locator(".check-group").boundingBox();
  assert.ok((group?.width ?? 0) > 30, String(group?.width));
  await close();
});

test("the words of a row are large enough for three metres, and have contrast", {
  skip,
}, async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    const { page, close } = await show({}, { colorScheme });
    const sizes: number[] = await page.evaluate(`[".check-name", ".figure-day", ".state-word"]
      .map((one) => parseFloat(getComputedStyle(document.querySelector(one)).fontSize))`);
    assert.ok(Math.min(...sizes) >= 17, sizes.join());
    // The ratio of WCAG, of every kind of text on what is behind it.
    const low: string[] = await page.evaluate(`(() => {
      const parse = (text) => text.match(/[\\d.]+/g).map(Number);
      const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
        .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
      const ground = (one) => {
        for (let at = one; at; at = at.parentElement) {
          const color = parse(getComputedStyle(at).backgroundColor);
          if (color.length === 3 || color[3] === 1) return color;
        }
        return [255, 255, 255];
      };
      const found = [];
      for (const one of document.querySelectorAll("b, .since, .figure-week, .figure-day, .count, .tag, a, .freshness, .headings span, .description")) {
        const [a, b] = [light(parse(getComputedStyle(one).color)), light(ground(one))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) found.push(one.className + " " + ratio.toFixed(2));
      }
      return [...new Set(found)];
    })()`);
    assert.deepEqual(low, [], colorScheme);
    await close();
  }
});

test("without JavaScript everything is there, and the browser comes back by itself", {
  skip,
}, async () => {
  const { page, close } = await show({ checksPerPage: 2 }, { javaScriptEnabled: false });
  assert.deepEqual(await namesOn(page), ["bravo", "charlie"]);
  assert.match((await page.locator(".freshness").textContent()) ?? "", /^as of 2026-11-15 12:00/);
  await page.getByText("Next").click();
  assert.deepEqual(await namesOn(page), ["alpha", "delta"]);
  await page.getByText("Show locations").click();
  assert.ok((await page.locator(".place").count()) > 0);
  await close();
});

test("a change of state appears by itself, and nothing else on the page moves", {
  skip,
}, async () => {
  const { page, complaints, close } = await show({});
  await page.getByText("Live").waitFor();
  await page.evaluate(`window.shifts = 0;
    new PerformanceObserver((list) => {
      for (const one of list.getEntries()) window.shifts += one.value;
    }).observe({ type: "layout-shift", buffered: false })`);
  const before = await page
    .locator(".check")
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  await sayStates(app, [{ id: ids[0] ?? "", status: "failing" }]);
  await page.locator(".check-failing .check-name", { hasText: "alpha" }).waitFor();
  const later = await page
    .locator(".check")
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  assert.deepEqual(later, before);
  assert.equal(await page.evaluate("window.shifts"), 0);
  await sayStates(app, [{ id: ids[0] ?? "", status: "passing" }]);
  await page.locator(".check-passing .check-name", { hasText: "alpha" }).waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("a dashboard takes over new settings by itself", { skip }, async () => {
  const { page, dashboard, close } = await show({ header: "Before" });
  await page.getByText("Live").waitFor();
  await app.call("PUT", `/v1/dashboards/${dashboard.dashboardId}`, {
    body: { header: "Afterwards", width: "960PX", customCSS: ".check-name{color:rgb(9,9,9)}" },
  });
  await page.getByRole("heading", { name: "Afterwards" }).waitFor();
  assert.equal(await page.title(), "Afterwards");
  assert.equal(await page.locator("body.width-960").count(), 1);
  await close();
});

test("private: the form, the key, and out again when the key is rotated", { skip }, async () => {
  const { page, dashboard, close } = await show({ header: "Secret dashboard", isPrivate: true });
  assert.equal(await page.getByText("Secret dashboard").count(), 0);
  await page.getByLabel("Its key").fill("da_00000000000000000000000000000000");
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByText("does not open").waitFor();
  await page.getByLabel("Its key").fill(dashboard.rawKey);
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByRole("heading", { name: "Secret dashboard" }).waitFor();
  await page.getByText("Live").waitFor();
  await page.reload();
  assert.equal((await namesOn(page)).length, 4);
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

/** The last one, since it adds checks. */
test("fifteen checks below three incidents fit a screen, and fewer are larger", {
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
    const { page, close } = await show({ enableIncidents: true, tags: ["crowd"] });
    assert.equal(await page.locator(".incident").count(), 3);
    const high = await page.evaluate("document.documentElement.scrollHeight");
    assert.ok(Number(high) <= 1_080, String(high));
    heights.push((await page.locator(".check-row").first().boundingBox())?.height ?? 0);
    await close();
  }
  const [few = 0, many = 0] = heights;
  assert.ok(few > many * 1.5, heights.join());
});
