import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { addStranger } from "../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import {
  type KumaTables,
  kumaTables,
  writeKumaDatabase,
} from "../../../test/support/imports/kuma-database.ts";

const preview = "/v1/imports/preview?source=uptime-kuma&fileName=kuma.db";

async function upload(
  app: TestApp,
  tables: KumaTables,
  version: 1 | 2 = 2,
  query = "",
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "vedette-import-test-"));
  try {
    writeKumaDatabase(join(folder, "kuma.db"), version, tables);
    const answer = await fetch(`${app.url}${preview}${query}`, {
      method: "POST",
      headers: {
        "content-type": "application/octet-stream",
        authorization: `Bearer ${app.owner.apiKey}`,
      },
      body: new Uint8Array(readFileSync(join(folder, "kuma.db"))),
    });
    assert.equal(answer.status, 201);
    return ((await answer.json()) as { id: string }).id;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const run = async (app: TestApp, id: string, body: object = {}) =>
  app.call("POST", `/v1/imports/${id}/run`, { body });

async function startApp(t: { after: (stop: () => Promise<void>) => void }): Promise<TestApp> {
  const app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  t.after(() => app.stop());
  return app;
}

const countRows = async (app: TestApp, table: string): Promise<number> =>
  Number((await app.query(`select count(*) from ${table}`)).rows[0].count);

test("an installation of Uptime Kuma moves in, and importing again changes nothing", async (t) => {
  const app = await startApp(t);
  const first = await run(app, await upload(app, kumaTables), { muted: true });
  assert.equal(first.status, 200, first.text);
  const { created, updated, addresses } = first.body.outcome;
  assert.deepEqual([created, updated, addresses], [20, 0, 1]);
  const { body: checks } = await app.call("GET", "/v1/checks?limit=100");
  assert.equal(checks.length, 10);
  assert.ok(checks.every(({ muted }: { muted: boolean }) => muted));
  const shop = checks.find(({ name }: { name: string }) => name === "Shop");
  assert.deepEqual(shop.tags, ["team:edge", "public"]);
  assert.equal(shop.alertChannelSubscriptions.length, 2);
  const group = await app.call("GET", `/v1/check-groups/${shop.groupId}`);
  assert.equal(group.body.name, "Production / Web");
  const page = await app.call("GET", "/v1/status-pages");
  assert.deepEqual(
    page.body.entries[0].cards[0].services.map(({ name }: { name: string }) => name),
    ["Shop", "Office"],
  );
  assert.equal(await countRows(app, "maintenance_windows"), 3);

  const again = await run(app, await upload(app, kumaTables), { muted: false });
  assert.deepEqual(
    [again.body.outcome.created, again.body.outcome.updated, again.body.outcome.unchanged],
    [0, 0, 20],
  );
  const { body: after } = await app.call("GET", "/v1/checks?limit=100");
  assert.deepEqual(after, checks);
});

test("two installations of one tool do not change each other's checks", async (t) => {
  const app = await startApp(t);
  const install = (secret: string, hostname: string, url = ""): KumaTables => ({
    monitor: [{ id: 1, name: hostname, type: "ping", interval: 60, hostname }],
    setting: [
      { key: "jwtSecret", value: secret },
      { key: "primaryBaseURL", value: JSON.stringify(url) },
    ],
  });
  const office = (hostname: string) => install("one", hostname, "https://kuma.office.test");
  const nameOf = async (id: string) => (await app.call("GET", `/v1/imports/${id}`)).body.name;
  const move = async (tables: KumaTables, query = "") => {
    const id = await upload(app, tables, 2, query);
    const { body } = await run(app, id);
    return [await nameOf(id), body.outcome.created, body.outcome.updated];
  };
  assert.deepEqual(await move(office("a.example.com")), ["", 1, 0]);
  const plant = install("two", "b.example.com", "https://kuma.plant.test");
  assert.deepEqual(await move(plant), ["kuma.plant.test", 1, 0]);
  assert.deepEqual(await move(office("c.example.com")), ["", 0, 1]);
  assert.deepEqual(await move(plant), ["kuma.plant.test", 0, 0]);
  assert.deepEqual(await move(plant, "&name=other"), ["other", 1, 0]);
  const { body: checks } = await app.call("GET", "/v1/checks");
  assert.deepEqual(checks.map(({ name }: { name: string }) => name).sort(), [
    ...["b.example.com", "b.example.com", "c.example.com"],
  ]);
});

test("a newer file changes what differs, and a deleted check is created again", async (t) => {
  const app = await startApp(t);
  const monitor = { id: 1, type: "ping", interval: 60, hostname: "a.example.com" };
  const tables = (name: string) => ({
    monitor: [
      { ...monitor, name },
      { ...monitor, id: 2, name: "Other" },
    ],
  });
  await run(app, await upload(app, tables("Router")));
  const { body: before } = await app.call("GET", "/v1/checks");
  const other = before.find(({ name }: { name: string }) => name === "Other");
  await app.call("DELETE", `/v1/checks/${other.id}`);
  const { body } = await run(app, await upload(app, tables("Core router")));
  assert.deepEqual([body.outcome.created, body.outcome.updated], [1, 1]);
  const { body: checks } = await app.call("GET", "/v1/checks");
  const names = checks.map(({ name }: { name: string }) => name).sort();
  assert.deepEqual(names, ["Core router", "Other"]);
});

test("what somebody changed here stays, and what changed in the source follows it", async (t) => {
  const app = await startApp(t);
  const monitor = { id: 1, type: "http", interval: 60, url: "https://a.example.com" };
  const tables = (name: string) => ({ monitor: [{ ...monitor, name }] });
  await run(app, await upload(app, tables("Shop")), { muted: true });
  const [before] = (await app.call("GET", "/v1/checks")).body;
  const settings = { ...before.alertSettings, reminders: { amount: 3, interval: 30 } };
  const edit = { muted: false, frequency: 10, alertSettings: settings };
  const edited = await app.call("PUT", `/v1/checks/${before.id}`, { body: edit });
  assert.equal(edited.status, 200, edited.text);
  const { body } = await run(app, await upload(app, tables("Store")), { muted: true });
  assert.deepEqual([body.outcome.updated, body.outcome.unchanged], [1, 0]);
  const [after] = (await app.call("GET", "/v1/checks")).body;
  assert.deepEqual(
    [after.id, after.name, after.muted, after.frequency, after.alertSettings.reminders.amount],
    [before.id, "Store", false, 10, 3],
  );
  const owners = await app.call("GET", "/v1/project-resources");
  assert.doesNotMatch(owners.text, new RegExp(before.id));
});

test("a monitor that has another type now becomes a new check", async (t) => {
  const app = await startApp(t);
  const monitor = { id: 1, name: "Router", interval: 60, hostname: "a.example.com", port: 22 };
  await run(app, await upload(app, { monitor: [{ ...monitor, type: "ping" }] }));
  const { body } = await run(app, await upload(app, { monitor: [{ ...monitor, type: "port" }] }));
  assert.equal(body.outcome.created, 1);
  assert.deepEqual(body.outcome.notes, ["kuma/1 has another type now: a new check was created."]);
  assert.equal(await countRows(app, "checks"), 2);
});

test("an excluded monitor is not imported, and nothing is written if one object is rejected", async (t) => {
  const app = await startApp(t);
  const id = await upload(app, kumaTables);
  const page = { name: "Other", url: "shop", cards: [] };
  await app.call("POST", "/v1/status-pages", { body: page });
  const rejected = await run(app, id);
  assert.equal(rejected.status, 409, rejected.text);
  assert.match(rejected.body.message, /^status-page "kuma\/status-page-1": url shop is taken/);
  assert.deepEqual(
    [await countRows(app, "checks"), await countRows(app, "imported_objects")],
    [0, 0],
  );
  const exclude = ["kuma/status-page-1", "kuma/8"];
  const accepted = await run(app, id, { exclude });
  assert.equal(accepted.status, 200, accepted.text);
  assert.equal(accepted.body.outcome.created, 18);
});

test("jobs ping their old address of Uptime Kuma until it is removed", async (t) => {
  const app = await startApp(t);
  await run(app, await upload(app, kumaTables));
  const path = "/api/push/kumaPushToken123";
  const ping = await app.call("GET", `${path}?status=down&msg=disk%20full&ping=12.5`, {
    key: null,
  });
  assert.deepEqual([ping.status, ping.body], [200, { ok: true }]);
  const { body: checks } = await app.call("GET", "/v1/checks?limit=100");
  const job = checks.find(({ name }: { name: string }) => name === "Nightly backup");
  const events = await app.call("GET", `/v1/checks/heartbeats/${job.id}/events`);
  assert.equal(events.body[0].events[0].state, "FAILING");
  const result = await app.call(
    "GET",
    `/v1/check-results/${job.id}/${events.body[0].events[0].id}`,
  );
  assert.match(result.text, /disk full/);
  const stranger = await addStranger(app);
  const theirs = { key: stranger.key, account: stranger.accountId };
  assert.deepEqual((await app.call("GET", "/v1/push-addresses", theirs)).body, []);
  const { body: addresses } = await app.call("GET", "/v1/push-addresses");
  assert.deepEqual(
    [addresses.length, addresses[0].address, addresses[0].checkId],
    [1, "/api/push/kuma…", job.id],
  );
  const { rows } = await app.query("select one::text as text from push_addresses one");
  assert.doesNotMatch(JSON.stringify(rows), /kumaPushToken123/);
  const unknown = await app.call("GET", `${path}0`, { key: null });
  const expected = { ok: false, msg: "Monitor not found or not active." };
  assert.deepEqual([unknown.status, unknown.body], [404, expected]);
  await app.call("DELETE", `/v1/push-addresses/${addresses[0].id}`);
  assert.equal((await app.call("POST", path, { key: null })).status, 404);
});

test("an address of another account and a weak token are not kept, and the run reports it", async (t) => {
  const app = await startApp(t);
  const push = { type: "push", interval: 60 };
  const monitor = [
    { ...push, id: 1, name: "Taken", push_token: "kumaPushToken123" },
    { ...push, id: 2, name: "Weak", push_token: "short" },
  ];
  const stranger = await addStranger(app);
  const content = JSON.stringify({
    monitorList: [{ ...push, id: 9, name: "First", pushToken: "kumaPushToken123" }],
  });
  const theirs = { key: stranger.key, account: stranger.accountId };
  const files = { files: [{ name: "backup.json", content }] };
  const made = await app.call("POST", preview, { body: files, ...theirs });
  await app.call("POST", `/v1/imports/${made.body.id}/run`, { body: {}, ...theirs });
  const { body } = await run(app, await upload(app, { monitor }));
  assert.equal(body.outcome.addresses, 0);
  assert.deepEqual(body.outcome.notes, [
    "The old address of kuma/1 is not kept: it is in use by another check.",
    "The old address of kuma/2 is not kept: its token is too short to be safe.",
  ]);
});

test("history becomes statistics, and the status page starts with it", async (t) => {
  const app = await startApp(t);
  const nowMs = app.clock.now().getTime();
  const dayMs = 86_400_000;
  const today = Math.floor(nowMs / dayMs) * dayMs;
  const days = Array.from({ length: 90 }, (_, index) => (today - (index + 1) * dayMs) / 1_000);
  const toText = (ms: number) => new Date(ms).toISOString().replace("T", " ").replace("Z", "");
  const totals = { monitor_id: 3, ping: 20, ping_min: 10, ping_max: 60 };
  const outage = { monitor_id: 3, important: 1 };
  const id = await upload(app, {
    ...kumaTables,
    stat_daily: days.map((timestamp) => ({ ...totals, timestamp, up: 1_430, down: 10 })),
    stat_hourly: Array.from({ length: 24 }, (_, hour) => ({
      ...{ ...totals, up: 60, down: 0 },
      timestamp: today / 1_000 - (hour + 1) * 3_600,
    })),
    heartbeat: [
      { ...outage, status: 0, time: toText(today - 10 * dayMs) },
      { ...outage, status: 1, time: toText(today - 10 * dayMs + 6 * 3_600_000) },
    ],
  });
  const { body } = await run(app, id);
  assert.equal(body.outcome.histories, 1);
  const { body: checks } = await app.call("GET", "/v1/checks?limit=100");
  const shop = checks.find(({ name }: { name: string }) => name === "Shop");
  const toDate = (ms: number) => new Date(ms).toISOString();
  const window = `from=${toDate(today - 30 * dayMs)}&to=${toDate(today)}`;
  const analytics = await app.call(
    "GET",
    `/v1/analytics/url-monitors/${shop.id}?${window}&metrics=availability`,
  );
  assert.equal(analytics.status, 200, analytics.text);
  assert.match(analytics.text, /99\.3/);
  const summary = await app.call("GET", "/status/shop/summary.json", { key: null });
  assert.equal(summary.status, 200, summary.text);
  const page = await app.call("GET", "/status/shop", { key: null });
  assert.match(page.text, /99\.7/);
});

test("jobs of Gatus and Healthchecks keep their addresses", async (t) => {
  const app = await startApp(t);
  const importText = async (source: string, content: string) => {
    const body = { files: [{ name: "file", content }] };
    const made = await app.call("POST", `/v1/imports/preview?source=${source}`, { body });
    assert.equal(made.status, 201, made.text);
    const ran = await run(app, made.body.id);
    assert.equal(ran.status, 200, ran.text);
    return ran.body.outcome;
  };
  const gatus = "external-endpoints: [{ name: Backup, group: core, token: a-long-secret-token }]";
  assert.equal((await importText("gatus", gatus)).addresses, 1);
  const path =
    "/api/v1/endpoints/core_backup/external?success=false&error=disk%20full&duration=10s";
  const send = (token: string) =>
    app.call("POST", path, { key: null, headers: { authorization: `Bearer ${token}` } });
  assert.equal((await send("a-long-secret-token")).status, 200);
  assert.equal((await send("another-long-token")).status, 404);
  const { body: checks } = await app.call("GET", "/v1/checks");
  const events = await app.call("GET", `/v1/checks/heartbeats/${checks[0].id}/events`);
  assert.equal(events.body[0].events[0].state, "FAILING");

  const without = await app.call("POST", path, { key: null });
  assert.deepEqual([without.status, without.text], [401, "invalid Authorization header"]);

  const uuid = "31365bce-8da9-4729-8ff3-aaa71d56b712";
  const key = "fqOOd6-F4MMNuCEnzTU01w";
  const list = {
    ping_key: key,
    checks: [{ name: "Report", slug: "report", timeout: 3_600, grace: 60, uuid }],
  };
  const outcome = await importText("healthchecks", JSON.stringify(list));
  assert.deepEqual([outcome.created, outcome.addresses], [1, 2]);
  const ends = ["", "/start", "/fail", "/log", "/0", "/3", "?rid=nightly-1"];
  for (const address of [`/ping/${uuid}`, `/${uuid}`, `/${uuid.toUpperCase()}`, `/${key}/report`]) {
    for (const end of ends) {
      if (address.startsWith("/ping") && end === "/log") continue;
      const { status, text } = await app.call("GET", `${address}${end}`, { key: null });
      assert.deepEqual([status, text], [200, "OK"], `${address}${end}`);
    }
  }
  const body = "x".repeat(20_000);
  const posted = await fetch(`${app.url}/${uuid}/fail`, { method: "POST", body });
  assert.equal(posted.status, 200);
  const tooLong = await fetch(`${app.url}/${uuid}`, {
    method: "POST",
    body: "x".repeat(1_100_000),
  });
  assert.equal(tooLong.status, 413);
  const other = "00000000-8da9-4729-8ff3-aaa71d56b712";
  for (const unknown of [`/${other}`, `/${other}/start`, `/${key}/other`, `/${key}/other/fail`]) {
    const { status, text } = await app.call("GET", unknown, { key: null });
    assert.deepEqual([status, text], [404, "not found"], unknown);
  }
  assert.equal((await app.call("GET", `/${uuid}/256`, { key: null })).status, 400);
  const { body: addresses } = await app.call("GET", "/v1/push-addresses");
  const shown = addresses.map(({ address, checkName }: Record<string, string>) => [
    ...[address, checkName],
  ]);
  assert.deepEqual(shown.sort(), [
    ["/3136…", "Report"],
    ["/api/v1/endpoints/core_backup/external", "Backup"],
    ["/fqOO…/report", "Report"],
  ]);
  for (const { id } of addresses) await app.call("DELETE", `/v1/push-addresses/${id}`);
  assert.equal((await app.call("GET", `/${uuid}`, { key: null })).status, 404);
});
