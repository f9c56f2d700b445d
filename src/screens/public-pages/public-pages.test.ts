import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { addStranger } from "../../../test/support/apps/cast.ts";
import {
  createIncident,
  createPage,
  type MadePage,
  planMaintenance,
  postUpdate,
} from "../../../test/support/modules/public-page.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let app: TestApp;
let page: MadePage;
before(async () => {
  app = await startTestApp();
  page = await createPage(app);
});
after(() => app.stop());

const look = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  app.call("GET", path, { key: null, headers });

const waitForWords = (path: string, words: string) =>
  waitUntil(`${path} says ${words}`, async () => (await look(path)).text.includes(words));

const machinePaths = [
  "summary.json",
  "feed.rss",
  "feed.atom",
  "feed.json",
  "maintenance.ics",
  "badge.svg",
];
const assetPaths = ["page.css", "page.js", "theme.css", "icon.svg"];

describe("the public page", () => {
  test("is served with and without a slash, in any case, without a key", async () => {
    for (const path of ["/status/acme", "/status/acme/", "/status/ACME"]) {
      const answer = await look(path);
      assert.equal(answer.status, 200, path);
      assert.equal(answer.headers.get("content-type"), "text/html; charset=utf-8");
      assert.ok(answer.text.includes("All systems operational"));
    }
  });

  test("allows no inline and no cross-origin content", async () => {
    const { headers } = await look(page.path);
    const policy = headers.get("content-security-policy") ?? "";
    assert.ok(policy.startsWith("default-src 'none'; style-src 'self'; script-src 'self'"));
    assert.equal(/unsafe|\*|https?:|data:/.test(policy), false);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("referrer-policy"), "same-origin");
  });

  test("is revalidated each time, with 304 if unchanged", async () => {
    const first = await look(page.path);
    assert.equal(first.headers.get("cache-control"), "public, max-age=0, stale-if-error=3600");
    const tag = first.headers.get("etag") ?? "";
    const again = await look(page.path, { "if-none-match": tag });
    assert.equal(again.status, 304);
    assert.equal(again.text, "");
    assert.equal(again.headers.get("etag"), tag);
    assert.equal(again.headers.get("vary"), "accept-encoding");
    assert.equal((await look(page.path, { "if-none-match": '"other"' })).status, 200);
  });

  test("answers HEAD with the same headers and no body", async () => {
    const { headers } = await look(page.path, { "accept-encoding": "identity" });
    const head = await app.call("HEAD", page.path, {
      key: null,
      headers: { "accept-encoding": "identity" },
    });
    assert.equal(head.status, 200);
    assert.equal(head.text, "");
    for (const name of ["etag", "content-type", "content-length", "cache-control"]) {
      assert.equal(head.headers.get(name), headers.get(name), name);
    }
  });

  test("is compressed for clients that accept it", async () => {
    for (const [header, coding] of [
      ["br, gzip", "br"],
      ["gzip", "gzip"],
      ["identity", null],
    ] as const) {
      const answer = await look(page.path, { "accept-encoding": header });
      assert.equal(answer.headers.get("content-encoding"), coding);
      assert.ok(answer.text.includes("All systems operational"));
    }
  });

  test("has assets that are cached permanently under their hashed URLs", async () => {
    const { text } = await look(page.path);
    for (const file of assetPaths) {
      const plain = await look(`${page.path}/${file}`);
      assert.equal(plain.status, 200, file);
      assert.equal(plain.headers.get("cache-control"), "public, max-age=0, stale-if-error=3600");
    }
    const named = [...text.matchAll(/\/status\/acme\/[a-z]+\.(?:css|js)\?v=[\w-]+/g)].flat();
    assert.equal(named.length, 3);
    for (const path of named) {
      const { headers } = await look(path);
      assert.equal(headers.get("cache-control"), "public, max-age=31536000, immutable", path);
    }
  });

  test("responds 404 for a missing page, month or incident", async () => {
    const nothing = "0198a1b2-0000-7000-8000-000000000000";
    for (const path of [
      "/status/nobody",
      "/status/nobody/",
      "/status/nobody/summary.json",
      "/status/%00",
      `/status/${"x".repeat(64)}`,
      "/status/a_b",
      "/status/..%2f..%2fetc",
      `${page.path}/history/2026-13`,
      `${page.path}/history/2026-12`,
      `${page.path}/history/latest`,
      `${page.path}/incidents/${nothing}`,
      `${page.path}/incidents/1`,
      `${page.path}/v1/checks`,
      `${page.path}/feed.xml`,
    ]) {
      const answer = await look(path);
      assert.ok([400, 404].includes(answer.status), `${path} ${answer.status}`);
      assert.match(answer.headers.get("content-type") ?? "", /json/);
    }
  });

  test("responds to browsers with an HTML page if missing", async () => {
    const answer = await look("/status/nobody", { accept: "text/html,*/*" });
    assert.equal(answer.status, 404);
    assert.match(answer.headers.get("content-type") ?? "", /^text\/html/);
    assert.ok(answer.text.includes("Page not found"));
    assert.match(answer.headers.get("content-security-policy") ?? "", /^default-src 'none'/);
  });
});

