/**
 * The status page as its readers use it, with and without its script. Chromium keeps its look in
 * `test/browser/status-page.test.ts`.
 */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import {
  createIncident,
  createPage,
  type MadePage,
  postUpdate,
} from "../../../test/support/modules/public-page.ts";
import {
  openPublicPage,
  type PublicPage,
  type PublicPageOptions,
} from "../../../test/support/pages/public-page.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let app: TestApp;
let folder: string;
let calm: MadePage;
let bad: MadePage;
let incidentId: string;

const evil = `"><img src=x onerror=alert(1)><script>alert(1)</script> & 'x' \u202e`;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "vedette-page-script-"));
  app = await startTestApp({ BUILT_IN_PROBE: "false", SNAPSHOT_DIR: folder });
  calm = await createPage(app, { url: "calm", name: "Calm" });
  bad = await createPage(app, {
    url: "bad",
    name: "Bad",
    cards: { One: ["Shop", evil], Two: ["API"] },
  });
  const [shop = "", hostile = ""] = bad.serviceIds;
  incidentId = await createIncident(app, {
    name: "The shop is down",
    severity: "CRITICAL",
    serviceIds: [shop],
    updates: [
      [90, "INVESTIGATING", "We are **looking** into it."],
      [30, "IDENTIFIED", `A [cable](https://example.com/) is cut.\n\n${evil}`],
    ],
  });
  await createIncident(app, {
    name: evil,
    severity: "MINOR",
    serviceIds: [hostile],
    updates: [
      [5_000, "INVESTIGATING", evil],
      [4_000, "RESOLVED", "Over."],
    ],
  });
});
after(async () => {
  await app.stop();
  await rm(folder, { recursive: true, force: true });
});

const visit = (path: string, options: Partial<PublicPageOptions> = {}) =>
  openPublicPage(`${app.url}${path}`, { now: app.clock.now(), ...options });

const isServed = (path: string, words: string) =>
  waitUntil(`${path} shows ${words}`, async () =>
    (await app.call("GET", path, { key: null })).text.includes(words),
  );

/** Names of services that are neither folded nor filtered out. */
const listShown = (page: PublicPage) =>
  page
    .list("details.services[open]:not([hidden]) .service:not([hidden]) b")
    .map(({ textContent }) => textContent);

