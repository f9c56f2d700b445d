import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger } from "../../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../../test/support/apps/shared-app.ts";
import {
  type KumaTables,
  writeKumaDatabase,
} from "../../../../test/support/imports/kuma-database.ts";

const minuteMs = 60_000;

let app: TestApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

async function upload(tables: KumaTables): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "vedette-import-test-"));
  try {
    writeKumaDatabase(join(folder, "kuma.db"), 2, tables);
    const answer = await fetch(`${app.url}/v1/imports/preview?source=uptime-kuma`, {
      method: "POST",
      headers: {
        "content-type": "application/octet-stream",
        authorization: `Bearer ${app.owner.apiKey}`,
      },
      body: new Uint8Array(readFileSync(join(folder, "kuma.db"))),
    });
    return ((await answer.json()) as { id: string }).id;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const ping = { type: "ping", interval: 60, hostname: "192.0.2.1" };
const monitor = [
  { ...ping, id: 1, name: "Router" },
  { ...ping, id: 2, name: "Switch" },
];
const at = (minutesAgo: number) => app.clock.now().getTime() - minutesAgo * minuteMs;
const kumaTime = (minutesAgo: number) =>
  new Date(at(minutesAgo)).toISOString().replace("T", " ").replace("Z", "");
const beat = (monitorId: number, status: 0 | 1, minutesAgo: number) => ({
  ...{ monitor_id: monitorId, important: 1, status, time: kumaTime(minutesAgo) },
});

/** Inserts a run per minute; those in the given ranges fail. */
async function addRuns(checkId: string, failing: readonly (readonly [number, number])[]) {
  const minutes = Array.from({ length: 300 }, (_, index) => 300 - index);
  const ids = minutes.map((minute, index) => {
    const time = at(minute).toString(16).padStart(12, "0");
    const tail = index.toString(16).padStart(12, "0");
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${tail}`;
  });
  const verdicts = minutes.map((minute) =>
    failing.some(([from, to]) => minute <= from && minute > to) ? 3 : 1,
  );
  await app.query(
    `insert into results (check_id, id, location, probe_id, attempt, is_final, verdict,
        started_at, stopped_at, hostname, ip_family, ping_count)
      select $1, id, 'eu-west-1', 'probe', 1, true, verdict, now(), now(), 'h', 'IPv4', 10
      from unnest($2::uuid[], $3::smallint[]) as one (id, verdict)`,
    [checkId, ids, verdicts],
  );
}

interface Compared {
  readonly name: string;
  readonly alerts: number;
  readonly compared: { both: number; onlyHere: number; onlyThere: number } | null;
}

test("after a while, alerts of muted checks are compared with the old monitor's outages", async () => {
  const first = await upload({ monitor });
  const imported = await app.call("POST", `/v1/imports/${first}/run`, { body: { muted: true } });
  assert.equal(imported.status, 200, imported.text);
  await app.query("update imported_objects set created_at = $1", [new Date(at(300))]);
  const { body: checks } = await app.call("GET", "/v1/checks");
  const idOf = (wanted: string) =>
    checks.find(({ name }: { name: string }) => name === wanted).id as string;
  await addRuns(idOf("Router"), [
    [250, 240],
    [100, 90],
  ]);
  await addRuns(idOf("Switch"), []);

  const path = `/v1/imports/${first}/comparison`;
  const alone = await app.call("GET", path);
  assert.equal(alone.status, 200, alone.text);
  assert.equal(alone.body.comparedUntil, null);
  assert.deepEqual([alone.body.totals.alerts, alone.body.checks[0].compared], [2, null]);

  const heartbeat = [
    ...[beat(1, 0, 251), beat(1, 1, 245)],
    ...[beat(2, 0, 200), beat(2, 1, 190)],
    beat(1, 1, 20),
  ];
  const hours = (monitorId: number) => ({
    ...{ monitor_id: monitorId, ping: 20, ping_min: 10, ping_max: 60, up: 60, down: 0 },
    timestamp: Math.floor(at(60) / 3_600_000) * 3_600,
  });
  const days = { ...hours(1), timestamp: Math.floor(at(60) / 86_400_000) * 86_400 };
  await upload({
    monitor,
    heartbeat,
    stat_hourly: [hours(1), hours(2)],
    stat_daily: [days],
  });
  const { body } = await app.call("GET", path);
  assert.ok(body.comparedUntil > new Date(at(100)).toISOString());
  const found = body.checks.map(({ name, alerts, compared }: Compared) => [
    ...[name, alerts, compared?.both, compared?.onlyHere, compared?.onlyThere],
  ]);
  assert.deepEqual(found, [
    ["Router", 2, 1, 1, 0],
    ["Switch", 0, 0, 0, 1],
  ]);
  assert.deepEqual(body.totals, {
    ...{ checks: 2, muted: 2, alerts: 2 },
    ...{ both: 1, onlyHere: 1, onlyThere: 1 },
  });
  const ids = body.checks.map(({ checkId }: { checkId: string }) => checkId);
  await app.call("POST", "/v1/checks/bulk", { body: { ids, action: "unmute" } });
  assert.equal((await app.call("GET", path)).body.totals.muted, 0);

  const stranger = await addStranger(app);
  const theirs = { key: stranger.key, account: stranger.accountId };
  assert.equal((await app.call("GET", path, theirs)).status, 404);
});
