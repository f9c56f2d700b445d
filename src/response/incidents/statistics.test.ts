import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import type { Answer, TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, type Stranger } from "../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import {
  addService,
  createIncident,
  incidentsPath,
} from "../../../test/support/modules/incidents.ts";
import { computeMean, computeMedian } from "./statistics.ts";
import { maxOutages } from "./uptime-store.ts";

let app: TestApp;
let stranger: Stranger;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  stranger = await addStranger(app);
});
after(() => app.stop());

const path = `${incidentsPath}/statistics`;
const ask = (query = ""): Promise<Answer> => app.call("GET", `${path}${query}`);
const update = (at: string, status: string) => ({
  description: status,
  status,
  publicIncidentUpdateDate: at,
});

test("an account without incidents has zero counts and no durations", async () => {
  const { status, body } = await app.call("GET", path, { key: stranger.key });
  assert.equal(status, 200);
  assert.deepEqual(body, {
    from: "2026-08-17T12:00:00.000Z",
    to: "2026-11-15T12:00:00.000Z",
    count: 0,
    ongoing: 0,
    bySeverity: { CRITICAL: 0, MAJOR: 0, MEDIUM: 0, MINOR: 0 },
    meanDurationSeconds: null,
    medianDurationSeconds: null,
    longestDurationSeconds: null,
    meanTimeToAcknowledgeSeconds: null,
    isTruncated: false,
    byMonth: ["2026-08", "2026-09", "2026-10", "2026-11"].map((month) => ({
      month,
      count: 0,
      bySeverity: { CRITICAL: 0, MAJOR: 0, MEDIUM: 0, MINOR: 0 },
      meanDurationSeconds: null,
    })),
    services: [],
  });
});

test("incidents and services of a period are counted and measured", async () => {
  const old = await addService(app, { name: "Old", createdAt: "2026-01-01" });
  const fresh = await addService(app, { name: "Fresh", createdAt: "2026-11-15T06:00:00Z" });
  const day = (hour: string) => `2026-11-14T${hour}:00Z`;
  await createIncident(app, old, {
    severity: "MAJOR",
    incidentUpdates: [
      update(day("10:00"), "INVESTIGATING"),
      update(day("10:10"), "IDENTIFIED"),
      update(day("11:00"), "RESOLVED"),
    ],
  });
  // Concurrent and longer, but only degraded.
  await createIncident(app, old, {
    severity: "MINOR",
    incidentUpdates: [update(day("10:30"), "INVESTIGATING"), update(day("12:30"), "RESOLVED")],
  });
  // Open twice for an hour within three hours; started before the period.
  await createIncident(app, old, {
    severity: "CRITICAL",
    incidentUpdates: [
      update("2026-11-13T23:30:00Z", "INVESTIGATING"),
      update(day("00:30"), "RESOLVED"),
      update(day("01:30"), "MONITORING"),
      update(day("02:30"), "RESOLVED"),
    ],
  });
  await createIncident(app, fresh, {
    severity: "MAJOR",
    incidentUpdates: [update("2026-11-15T11:00:00Z", "INVESTIGATING")],
  });
  await createIncident(app, old, {
    incidentUpdates: [
      update("2026-11-01T00:00:00Z", "INVESTIGATING"),
      update("2026-11-02T00:00:00Z", "RESOLVED"),
    ],
  });
  const { body } = await ask("?from=2026-11-14");
  const { services, byMonth, ...rest } = body;
  // Incidents that started before the period are in no month.
  assert.deepEqual(byMonth, [
    {
      month: "2026-11",
      count: 3,
      bySeverity: { CRITICAL: 0, MAJOR: 2, MEDIUM: 0, MINOR: 1 },
      meanDurationSeconds: (3_600 + 7_200 + 3_600) / 3,
    },
  ]);
  assert.deepEqual(rest, {
    from: "2026-11-14T00:00:00.000Z",
    to: "2026-11-15T12:00:00.000Z",
    count: 4,
    ongoing: 1,
    bySeverity: { CRITICAL: 1, MAJOR: 2, MEDIUM: 0, MINOR: 1 },
    meanDurationSeconds: (3_600 + 7_200 + 10_800 + 3_600) / 4,
    medianDurationSeconds: 5_400,
    longestDurationSeconds: 10_800,
    meanTimeToAcknowledgeSeconds: (600 + 7_200 + 3_600) / 3,
    isTruncated: false,
  });
  const known = { name: services[0].name, id: services[0].id };
  const [first, second] = services;
  // 36 hours of data; down for half an hour, then twice for an hour.
  assert.deepEqual(first, {
    ...known,
    name: "Old",
    uptimePercent: Math.floor((33.5 / 36) * 100_000) / 1_000,
    downtimeSeconds: 9_000,
    incidents: 3,
  });
  assert.equal(second.name, "Fresh");
  assert.equal(second.uptimePercent, 83.333);
  assert.equal(second.downtimeSeconds, 3_600);
  assert.equal(second.incidents, 1);
  const all = await ask();
  assert.equal(all.body.count, 5);
  const before = await ask("?from=2026-01-01&to=2026-11-01");
  assert.equal(before.body.count, 0);
  assert.deepEqual(
    before.body.services.map((one: { uptimePercent: number | null }) => one.uptimePercent),
    [100, null],
  );
});

