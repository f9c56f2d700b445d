import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, createKey } from "../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

test("GET /next/accounts/{id} has the default runtime and the features of the server", async () => {
  const { accountId } = app.owner;
  const { status, body } = await app.call("GET", `/next/accounts/${accountId}`);
  assert.equal(status, 200);
  assert.equal(body.id, accountId);
  assert.equal(body.runtimeId, "2025.04");
  assert.deepEqual(body.features, ["EXTENDED_RESPONSE_TIME_LIMITS"]);
  assert.deepEqual((await app.call("GET", "/next/accounts")).body, [body]);
});

test("an account of another user is forbidden", async () => {
  const { key } = await addStranger(app);
  const answer = await app.call("GET", `/next/accounts/${app.owner.accountId}`, { key });
  assert.equal(answer.status, 403);
});

test("GET /next/users/me names the user, or the key if it has no user", async () => {
  assert.equal((await app.call("GET", "/next/users/me")).body.name, app.owner.email);
  const { key } = await createKey(app, "READ_ONLY", { type: "SERVICE" });
  const { body } = await app.call("GET", "/next/users/me", { key });
  assert.equal(body.id, null);
  assert.ok(body.name.length > 0);
});

test("GET /v1/accounts/me/entitlements lists locations and no plan limits", async () => {
  const { body } = await app.call("GET", "/v1/accounts/me/entitlements");
  assert.equal(body.plan, "SELF_HOSTED");
  assert.equal(body.locations.all.length, 22);
  assert.deepEqual(body.entitlements, []);
});

test("GET /v1/error-groups/checks/{id} is empty for a check and 404 for none", async () => {
  const check = { name: "Router", request: { hostname: "192.0.2.1" } };
  const { id } = (await app.call("POST", "/v1/checks/icmp", { body: check })).body;
  const { body } = await app.call("GET", `/v1/error-groups/checks/${id}`);
  assert.deepEqual(body, []);
  const unknown = "/v1/error-groups/checks/00000000-0000-4000-8000-000000000000";
  assert.equal((await app.call("GET", unknown)).status, 404);
});

test("usage counts the runs of statistics, without limits and credits", async () => {
  const check = { name: "Counted", request: { hostname: "192.0.2.1" } };
  const { id } = (await app.call("POST", "/v1/checks/icmp", { body: check })).body;
  const fresh = await app.call("GET", "/v1/usage/summary");
  assert.equal(fresh.body.totals.meters[0].measures.totalRuns, 0);
  const day = app.clock.now().toISOString().slice(0, 10);
  // Unknown, passing, degraded, failing.
  await app.query(
    `insert into hourly_rollups
        (check_id, location, starts_at, runs, retries, counters, sample_count, samples, parts)
      values ($1, 'eu-central-1', $2, '{1,20,3,4}', 5, '{}', 0, '', '{}')`,
    [id, `${day}T00:00:00Z`],
  );
  const { body: summary } = await app.call("GET", "/v1/usage/summary");
  const { measures } = summary.totals.meters[0];
  const { totalRuns, finalRuns, retryRuns, degradedRuns, failedRuns, errorRuns } = measures;
  assert.deepEqual(
    [totalRuns, finalRuns, retryRuns, degradedRuns, failedRuns, errorRuns],
    [33, 28, 5, 3, 4, 1],
  );
  assert.equal(summary.totals.credits.used, null);
  assert.equal(summary.projections.weeksRemaining, "unlimited");
  assert.deepEqual(summary.projections.windows.last1Day.usage, summary.totals);
  const { body: series } = await app.call("GET", "/v1/usage/series?interval=month");
  assert.deepEqual(
    series.data.map((row: Record<string, unknown>) => [row.periodStart, row.checkType]),
    [[`${day.slice(0, 7)}-01`, "ICMP"]],
  );
  const { body: none } = await app.call("GET", "/v1/usage/series?checkTypes=TCP,DNS");
  assert.deepEqual(none.data, []);
  const { body: terms } = await app.call("GET", "/v1/usage/terms");
  assert.equal(terms.creditBudget, null);
  assert.match(terms.name, /no plan limits/);
  const bad = ["from=2026-02-30", "from=2026-11-02&to=2026-11-01", "accountIds=other"];
  for (const query of bad) {
    assert.equal((await app.call("GET", `/v1/usage/summary?${query}`)).status, 400, query);
  }
});

test("root cause analyses are not found, with the reason", async () => {
  for (const path of ["error-groups", "root-cause-analyses"]) {
    const { status, body } = await app.call("GET", `/v1/${path}/any`);
    assert.equal(status, 404);
    assert.match(body.message, /no root cause analyses/);
  }
});
