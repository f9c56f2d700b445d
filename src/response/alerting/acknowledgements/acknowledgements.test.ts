import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { findAcknowledgePath, reportRun } from "../../../../test/support/apps/alerting-app.ts";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger, createKey, type Stranger } from "../../../../test/support/apps/cast.ts";
import { escapeHtml } from "../../../pages/html.ts";

let app: TestApp;
let stranger: Stranger;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  stranger = await addStranger(app);
  const body = { type: "EMAIL", config: { address: "owner@example.com" } };
  await app.call("POST", "/v1/alert-channels", { body });
});
after(() => app.stop());

interface Open {
  readonly checkId: string;
  readonly openedAt: string;
}

async function createCheck(name = "Router"): Promise<string> {
  const body = { name, request: { hostname: "192.0.2.1" } };
  return (await app.call("POST", "/v1/checks/icmp", { body })).body.id;
}

async function createFailing(name?: string): Promise<string> {
  const checkId = await createCheck(name);
  await reportRun(app, checkId, "failing");
  return checkId;
}

async function isAcknowledged(checkId: string): Promise<boolean> {
  const { rows } = await app.query("select state from alert_states where check_id = $1", [checkId]);
  return rows[0].state.acknowledgedAtMs !== null;
}

const apiPath = (checkId: string) => `/v1/check-alerts/${checkId}/acknowledge`;
const form = { "content-type": "application/x-www-form-urlencoded" };
const press = (path: string) => app.call("POST", path, { key: null, headers: form, rawBody: "" });
const look = (path: string, method = "GET") => app.call(method, path, { key: null });

/** Returns the names that the audit log shows for acknowledgements of the check. */
async function listTargetNames(checkId: string): Promise<string[]> {
  const path = `/v1/audit-log?targetType=alert&targetId=${checkId}`;
  const { entries } = (await app.call("GET", path)).body;
  return entries.map(({ target }: { readonly target: { readonly name: string } }) => target.name);
}

test("the link asks for confirmation, and opening it changes nothing", async () => {
  const checkId = await createFailing("<b>Router</b>");
  const path = await findAcknowledgePath(app, checkId);
  for (const method of ["GET", "HEAD", "GET"]) {
    const page = await look(path, method);
    assert.equal(page.status, 200);
    assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
    assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'/);
    if (method === "GET") assert.match(page.text, /<form method="post">/);
    assert.ok(!page.text.includes("<b>"), "a name is text, not markup");
  }
  assert.equal(await isAcknowledged(checkId), false);
});

test("open alerts are listed, oldest first, with their acknowledgement", async () => {
  const checkId = await createFailing("Longest");
  const openOnes = async (query = "?limit=1000", key?: string) =>
    (await app.call("GET", `/v1/check-alerts/open${query}`, key === undefined ? {} : { key })).body;
  const find = async () => (await openOnes()).find((one: Open) => one.checkId === checkId);
  const opened = await find();
  assert.deepEqual(
    [opened.name, opened.alertType, opened.remindersSent, opened.acknowledgedAt],
    ["Longest", "ALERT_FAILURE", 0, null],
  );
  await app.call("POST", apiPath(checkId));
  assert.notEqual((await find()).acknowledgedAt, null);
  const times = (await openOnes()).map((one: Open) => one.openedAt);
  assert.deepEqual(times, [...times].sort());
  assert.equal((await openOnes("?limit=1")).length, 1);
  assert.deepEqual(await openOnes("", stranger.key), []);
  assert.equal((await app.call("GET", "/v1/check-alerts/open?limit=0")).status, 400);
  await reportRun(app, checkId, "passing");
  assert.equal(await find(), undefined);
});

test("the button acknowledges, without signing in, and a second press is harmless", async () => {
  const checkId = await createFailing();
  const path = await findAcknowledgePath(app, checkId);
  const first = await press(path);
  assert.equal(first.status, 200, first.text);
  assert.equal(await isAcknowledged(checkId), true);
  assert.equal((await press(path)).status, 200);
  assert.match((await look(path)).text, /already acknowledged/);
  const { rows } = await app.query(
    "select count(*)::int as count from audit_entries where action = $1 and target_id = $2",
    ["alert.acknowledged", checkId],
  );
  assert.equal(rows[0].count, 1);
});

