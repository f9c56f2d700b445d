import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Answer, TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger, createKey, type Stranger } from "../../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../../test/support/apps/shared-app.ts";

let app: TestApp;
let stranger: Stranger;
const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
const nobody = "0199a1f0-0000-7000-8000-000000000000";

before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  stranger = await addStranger(app);
});
after(() => app.stop());

/** Creates a deactivated check, older than the results that the test inserts. */
async function newCheck(more: Record<string, unknown> = {}): Promise<string> {
  const body = { name: "Router", activated: false, ...more, request: { hostname: "192.0.2.1" } };
  const { body: made } = await app.call("POST", "/v1/checks/icmp", { body });
  await app.query("update checks set created_at = created_at - interval '60 days' where id = $1", [
    made.id,
  ]);
  return made.id;
}

const codes = { unknown: 0, passing: 1, degraded: 2, failing: 3 };

interface Past {
  readonly minutesAgo: number;
  readonly verdict: keyof typeof codes;
  readonly isFinal?: boolean;
}

function idOf(minutesAgo: number, chance: number): string {
  const dueAtMs = app.clock.now().getTime() - minutesAgo * minuteMs;
  const time = dueAtMs.toString(16).padStart(12, "0");
  const tail = chance.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${tail}`;
}

async function addResults(checkId: string, past: readonly Past[]): Promise<string[]> {
  const ids = past.map(({ minutesAgo }, index) => idOf(minutesAgo, index));
  const isFinal = past.map((one) => one.isFinal ?? true);
  await app.query(
    `insert into results (check_id, id, location, probe_id, attempt, is_final, verdict,
        started_at, stopped_at, hostname, ip_family, ping_count)
      select $1, id, 'eu-west-1', 'probe', 1, is_final, verdict, now(), now(), 'h', 'IPv4', 10
      from unnest($2::uuid[], $3::boolean[], $4::smallint[]) as one (id, is_final, verdict)`,
    [checkId, ids, isFinal, past.map(({ verdict }) => codes[verdict])],
  );
  return ids;
}

const pathOf = (checkId: string) => `/v1/checks/${checkId}/alert-back-test`;
const backTest = (checkId: string, body: unknown = { alertSettings: {} }) =>
  app.call("POST", pathOf(checkId), { body });
const listKinds = ({ body }: Answer): string[] =>
  body.alerts.map(({ kind }: { kind: string }) => kind);

const outage: readonly Past[] = [
  { minutesAgo: 60, verdict: "passing" },
  { minutesAgo: 50, verdict: "failing" },
  { minutesAgo: 40, verdict: "failing", isFinal: false },
  { minutesAgo: 39, verdict: "failing" },
  { minutesAgo: 30, verdict: "passing" },
];

test("a back-test lists the alerts that would have been sent, with time, reason and delay", async () => {
  const checkId = await newCheck();
  const ids = await addResults(checkId, outage);
  const alertSettings = { runBasedEscalation: { failedRunThreshold: 2 } };
  const { status, body, text } = await backTest(checkId, { alertSettings, days: 1 });
  assert.equal(status, 200, text);
  const nowMs = app.clock.now().getTime();
  const ago = (minutes: number) => new Date(nowMs - minutes * minuteMs).toISOString();
  assert.deepEqual(body, {
    from: ago(1_440),
    to: ago(0),
    runs: 4,
    isTruncated: false,
    alerts: [
      {
        kind: "ALERT_FAILURE",
        at: ago(39),
        reason: "run-threshold-reached",
        resultId: ids[3],
        minutesToDetect: 11,
        isReminder: false,
      },
      {
        kind: "ALERT_RECOVERY",
        at: ago(30),
        reason: "recovered",
        resultId: ids[4],
        minutesToDetect: null,
        isReminder: false,
      },
    ],
  });
});

test("other settings raise other alerts in the same history", async () => {
  const checkId = await newCheck({ muted: true });
  await addResults(checkId, outage);
  const strict = await backTest(checkId, {
    alertSettings: { reminders: { amount: 1, interval: 5 } },
  });
  assert.deepEqual(
    strict.body.alerts.map((alert: { isReminder: boolean }) => alert.isReminder),
    [false, true, false],
  );
  const patient = {
    escalationType: "TIME_BASED",
    timeBasedEscalation: { minutesFailingThreshold: 30 },
  };
  const { body } = await backTest(checkId, { alertSettings: patient });
  assert.deepEqual([body.runs, body.alerts], [4, []]);
});

test("a back-test stores nothing", async () => {
  const checkId = await newCheck();
  await addResults(checkId, outage);
  await backTest(checkId);
  const { rows } = await app.query(
    `select (select count(*)::int from alerts where check_id = $1) as alerts,
      (select count(*)::int from deliveries where check_id = $1) as deliveries,
      (select count(*)::int from audit_entries where action like '%back-test%') as entries`,
    [checkId],
  );
  assert.deepEqual(rows, [{ alerts: 0, deliveries: 0, entries: 0 }]);
});

test("nothing is raised in a maintenance window of the check's tags", async () => {
  const checkId = await newCheck({ tags: ["patched"] });
  await addResults(checkId, outage);
  const nowMs = app.clock.now().getTime();
  const window = {
    name: "Patch day",
    tags: ["patched"],
    startsAt: new Date(nowMs - 55 * minuteMs).toISOString(),
    endsAt: new Date(nowMs - 35 * minuteMs).toISOString(),
  };
  const made = await app.call("POST", "/v1/maintenance-windows", { body: window });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual((await backTest(checkId)).body.alerts, []);
});

test("a check whose runs stopped has no data, but not before its next run was due", async () => {
  const checkId = await newCheck({ activated: true, frequency: 60 });
  await app.query("delete from results where check_id = $1", [checkId]);
  const past = [180, 120, 60, 0].map((minutesAgo) => ({ minutesAgo, verdict: "passing" as const }));
  await app.query("update checks set created_at = $2 where id = $1", [
    checkId,
    new Date(app.clock.now().getTime() - 240 * minuteMs),
  ]);
  await addResults(checkId, past);
  const steady = await backTest(checkId);
  assert.deepEqual(steady.body.alerts, []);
  await app.query("delete from results where check_id = $1 and id > $2", [checkId, idOf(100, 0)]);
  const { body } = await backTest(checkId);
  assert.deepEqual(
    body.alerts.map((alert: { kind: string }) => alert.kind),
    ["ALERT_NO_DATA"],
  );
  await app.call("DELETE", `/v1/checks/${checkId}`);
});

test("a mute that is in force now hides no alerts of the past", async () => {
  const checkId = await newCheck();
  await addResults(checkId, outage);
  const mutedUntil = new Date(app.clock.now().getTime() + 60 * minuteMs).toISOString();
  const mute = { targets: [{ type: "CHECK", checkId }], mutedUntil };
  const muted = await app.call("PUT", "/v1/mutes", { body: mute });
  assert.equal(muted.status, 200, muted.text);
  assert.deepEqual(listKinds(await backTest(checkId)), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
});

test("a location that is offline now hides no missing data of the past", async () => {
  const location = { name: "Cellar", slugName: "cellar" };
  const made = await app.call("POST", "/v1/private-locations", { body: location });
  assert.equal(made.status, 201, made.text);
  const places = { locations: [], privateLocations: ["cellar"] };
  const checkId = await newCheck({ activated: true, frequency: 60, ...places });
  await app.query("update checks set created_at = $2 where id = $1", [
    checkId,
    new Date(app.clock.now().getTime() - 240 * minuteMs),
  ]);
  await addResults(checkId, [{ minutesAgo: 180, verdict: "passing" }]);
  await app.query("update private_locations set silence_told_at = $2 where id = $1", [
    made.body.id,
    app.clock.now(),
  ]);
  assert.deepEqual(listKinds(await backTest(checkId)), ["ALERT_NO_DATA"]);
  await app.call("DELETE", `/v1/checks/${checkId}`);
});

test("a history that is too long is truncated, and ends where it was truncated", async () => {
  const checkId = await newCheck();
  const nowMs = app.clock.now().getTime();
  const ids: string[] = [];
  for (let index = 0; index < 50_001; index += 1) ids.push(idOf(1_000 - index / 100, index));
  await app.query(
    `insert into results (check_id, id, location, probe_id, attempt, is_final, verdict,
        started_at, stopped_at, hostname, ip_family, ping_count)
      select $1, id, 'eu-west-1', 'probe', 1, true, 1, now(), now(), 'h', 'IPv4', 10
      from unnest($2::uuid[]) as id`,
    [checkId, ids],
  );
  const { status, body } = await backTest(checkId);
  assert.equal(status, 200);
  assert.deepEqual([body.runs, body.isTruncated, body.alerts], [50_000, true, []]);
  const cutAtMs = nowMs - (1_000 - 499.99) * minuteMs;
  assert.ok(Math.abs(Date.parse(body.to) - cutAtMs) <= 1, body.to);
});

test("the history is 7 days by default, and never begins before the check existed", async () => {
  const checkId = await newCheck();
  const nowMs = app.clock.now().getTime();
  const week = await backTest(checkId);
  assert.equal(Date.parse(week.body.from), nowMs - 7 * dayMs);
  const month = await backTest(checkId, { alertSettings: {}, days: 30 });
  assert.equal(Date.parse(month.body.from), nowMs - 30 * dayMs);
  await app.query("update checks set created_at = $2 where id = $1", [checkId, new Date(nowMs)]);
  const young = await backTest(checkId);
  assert.deepEqual([young.body.from, young.body.runs], [young.body.to, 0]);
});

test("invalid input is rejected with the field name", async () => {
  const checkId = await newCheck();
  const alertSettings = {};
  const faulty: readonly (readonly [unknown, string])[] = [
    [{}, "alertSettings"],
    [{ alertSettings: null }, "alertSettings"],
    [{ alertSettings, days: 0 }, "days"],
    [{ alertSettings, days: 31 }, "days"],
    [{ alertSettings, days: 1.5 }, "days"],
    [{ alertSettings, days: "7" }, "days"],
    [{ alertSettings: { escalationType: "NEVER" } }, "alertSettings.escalationType"],
    [{ alertSettings: { reminders: { amount: 6 } } }, "alertSettings.reminders.amount"],
  ];
  for (const [body, key] of faulty) {
    const answer = await backTest(checkId, body);
    assert.equal(answer.status, 400, answer.text);
    assert.deepEqual(answer.body.validation, { source: "body", keys: [key] });
  }
});

test("an unknown check and a check of another account return 404", async () => {
  const checkId = await newCheck();
  const body = { alertSettings: {} };
  assert.equal((await backTest(nobody)).status, 404);
  const answer = await app.call("POST", pathOf(checkId), { key: stranger.key, body });
  assert.equal(answer.status, 404);
});

test("a read-only key may back-test", async () => {
  const checkId = await newCheck();
  const body = { alertSettings: {} };
  const { key } = await createKey(app, "READ_ONLY");
  assert.equal((await app.call("POST", pathOf(checkId), { key, body })).status, 200);
  assert.equal((await app.call("POST", pathOf(checkId), { key: null, body })).status, 401);
});
