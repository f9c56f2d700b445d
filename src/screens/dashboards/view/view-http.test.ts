import assert from "node:assert/strict";
import { after, before } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger, type Stranger } from "../../../../test/support/apps/cast.ts";
import { endlessSheet, startEndlessThread } from "../../../../test/support/inputs/endless-css.ts";
import { test } from "../../../../test/support/long-run.ts";
import {
  addDashboard,
  addDashboardChecks,
  writeStates,
} from "../../../../test/support/modules/dashboards.ts";
import { openEvents } from "../../../../test/support/servers/event-stream.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";
import { FilteredSheets, filteredSheets } from "../../../sites/publishing/custom-css/page-css.ts";
import type { Sheet } from "../../../sites/publishing/custom-css/values.ts";

let app: TestApp;
let stranger: Stranger;
let ids: string[];
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  stranger = await addStranger(app);
  const { body: group } = await app.call("POST", "/v1/check-groups", {
    body: { name: "The group", tags: ["from-group"] },
  });
  ids = await addDashboardChecks(app, [
    { name: "alpha", status: "passing", tags: ["sea"], forMs: 7_200_000 },
    { name: "bravo", status: "failing", tags: ["sea", "north"], forMs: 600_000 },
    { name: "charlie", status: "degraded", tags: ["north"], groupId: group.id },
    { name: "delta", tags: ["land"] },
    { name: "echo", status: "passing", tags: ["land"], activated: false },
  ]);
});
after(() => app.stop());

const get = (path: string, more = {}) => app.call("GET", path, { key: null, ...more });
const namesIn = (text: string) =>
  [...text.matchAll(/class="check-name">([^<]*)</g)].map(([, name]) => name);

test("the page contains the view, and nothing inline or cross-origin", async () => {
  const { path } = await addDashboard(app, { header: "Control <room>", description: "a & b" });
  const { status, text, headers } = await get(path);
  assert.equal(status, 200);
  assert.match(headers.get("content-type") ?? "", /^text\/html/);
  const policy = headers.get("content-security-policy") ?? "";
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  assert.ok(text.includes("Control &lt;room&gt;") && text.includes("a &amp; b"));
  assert.deepEqual(namesIn(text), ["bravo", "charlie", "alpha", "delta"]);
  assert.doesNotMatch(text, /<script>|<style|\sstyle=|\son\w+=|https?:\/\//);
  const view = await get(`${path}/view`);
  assert.ok(text.includes(view.text), "the page and its part are the same");
});

test("each check shows its state as text, since when, its group and its tags", async () => {
  const { path } = await addDashboard(app);
  const { text } = await get(path);
  const row = (name: string) => {
    const at = text.indexOf(`"check-name">${name}<`);
    return text.slice(text.lastIndexOf("<tbody", at), text.indexOf("</tbody>", at));
  };
  assert.match(row("bravo"), /Failing<\/b>.*10 min<\/time>/s);
  assert.match(row("bravo"), /datetime="2026-11-15T11:50:00.000Z"/);
  assert.match(row("alpha"), /Passing<\/b>.*2 h<\/time>/s);
  assert.match(row("charlie"), /Degraded.*The group.*from-group/s);
  assert.match(row("delta"), /No data<\/b><span class="since">no run yet/);
  assert.match(text, /<b>1<\/b> failing/);
});

test("a dashboard is found by id and custom address, in any case, with and without a slash", async () => {
  const { dashboardId } = await addDashboard(app, { customUrl: "My-Wall" });
  for (const path of [dashboardId, dashboardId.toUpperCase(), "my-wall", "MY-WALL", "my-wall/"]) {
    const { status, text } = await get(`/dashboards/${path}`);
    assert.equal(status, 200, path);
    assert.match(text, /data-base="\/dashboards\/[^"/]+\/"/);
  }
  const missing = await get("/dashboards/there-is-none");
  assert.equal(missing.status, 404);
  assert.match(missing.text, /Dashboard not found/);
  assert.equal((await get("/dashboards/there-is-none/view")).headers.get("x-dashboard"), "closed");
  assert.equal((await get("/dashboards/there-is-none/events")).status, 404);
  assert.equal((await app.call("POST", `/dashboards/${dashboardId}`)).status, 405);
});

test("tags select checks by any or all of them, including the group's tags", async () => {
  const names = async (body: Readonly<Record<string, unknown>>) =>
    namesIn((await get((await addDashboard(app, body)).path)).text);
  assert.deepEqual(await names({ tags: ["sea", "north"] }), ["bravo", "charlie", "alpha"]);
  assert.deepEqual(await names({ tags: ["sea", "north"], useTagsAndOperator: true }), ["bravo"]);
  assert.deepEqual(await names({ tags: ["from-group"] }), ["charlie"]);
  assert.deepEqual(await names({ tags: ["nobody"] }), []);
  assert.deepEqual(await names({ sortByStatus: true }), ["bravo", "charlie", "delta", "alpha"]);
});

test("pages have checksPerPage checks, and a missing page is the nearest", async () => {
  const { path } = await addDashboard(app, { checksPerPage: 3 });
  assert.deepEqual(namesIn((await get(path)).text), ["bravo", "charlie", "alpha"]);
  const second = await get(`${path}?page=2`);
  assert.deepEqual(namesIn(second.text), ["delta"]);
  assert.match(second.text, /Page 2 of 2/);
  assert.deepEqual(namesIn((await get(`${path}/view?page=99`)).text), ["delta"]);
  for (const bad of ["0", "-1", "x", "1.5", "1e9"]) {
    assert.equal((await get(`${path}?page=${bad}`)).status, 400, bad);
  }
  const whole = await addDashboard(app, { checksPerPage: 1, paginate: false });
  assert.equal(namesIn((await get(whole.path)).text).length, 4);
});

test("without JavaScript, the browser cycles the pages by refresh", async () => {
  const turning = await addDashboard(app, { checksPerPage: 3, paginationRate: 30 });
  const refresh = async (path: string) =>
    /<noscript><meta http-equiv="refresh" content="([^"]*)">/.exec((await get(path)).text)?.[1];
  assert.equal(await refresh(turning.path), "30; url=?page=2");
  assert.equal(await refresh(`${turning.path}?page=2`), "30; url=?page=1");
  const still = await addDashboard(app, { refreshRate: 300 });
  assert.equal(await refresh(still.path), "300");
});