describe("current events", () => {
  test("an incident is on the page, in the feeds and in the summary as soon as it is posted", async () => {
    const { serviceIds, path } = await createPage(app, { url: "live" });
    assert.ok((await look(path)).text.includes("All systems operational"));
    const id = await createIncident(app, { serviceIds, name: "Checkout fails" });
    await waitForWords(path, "Major outage");
    await postUpdate(app, id, { status: "IDENTIFIED", description: "A **cable** is cut." });
    await waitForWords(path, "A <strong>cable</strong> is cut.");
    const summary = (await look(`${path}/summary.json`)).body;
    assert.equal(summary.status.indicator, "critical");
    assert.equal(summary.incidents[0].updates[0].description, "A **cable** is cut.");
    for (const file of ["feed.rss", "feed.atom", "feed.json"]) {
      const feed = await look(`${path}/${file}`);
      assert.ok(feed.text.includes("Checkout fails – Identified"), file);
    }
    assert.ok((await look(`${path}/badge.svg`)).text.includes("Major outage"));
    const own = await look(`${path}/incidents/${id}`);
    assert.ok(own.text.includes('<h1 class="plain">Checkout fails</h1>'));
    await postUpdate(app, id, { status: "RESOLVED", description: "It is over." });
    await waitForWords(path, "All systems operational");
    assert.ok((await look(path)).text.includes("It is over."));
  });

  test("page and summary have the same version, which tells an open page when to refresh", async () => {
    const { serviceIds, path } = await createPage(app, { url: "versions" });
    const versionOf = async () => /data-version="([^"]+)"/.exec((await look(path)).text)?.[1];
    const before = await versionOf();
    assert.equal((await look(`${path}/summary.json`)).body.version, before);
    await createIncident(app, { serviceIds });
    await waitUntil("the page is another", async () => (await versionOf()) !== before);
    await waitUntil("the summary is of the same version", async () => {
      return (await look(`${path}/summary.json`)).body.version === (await versionOf());
    });
  });

  test("an ongoing incident is not hidden by a hundred newer resolved ones", async () => {
    const { serviceIds, path } = await createPage(app, { url: "flapping" });
    const [shop = "", search = ""] = serviceIds;
    const old = { name: "Down for hours", severity: "CRITICAL", serviceIds: [shop] };
    await createIncident(app, { ...old, updates: [[600, "INVESTIGATING", "We look."]] });
    for (let count = 1; count <= 101; count += 1) {
      const updates = [
        [200 - count, "INVESTIGATING", "It flaps."],
        [199 - count, "RESOLVED", "For now."],
      ] as const;
      await createIncident(app, { severity: "MINOR", serviceIds: [search], updates });
    }
    await waitForWords(path, "It flaps.");
    const { status, services, incidents } = (await look(`${path}/summary.json`)).body;
    assert.equal(status.indicator, "critical");
    assert.equal(services[0].status, "outage");
    assert.equal(incidents[0].name, "Down for hours");
  });

  test("an incident of services that the page does not show is not on it", async () => {
    const { path } = await createPage(app, { url: "quiet" });
    const other = await createPage(app, { url: "other", cards: { Card: ["Secret project"] } });
    const id = await createIncident(app, { serviceIds: other.serviceIds, name: "Secret trouble" });
    await waitForWords(other.path, "Secret trouble");
    for (const file of ["", "/history", "/summary.json", "/feed.rss", "/feed.atom", "/feed.json"]) {
      const { text } = await look(`${path}${file}`);
      assert.equal(/Secret/.test(text), false, file);
    }
    assert.equal((await look(`${path}/incidents/${id}`)).status, 404);
  });

  test("planned maintenance is on the page and in the calendar for two weeks ahead", async () => {
    const { serviceIds, path } = await createPage(app, { url: "planned" });
    const plan = (name: string, fromMinutes: number) =>
      planMaintenance(app, { name, fromMinutes, toMinutes: fromMinutes + 60, serviceIds });
    await plan("Goes on now", -10);
    await plan("Next week", 7 * 1_440);
    await plan("Next month", 30 * 1_440);
    await plan("Long over", -1_440);
    await waitForWords(path, "Goes on now");
    const { text } = await look(path);
    assert.ok(text.includes("Under maintenance"));
    assert.ok(text.includes("Next week"));
    assert.equal(/Next month|Long over/.test(text), false);
    const calendar = await look(`${path}/maintenance.ics`);
    assert.equal(calendar.headers.get("content-type"), "text/calendar; charset=utf-8");
    assert.deepEqual(
      [...calendar.text.matchAll(/^SUMMARY:(.*)\r$/gm)].map(([, name]) => name),
      ["Goes on now", "Next week"],
    );
  });

  test("changed maintenance has a newer timestamp in calendars", async () => {
    const { serviceIds, path } = await createPage(app, { url: "replanned" });
    const id = await planMaintenance(app, { fromMinutes: 60, toMinutes: 90, serviceIds });
    const stamps = async () => {
      const { text } = await look(`${path}/maintenance.ics`);
      return [...text.matchAll(/^(?:DTSTAMP|LAST-MODIFIED):(\S+)/gm)].map(([, at]) => at);
    };
    await waitForWords(path, "Database upgrade");
    const before = await stamps();
    app.clock.advance(5_000);
    const window = `/v1/maintenance-windows/${id}`;
    const { body } = await app.call("GET", window);
    const put = await app.call("PUT", window, { body: { ...body, name: "Router upgrade" } });
    assert.equal(put.status, 200, put.text);
    await waitForWords(path, "Router upgrade");
    const after = await stamps();
    assert.equal(after.length, 2);
    for (const [index, at = ""] of after.entries()) assert.ok(at > (before[index] ?? ""));
    const { updatedAt } = (await look(`${path}/summary.json`)).body;
    assert.equal(updatedAt, app.clock.now().toISOString());
  });

  test("a page shows only events of the account that owns it", async () => {
    const stranger = await addStranger(app);
    const body = { name: "Elsewhere", url: "elsewhere", cards: [] };
    await app.call("POST", "/v1/status-pages", { key: stranger.key, body });
    await createIncident(app, { serviceIds: page.serviceIds, name: "Ours alone" });
    await waitForWords(page.path, "Ours alone");
    const { text } = await look("/status/elsewhere");
    assert.ok(text.includes("Elsewhere"));
    assert.equal(text.includes("Ours alone"), false);
  });

  test("the page changes as time passes, without a post", async () => {
    const { serviceIds, path } = await createPage(app, { url: "hours" });
    await createIncident(app, { serviceIds, updates: [[0, "INVESTIGATING", "x"]] });
    await waitForWords(path, "Major outage");
    app.clock.advance(3 * 3_600_000);
    assert.ok((await look(path)).text.includes("3 h outage"));
  });
});