test("the page links to the alert in the application, before and after the button", async () => {
  const checkId = await createFailing();
  const { alertId } = (await app.call("GET", "/v1/check-alerts/open")).body.find(
    (one: { checkId: string }) => one.checkId === checkId,
  );
  const path = await findAcknowledgePath(app, checkId);
  const link = `<a href="/alerts/${alertId}">Open the alert</a>`;
  for (const page of [await look(path), await press(path), await look(path)]) {
    assert.ok(page.text.includes(link), page.text);
  }
  await app.query("delete from alerts where check_id = $1", [checkId]);
  assert.ok(
    (await look(path)).text.includes(`<a href="/checks/${checkId}">`),
    "the alert was deleted",
  );
});

test("the page shows why the alert was sent, and since when", async () => {
  const checkId = await createFailing();
  const path = await findAcknowledgePath(app, checkId);
  const { text } = await look(path);
  const { rows } = await app.query(
    "select message ->> 'reason' as reason from deliveries where check_id = $1 limit 1",
    [checkId],
  );
  assert.ok(rows[0].reason.length > 0);
  assert.ok(text.includes(`<strong>${escapeHtml(rows[0].reason)}</strong>`), text);
  assert.match(text, /Since \d+ \w+ \d{4}, \d\d:\d\d UTC/);
});

test("the link of an earlier alert does not acknowledge a newer one", async () => {
  const checkId = await createFailing();
  const old = await findAcknowledgePath(app, checkId);
  await reportRun(app, checkId, "passing");
  assert.equal((await press(old)).status, 409, "the alert is closed");
  await reportRun(app, checkId, "failing");
  assert.equal((await press(old)).status, 409, "a newer alert is open");
  assert.ok(!(await look(old)).text.includes("<form"));
  assert.equal(await isAcknowledged(checkId), false);
  assert.equal((await press(await findAcknowledgePath(app, checkId))).status, 200);
});

test("a forged token is not accepted", async () => {
  const path = await findAcknowledgePath(app, await createFailing());
  const changed = `${path.slice(0, -4)}${path.endsWith("AAAA") ? "BBBB" : "AAAA"}`;
  const garbage = `/acknowledge/${"A".repeat(120)}`;
  for (const wrong of [changed, garbage, `/acknowledge/${"~".repeat(40)}`]) {
    assert.equal((await look(wrong)).status, 404, wrong);
    assert.equal((await press(wrong)).status, 404, wrong);
  }
});

test("the API acknowledges an open alert", async () => {
  const checkId = await createFailing();
  const answer = await app.call("POST", apiPath(checkId));
  assert.equal(answer.status, 200, answer.text);
  const acknowledgedAt = app.clock.now().toISOString();
  assert.deepEqual(answer.body, { checkId, name: "Router", alertNumber: 1, acknowledgedAt });
  app.clock.advance(1_000);
  const again = await app.call("POST", apiPath(checkId));
  assert.deepEqual([again.status, again.body], [200, answer.body]);
  assert.deepEqual(await listTargetNames(checkId), ["Router"]);
});

test("the API rejects an alert that is not open, unknown, or forbidden", async () => {
  const checkId = await createFailing();
  const calm = await createFailing();
  await reportRun(app, calm, "passing");
  assert.equal((await app.call("POST", apiPath(calm))).status, 409);
  assert.equal((await app.call("POST", apiPath("no-uuid"))).status, 400);
  const nobody = "0198c1f0-0000-7000-8000-000000000000";
  assert.equal((await app.call("POST", apiPath(nobody))).status, 404);
  const who = [
    [null, 401],
    [stranger.key, 404],
    [(await createKey(app, "READ_ONLY")).key, 403],
    [(await createKey(app, "READ_RUN")).key, 200],
  ] as const;
  for (const [key, status] of who) {
    assert.equal((await app.call("POST", apiPath(checkId), { key })).status, status);
  }
});