describe("a status page", () => {
  test("shows the overall state first, as text and icon", async () => {
    const shown = [];
    for (const { path } of [calm, bad]) {
      const page = await visit(path, { hasScript: false });
      const banner = page.get("h1.banner");
      assert.equal(banner.querySelectorAll("svg").length, 1);
      shown.push([banner.textContent.trim(), page.title, banner.className]);
    }
    assert.deepEqual(shown, [
      ["All systems operational", "All systems operational · Calm", "banner ok"],
      ["Major outage", "Major outage · Bad", "banner outage"],
    ]);
  });

  test("shows user input as text", async () => {
    const page = await visit(bad.path);
    const typed = page.list(".service b, .incident h3").map(({ textContent }) => textContent);
    assert.equal(typed.filter((text) => text === evil).length, 2);
    assert.equal(page.list("main img, main script").length, 0);
    const link = page.get("main a", "cable");
    assert.equal(link.getAttribute("rel"), "nofollow noopener noreferrer");
  });

  test("is complete without script", async () => {
    const page = await visit(bad.path, { hasScript: false });
    assert.equal(page.get("button.theme").hidden, true);
    assert.equal(page.listTexts(".updates time")[0], "15 Nov 2026, 11:30 UTC");
    await page.click(page.get("a", "The shop is down"));
    assert.match(page.address, new RegExp(`/incidents/${incidentId}$`));
    assert.equal(page.read("h1"), "The shop is down");
    await page.click(page.get("a", "All incidents"));
    assert.equal(page.read("h1"), "Incidents of November 2026");
  });

  test("shows local and relative times, with UTC available", async () => {
    const page = await visit(bad.path, { timeZone: "Asia/Tokyo" });
    const [time] = page.list(".updates time");
    assert.equal(time?.getAttribute("datetime"), "2026-11-15T11:30:00.000Z");
    assert.match(time?.textContent ?? "", /20:30/);
    assert.equal(time?.title, "15 Nov 2026, 11:30 UTC");
    assert.equal(page.listTexts(".updates .ago")[0], "(30 minutes ago)");
    assert.match(page.read(".updated"), /^Last updated .*, checked just now$/);
    await page.runFor(5 * 60_000);
    assert.equal(page.listTexts(".updates .ago")[0], "(35 minutes ago)");
  });

  test("remembers the choice of light or dark", async () => {
    const page = await visit(calm.path);
    const readTheme = () => page.document.documentElement.dataset.theme;
    assert.equal(readTheme(), "auto");
    const button = page.get("button.theme");
    assert.equal(button.hidden, false);
    await page.click(button);
    assert.deepEqual([readTheme(), button.getAttribute("aria-pressed")], ["dark", "true"]);
    await page.goto(page.address);
    assert.equal(readTheme(), "dark");
    assert.equal(page.get("button.theme").getAttribute("aria-pressed"), "true");
    await page.click(page.get("button.theme"));
    assert.equal(readTheme(), "light");
  });

  test("shows changes within a minute, and keeps focus and unfolded cards", async () => {
    const names = Array.from({ length: 9 }, (_, index) => `Part ${index + 1}`);
    const cards = { One: names.slice(0, 3), Two: names.slice(3, 6), Three: names.slice(6) };
    const { path, serviceIds } = await createPage(app, { url: "news", cards });
    const page = await visit(path);
    assert.deepEqual(listShown(page), [], "without problems, many services are folded");
    await page.click(page.get("details:has(h3) summary", /^Three/));
    const affected = serviceIds.slice(0, 1);
    const id = await createIncident(app, { serviceIds: affected, name: "News of the day" });
    await isServed(path, "News of the day");
    page.get("main a", "Incident history").focus();
    await page.runFor(61_000);
    assert.match(page.document.body.textContent, /News of the day/);
    assert.equal(page.focused.textContent, "Incident history");
    assert.match(page.title, /^Partial outage · /);
    const wanted = ["Part 1", "Part 2", "Part 3", "Part 7", "Part 8", "Part 9"];
    assert.deepEqual(listShown(page), wanted, "what is wrong, and what the reader has unfolded");
    await page.runFor(200);
    assert.equal(page.read("p[role=status]"), "Partial outage");
    await page.runFor(10_000);
    assert.equal(page.list("p[role=status]").length, 0);
    await postUpdate(app, id, { status: "RESOLVED", description: "All is well." });
    await isServed(path, "All is well.");
    await page.runFor(61_000);
    assert.match(page.document.body.textContent, /All is well\./);
    assert.deepEqual(listShown(page), ["Part 7", "Part 8", "Part 9"]);
  });

  test("requests only the summary while nothing changes", async () => {
    const page = await visit(calm.path);
    page.requested.splice(0);
    await page.runFor(181_000);
    assert.deepEqual(page.requested, Array(3).fill(`${app.url}${calm.path}/summary.json`));
  });

  test("stays unchanged while the server is unreachable, without false claims", async () => {
    const page = await visit(calm.path);
    page.respond = (url) => (/summary/.test(url) ? new Response("{}", { status: 503 }) : null);
    await page.runFor(130_000);
    assert.equal(page.read("h1"), "All systems operational");
    const words = /could not be reached; this was last checked 2 minutes ago/;
    assert.match(page.read(".updated"), words);
    page.respond = () => null;
    page.isOffline = true;
    await page.runFor(60_000);
    assert.match(page.read(".updated"), /this was last checked 3 minutes ago/);
    page.isOffline = false;
    await page.runFor(60_000);
    assert.match(page.read(".updated"), /, checked just now$/);
  });

  test("the days of a service are navigated by keys, and described as text", async () => {
    const page = await visit(bad.path);
    const [bar] = page.list("svg.days");
    assert.ok(bar);
    const readBar = (name: string) => bar.getAttribute(`aria-${name}`) ?? "";
    assert.match(readBar("label"), /^Shop: Last 90 days/);
    bar.focus();
    assert.match(readBar("valuetext"), /outage$/);
    assert.match(page.read("p.day"), /outage$/);
    await page.press("Home");
    assert.equal(readBar("valuenow"), "1");
    assert.match(readBar("valuetext"), /no data$/);
    await page.press("ArrowRight");
    assert.equal(readBar("valuenow"), "2");
    await page.press("PageUp");
    assert.equal(readBar("valuenow"), "9");
    await page.press("ArrowLeft");
    assert.equal(readBar("valuenow"), "8");
    await page.press("End");
    await page.press("ArrowRight");
    assert.equal(readBar("valuenow"), "90", "it ends with today");
    await page.press("Escape");
    assert.equal(page.list("p.day").length, 0);
  });

  test("asks a private reader for the key, and then opens", async () => {
    const more = { isPrivate: true };
    const { id, path } = await createPage(app, { url: "closed", name: "Closed", more });
    const { body } = await app.call("POST", `/v1/status-pages/${id}/keys`, { body: {} });
    const page = await visit(path);
    await page.type(page.getField("Key"), "wrong");
    await page.click(page.get("button", "Show the page"));
    assert.match(page.document.body.textContent, /This key is not valid for this page\./);
    await page.type(page.getField("Key"), body.rawKey);
    await page.click(page.get("button", "Show the page"));
    assert.equal(page.read("h1"), "All systems operational");
    assert.equal(await page.goto(`${app.url}${path}/history`), 200);
  });
});