describe("the history", () => {
  test("lists months back to the first incident", async () => {
    const { serviceIds, path } = await createPage(app, { url: "past" });
    const day = 1_440;
    for (const [name, days] of [
      ["This month", 2],
      ["Last month", 25],
      ["In summer", 120],
    ] as const) {
      const updates = [
        [days * day, "INVESTIGATING", "x"],
        [days * day - 60, "RESOLVED", "y"],
      ] as const;
      await createIncident(app, { serviceIds, name, updates });
    }
    await waitForWords(`${path}/history`, "This month");
    const november = await look(`${path}/history`);
    assert.equal(november.text.includes("Last month"), false);
    assert.ok(november.text.includes(`rel="prev" href="${path}/history/2026-10"`));
    assert.equal(november.text.includes('rel="next"'), false);
    const october = await look(`${path}/history/2026-10`);
    assert.ok(october.text.includes("Last month"));
    assert.ok(october.text.includes(`rel="next" href="${path}/history/2026-11"`));
    const july = await look(`${path}/history/2026-07`);
    assert.ok(july.text.includes("In summer"));
    assert.equal(july.text.includes('rel="prev"'), false);
  });
});

describe("a crowd", () => {
  test("that requests existing pages is never limited; one that guesses is", async () => {
    const crowded = await startTestApp({ RATE_LIMIT_PER_MINUTE: "10" });
    const call = (path: string) => crowded.call("GET", path, { key: null });
    try {
      await createPage(crowded, { cards: { One: ["Shop"] } });
      for (let count = 0; count < 50; count += 1) {
        for (const file of ["", "/summary.json", "/page.css"]) {
          assert.equal((await call(`/status/acme${file}`)).status, 200);
        }
      }
      const statuses = [];
      for (let count = 0; count < 125; count += 1) {
        statuses.push((await call(`/status/guess-${count}`)).status);
      }
      assert.deepEqual(statuses, [...Array(120).fill(404), ...Array(5).fill(429)]);
      assert.equal((await call("/status/acme")).status, 200);
      crowded.clock.advance(60_000);
      assert.equal((await call("/status/guess-again")).status, 404);
    } finally {
      await crowded.stop();
    }
  });
});