const description = "All of it";
const seaAndNorth = { tags: ["sea", "north"] };

/** A setting, the markup it produces, and the settings without it. */
const shownBy: readonly (readonly [
  Readonly<Record<string, unknown>>,
  RegExp,
  Readonly<Record<string, unknown>>,
])[] = [
  [{ description }, /class="header-text">Dashboard.*All of it/, { description, showHeader: false }],
  [{ description }, /All of it/, {}],
  [{ checksPerPage: 2 }, /Page 1 of 2/, { checksPerPage: 2, paginate: false }],
  [{ width: "960PX" }, /class="dashboard width-960"/, { width: "FULL" }],
  [{ layout: "TILES" }, /<ul class="tiles"><li class="tile check-/, { layout: "TABLE" }],
  [{}, /class="tag"/, { hideTags: true }],
  [{ ...seaAndNorth }, /"check-name">alpha</, { ...seaAndNorth, useTagsAndOperator: true }],
  [{ expandChecks: true }, /class="place-name"/, {}],
  [{ showCheckRunLinks: true }, /class="run-link"/, {}],
  [{}, /class="check-group">The group</, { showGroupNames: false }],
  [{}, /class="figure figure-p95"/, { showP95: false }],
  [{}, /class="figure figure-p99"/, { showP99: false }],
  [{ customCSS: ".tag { color: red }" }, /custom\.css\?v=/, {}],
];

for (const [on, pattern, off] of shownBy) {
  test(`${JSON.stringify(on)} shows what ${JSON.stringify(off)} does not`, async () => {
    assert.match((await get((await addDashboard(app, on)).path)).text, pattern);
    assert.doesNotMatch((await get((await addDashboard(app, off)).path)).text, pattern);
  });
}

test("hostile names are text", async () => {
  const hostile = `<img src=x onerror=alert(1)>"'&</title><script>`;
  await addDashboardChecks(
    app,
    [{ name: hostile, status: "failing", tags: [hostile], locations: ["eu-west-1"] }],
    stranger.accountId,
  );
  const { body } = await app.call("POST", "/v1/dashboards", {
    key: stranger.key,
    body: {
      header: hostile,
      description: hostile,
      expandChecks: true,
      isPrivate: false,
      link: 'https://example.org/?a="><script>',
      logo: null,
    },
  });
  const { text, status } = await get(`/dashboards/${body.dashboardId}`);
  assert.equal(status, 200);
  assert.doesNotMatch(text, /<img src=x|<script>|onerror=alert\(1\)>/);
  assert.ok(text.includes("&lt;img src=x onerror=alert(1)&gt;"));
  assert.deepEqual(namesIn(text).length, 1, "a stranger's dashboard shows nothing of ours");
});

test("a view has an ETag, is compressed on request, and responds 304 while unchanged", async () => {
  const { path } = await addDashboard(app);
  const first = await get(`${path}/view`, { headers: { "accept-encoding": "gzip" } });
  assert.equal(first.headers.get("content-encoding"), "gzip");
  assert.match(first.text, /class="board/);
  assert.equal(first.headers.get("x-dashboard-now"), String(app.clock.now().getTime()));
  const etag = first.headers.get("etag") ?? "";
  const again = await get(`${path}/view`, { headers: { "if-none-match": etag } });
  assert.equal(again.status, 304);
  assert.equal(again.text, "");
  assert.equal(first.headers.get("cache-control"), "no-cache");
  const plain = await get(`${path}/view`, { headers: { "accept-encoding": "identity" } });
  assert.equal(plain.headers.get("content-encoding"), null);
  assert.equal(plain.text, first.text);
});

test("a state change notifies every viewer of the account, and the next view shows it", async () => {
  const { path } = await addDashboard(app, { tags: ["land"] });
  assert.match((await get(`${path}/view`)).text, /No data/);
  const events = await openEvents(`${app.url}${path}/events`);
  await waitUntil("the stream is open", () => events.names().includes("beat"));
  await writeStates(app, [{ id: ids[3] ?? "", status: "failing" }]);
  await waitUntil("the viewer is notified", () => events.names().includes("changed"));
  assert.match((await get(`${path}/view`)).text, /check-failing/);
  events.close();
});

test("changes of checks, settings and incidents notify viewers too", async () => {
  const { path, dashboardId } = await addDashboard(app, { enableIncidents: true });
  const events = await openEvents(`${app.url}${path}/events`);
  await waitUntil("the stream is open", () => events.names().includes("beat"));
  const heard = async (what: string, act: () => Promise<unknown>, pattern: RegExp) => {
    const before = events.names().filter((name) => name === "changed").length;
    await act();
    await waitUntil(
      `${what} is heard`,
      () => events.names().filter((name) => name === "changed").length > before,
    );
    await waitUntil(`${what} is shown`, async () => pattern.test((await get(path)).text));
  };
  await heard(
    "a new check",
    () =>
      app.call("POST", "/v1/checks/icmp", {
        body: { name: "foxtrot", frequency: 1440, request: { hostname: "127.0.0.1" } },
      }),
    /foxtrot/,
  );
  await heard(
    "a setting",
    () => app.call("PUT", `/v1/dashboards/${dashboardId}`, { body: { header: "Renamed" } }),
    /Renamed/,
  );
  await heard(
    "an incident",
    () =>
      app.query(
        `with made as (insert into incidents (id, account_id, name, severity, status, started_at,
            is_automatic, open_spans, created_at)
          values (gen_random_uuid(), $1, 'Cable cut', 'MAJOR', 'IDENTIFIED', $2, false, '[]', $2)
          returning id)
        insert into incident_updates (id, account_id, incident_id, status, description, public_at,
          notify_subscribers, created_at)
        select gen_random_uuid(), $1, id, 'IDENTIFIED', '**Divers** are [on the way](https://x.test)',
          $2, false, $2 from made`,
        [app.owner.accountId, app.clock.now()],
      ),
    /Cable cut.*Divers are on the way/s,
  );
  const without = await addDashboard(app);
  assert.doesNotMatch((await get(without.path)).text, /Cable cut/);
  events.close();
});

test("a view is built once for all viewers, and again after 30 seconds", async () => {
  const { path } = await addDashboard(app, { tags: ["sea"] });
  const asOf = async () => /data-as-of="([^"]*)"/.exec((await get(`${path}/view`)).text)?.[1];
  let first: string | undefined;
  // Change notifications of the dashboard itself may still arrive.
  await waitUntil("a view is cached", async () => {
    app.clock.advance(1_000);
    const before = first;
    first = await asOf();
    return before === first;
  });
  app.clock.advance(27_000);
  assert.equal(await asOf(), first);
  app.clock.advance(3_000);
  assert.notEqual(await asOf(), first);
});