describe("the search of a page with more than twenty services", () => {
  let path: string;
  before(async () => {
    const names = Array.from({ length: 21 }, (_, index) => `Region ${index + 1}`);
    const cards = { West: names.slice(0, 10), East: names.slice(10) };
    path = (await createPage(app, { url: "many", cards })).path;
  });

  test("finds services by name, and cards by theirs", async () => {
    const page = await visit(path);
    const field = page.getField("Search services");
    await page.type(field, " region 2 ");
    assert.deepEqual(listShown(page), ["Region 2", "Region 20", "Region 21"]);
    assert.equal(page.read(".search [role=status]"), "3 found");
    await page.type(field, "nothing");
    assert.deepEqual(listShown(page), []);
    assert.equal(page.read(".search [role=status]"), "No service has this name.");
    await page.type(field, "EAST");
    assert.equal(page.read(".search [role=status]"), "11 found");
    await page.press("Escape");
    assert.equal(field.value, "");
    assert.equal(page.list("details.services:not([hidden])").length, 2);
  });

  test("survives a change of the page", async () => {
    const page = await visit(path);
    await page.type(page.getField("Search services"), "region 1");
    const { entries } = (await app.call("GET", "/v1/status-pages?limit=50")).body;
    const many = entries.find(({ url }: { url: string }) => url === "many");
    const body = { ...many, description: "Now with a lead" };
    assert.equal((await app.call("PUT", `/v1/status-pages/${many.id}`, { body })).status, 200);
    await isServed(path, "Now with a lead");
    await page.runFor(61_000);
    assert.match(page.document.body.textContent, /Now with a lead/);
    const field = page.getField("Search services");
    assert.equal(field.value, "region 1");
    assert.equal(page.focused, field);
    assert.equal(page.read(".search [role=status]"), "11 found");
  });

  test("is not offered without script, which lists all services", async () => {
    const page = await visit(path, { hasScript: false });
    assert.equal(page.get(".search").hidden, true);
    assert.equal(page.list(".service").length, 21);
  });
});

describe("a snapshot, served as files by another server", () => {
  test("shows its time, links to its own files, and warns when it is older than 15 minutes", async (t) => {
    const { serviceIds } = await createPage(app, { url: "kept" });
    await createIncident(app, { serviceIds, name: "Before the fall" });
    await waitUntil("the snapshot is written", async () => {
      const index = await readFile(join(folder, "kept", "index.html"), "utf8").catch(() => "");
      return index.includes("Before the fall");
    });
    const server = createServer(async (request, answer) => {
      const path = (request.url ?? "/").split("?")[0] ?? "";
      const bytes = await readFile(join(folder, path)).catch(() => null);
      answer.writeHead(bytes === null ? 404 : 200).end(bytes ?? "");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.after(() => server.close());
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/kept`;
    const now = new Date(app.clock.now().getTime() + 5 * 60_000);
    const page = await openPublicPage(`${address}/index.html`, { now });
    assert.match(page.read(".stamp"), /^As of 15 Nov 2026, 13:00/);
    assert.equal(page.get(".stale").hidden, true);
    await page.runFor(11 * 60_000);
    assert.equal(page.get(".stale").hidden, false);
    await page.click(page.get("nav a", "History"));
    assert.match(page.read("h1"), /^Incidents of/);
    await page.click(page.get("main a", "Before the fall"));
    assert.equal(page.read("h1"), "Before the fall");
    assert.ok(page.requested.every((url) => url.startsWith(`${address}/`)));
  });
});