describe("machines", () => {
  test("receive each format with its content type, readable cross-origin", async () => {
    const types = await Promise.all(
      machinePaths.map(async (file) => (await look(`${page.path}/${file}`)).headers),
    );
    assert.deepEqual(
      types.map((headers) => headers.get("content-type")),
      [
        "application/json; charset=utf-8",
        "application/rss+xml; charset=utf-8",
        "application/atom+xml; charset=utf-8",
        "application/feed+json; charset=utf-8",
        "text/calendar; charset=utf-8",
        "image/svg+xml; charset=utf-8",
      ],
    );
    for (const headers of types) {
      assert.equal(headers.get("access-control-allow-origin"), "*");
      assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none'/);
    }
  });

  test("receive a summary of everything shown", async () => {
    const { serviceIds, path, id } = await createPage(app, { url: "summed", name: "Summed" });
    const { body } = await look(`${path}/summary.json`);
    assert.ok(id);
    assert.equal(body.page.name, "Summed");
    assert.match(body.page.url, /\/status\/summed\/$/);
    assert.deepEqual(body.status, { indicator: "none", description: "All systems operational" });
    assert.deepEqual(
      body.services.map((service: { id: string }) => service.id),
      serviceIds,
    );
    assert.deepEqual([body.incidents, body.maintenance], [[], []]);
    assert.match(body.updatedAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });
});