test("a period must be in the past, at most a year long, and of valid dates", async () => {
  const rejected: readonly (readonly [string, string])[] = [
    ["?from=2026-11-15T12:00:00Z", "from"],
    ["?from=2027-01-01", "from"],
    ["?from=2026-11-02&to=2026-11-01", "from"],
    ["?from=2025-11-14", "from"],
    ["?from=yesterday", "from"],
    ["?to=2026-02-30", "to"],
    ["?from=2016-12-31T23:59:60Z", "from"],
    ["?from=0001-01-01&to=0001-06-01", "from"],
    ["?to=1969-01-01", "to"],
  ];
  for (const [query, key] of rejected) {
    const answer = await ask(query);
    assert.equal(answer.status, 400, query);
    assert.deepEqual(answer.body.validation, { source: "querystring", keys: [key] }, query);
  }
  const future = await ask("?from=2025-11-14T12:00:00Z&to=2099-01-01");
  assert.equal(future.status, 200);
  assert.equal(future.body.to, "2026-11-15T12:00:00.000Z");
  assert.equal((await app.call("GET", path, { key: null })).status, 401);
});

test("isTruncated is set when there are more incidents than are counted", async () => {
  await app.query(
    `insert into incidents (id, account_id, name, severity, status, started_at, resolved_at,
      open_spans, is_automatic, created_at)
      select gen_random_uuid(), $1, 'x', 'MINOR', 'RESOLVED', $2, $2, '[]', false, $2
      from generate_series(1, $3)`,
    [stranger.accountId, new Date(app.clock.now().getTime() - 1_000), maxOutages + 5],
  );
  const { body } = await app.call("GET", path, { key: stranger.key });
  assert.equal(body.isTruncated, true);
  assert.equal(body.count, maxOutages);
});

test("mean and median are computed correctly", () => {
  assert.equal(computeMedian([]), null);
  assert.equal(computeMean([]), null);
  assert.equal(computeMedian([3, 1, 2]), 2);
  assert.equal(computeMedian([4, 1, 3, 2]), 3);
  const seconds = fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 99 });
  fc.assert(
    fc.property(seconds, (values) => {
      const median = computeMedian(values) ?? -1;
      const half = values.length / 2;
      assert.ok(values.filter((value) => value < median - 1).length <= half);
      assert.ok(values.filter((value) => value > median + 1).length <= half);
      const mean = computeMean(values) ?? -1;
      assert.ok(mean >= Math.min(...values) && mean <= Math.max(...values));
    }),
  );
});