test("snooze, escalate and reassign validate their input, and need an open alert", async () => {
  const checkId = await createFailing();
  const calm = await createFailing();
  await reportRun(app, calm, "passing");
  const userId = (await app.call("GET", "/v1/users/me")).body.id;
  const nobody = "0198c1f0-0000-7000-8000-000000000000";
  const post = (id: string, action: string, body?: object) =>
    app.call("POST", `/v1/check-alerts/${id}/${action}`, body === undefined ? {} : { body });
  const valid = [
    ["snooze", { minutes: 15 }],
    ["escalate", undefined],
    ["reassign", { userId }],
  ] as const;
  for (const [action, body] of valid) {
    assert.equal((await post(calm, action, body)).status, 409);
    assert.equal((await post(nobody, action, body)).status, 404);
    assert.equal((await post("no-uuid", action, body)).status, 400);
  }
  for (const minutes of [14, 1_441, "15", null]) {
    assert.equal((await post(checkId, "snooze", { minutes })).status, 400);
  }
  for (const body of [{}, { userId, scheduleId: nobody }, { userId: nobody }]) {
    assert.equal((await post(checkId, "reassign", body)).status, 400);
  }
  assert.equal((await post(checkId, "escalate")).status, 409, "no policy has a step");
  const snoozed = await post(checkId, "snooze", { minutes: 15 });
  assert.deepEqual([snoozed.status, snoozed.body.alertNumber], [200, 1]);
  const until = new Date(app.clock.nowMs() + 900_000).toISOString();
  assert.equal(snoozed.body.snoozedUntil, until);
  const { rows } = await app.query(
    "select action from audit_entries where target_id = $1 and action like 'alert.%'",
    [checkId],
  );
  assert.deepEqual(rows, [{ action: "alert.snoozed" }]);
});

test("a check that never alerted has nothing to acknowledge", async () => {
  const checkId = await createCheck();
  assert.equal((await app.call("POST", apiPath(checkId))).status, 409);
});

test("a batch acknowledgement reports each outcome and ignores other accounts", async () => {
  const open = [await createFailing(), await createFailing()];
  const [first = "", second = ""] = open;
  const calm = await createCheck();
  await app.call("POST", apiPath(first));
  const path = "/v1/check-alerts/acknowledge";
  const body = { checkIds: [first, second, calm, second] };
  const strange = await app.call("POST", path, { body, key: stranger.key });
  assert.deepEqual([strange.status, strange.body.acknowledged], [200, 0]);
  assert.equal(await isAcknowledged(second), false);
  const done = await app.call("POST", path, { body });
  assert.deepEqual(done.body, {
    acknowledged: 1,
    checks: [
      { checkId: first, outcome: "unchanged" },
      { checkId: second, outcome: "acknowledged" },
      { checkId: calm, outcome: "notOpen" },
    ],
  });
  assert.equal(await isAcknowledged(second), true);
  assert.deepEqual(await listTargetNames(second), ["Router"]);
  assert.equal((await app.call("POST", path, { body: { checkIds: [] } })).status, 400);
  const key = (await createKey(app, "READ_ONLY")).key;
  assert.equal((await app.call("POST", path, { body, key })).status, 403);
});

test("a batch acknowledgement after a snooze is stored in the history", async () => {
  const checkId = await createFailing();
  const path = `/v1/check-alerts/${checkId}/snooze`;
  assert.equal((await app.call("POST", path, { body: { minutes: 15 } })).status, 200);
  app.clock.advance(1_800_000);
  const body = { checkIds: [checkId] };
  const done = await app.call("POST", "/v1/check-alerts/acknowledge", { body });
  assert.equal(done.body.acknowledged, 1);
  const text = "select at from alert_acknowledgements where check_id = $1";
  const { rows } = await app.query(text, [checkId]);
  assert.deepEqual(rows, [{ at: app.clock.now() }]);
});