test("an address has at most fifty streams, and an ended stream frees its slot", async () => {
  const { path } = await addDashboard(app);
  const url = `${app.url}${path}/events`;
  const open = await Promise.all(Array.from({ length: 50 }, () => openEvents(url)));
  assert.deepEqual(new Set(open.map(({ status }) => status)), new Set([200]));
  const more = await openEvents(url);
  assert.equal(more.status, 429);
  assert.ok(Number(more.headers.get("retry-after")) > 0);
  for (const one of open) one.close();
  await waitUntil("a slot is free again", async () => {
    const one = await openEvents(url);
    one.close();
    return one.status === 200;
  });
});

test("the custom CSS is served filtered, and only if there is one", async () => {
  const css = ".check { color: red } .x { background: url(https://evil.example) }";
  const { path } = await addDashboard(app, { customCSS: css });
  const { text } = await get(path);
  assert.match(text, /href="[^"]*custom\.css\?v=[0-9a-f]{12}"/);
  const sheet = await get(`${path}/custom.css`);
  assert.match(sheet.headers.get("content-type") ?? "", /^text\/css/);
  assert.equal(sheet.text, ".dashboard .check{color:red}");
  assert.doesNotMatch((await get((await addDashboard(app)).path)).text, /custom\.css/);
});

test("CSS that takes too long to filter is rejected, and others are filtered", {
  isLong: true,
}, async (context) => {
  const { path, dashboardId } = await addDashboard(app, { customCSS: endlessSheet });
  const endless = new FilteredSheets(startEndlessThread());
  context.mock.method(filteredSheets, "read", (sheet: Sheet) => endless.read(sheet));
  const change = (customCSS: string) =>
    app.call("PUT", `/v1/dashboards/${dashboardId}`, { body: { customCSS } });
  const rejected = await change(endlessSheet);
  assert.equal(rejected.status, 400);
  assert.equal(rejected.body.message, "customCSS takes too long to parse");
  assert.equal((await get(`${path}/custom.css`)).status, 503);
  assert.equal((await change(".a{color:red}")).status, 200);
  // Servers receive the change notification with a delay.
  await waitUntil("the new CSS is served", async () => {
    const sheet = await get(`${path}/custom.css`);
    return sheet.text === ".dashboard .a{color:red}";
  });
});

test("run links open the last run in the application, and locations are shown on request", async () => {
  const { path } = await addDashboard(app, { showCheckRunLinks: true, tags: ["sea"] });
  const { text } = await get(path);
  assert.match(text, /href="http[^"]*\/checks\/[0-9a-f-]{36}\?run=[0-9a-f-]{36}"/);
  assert.doesNotMatch(text, /class="place-name"/);
  const expanded = await get(`${path}?expand=1`);
  assert.match(
    expanded.text,
    /class="place-name"[^>]*>eu-west-1<.*class="place-name"[^>]*>us-east-1</s,
  );
  const always = await addDashboard(app, { expandChecks: true, tags: ["sea"] });
  assert.match((await get(always.path)).text, /class="place-name"/);
  assert.doesNotMatch((await get(`${always.path}?expand=0`)).text, /class="place-name"/);
  assert.doesNotMatch((await get(always.path)).text, /\?run=/);
});
