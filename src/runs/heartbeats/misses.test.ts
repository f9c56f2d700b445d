/** Pings that arrive, arrive late or are missing, through the whole product. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import {
  createHeartbeatsFixture,
  everyMinute,
  minuteMs,
} from "../../../test/support/modules/heartbeats.ts";
import { startHttpReceiver } from "../../../test/support/servers/http-receiver.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp({
    OUTBOUND_ALLOW_PRIVATE: "true",
    PUBLIC_URL: "https://watch.example.com/",
    BUILT_IN_PROBE: "false",
  });
});
after(() => app.stop());

const { newCheck, ping, taken, statesOf, pass, passUntil, newestResult } = createHeartbeatsFixture(
  () => app,
);

test("a start without an end fails after the grace period", async () => {
  const { id, token } = await newCheck({
    ...everyMinute,
    period: 1,
    periodUnit: "hours",
    grace: 2,
    graceUnit: "minutes",
  });
  await taken(`${token}/start`);
  await passUntil(2 * minuteMs + 1_000, id, ["FAILING"]);
  const { reasons } = await newestResult(id);
  assert.equal(reasons[0].name, "job-not-ended");
  await taken(token);
  assert.equal((await newestResult(id)).verdict, "passing");
});

test("pings are early, on time, within the grace period, missing and late", async () => {
  const { id, token } = await newCheck();
  await taken(token);
  await pass(10_000);
  await taken(token);
  await pass(59_000);
  await taken(token);
  await pass(75_000);
  await taken(token);
  assert.deepEqual(await statesOf(id), ["GRACE", "RECEIVED", "EARLY", "RECEIVED"]);
  await passUntil(91_000, id, ["FAILING", "GRACE", "RECEIVED", "EARLY", "RECEIVED"]);
  const missed = await newestResult(id);
  assert.equal(missed.verdict, "failing");
  const { body: status } = await app.call("GET", `/v1/check-statuses/${id}`);
  assert.equal(status.status, "failing");
  await taken(token);
  assert.equal((await statesOf(id))[0], "LATE");
  const back = await app.call("GET", `/v1/check-statuses/${id}`);
  assert.equal(back.body.status, "passing");
  const { body: availability } = await app.call("GET", `/v1/checks/heartbeats/${id}/availability`);
  assert.equal(availability.totalEntitiesCurrentPeriod, 6);
  assert.ok(Math.abs(availability.successRatio.currentPeriod - 5 / 6) < 1e-9);
});

test("a job that never pings fails once per period", async () => {
  const { id, token } = await newCheck();
  await taken(token);
  await passUntil(91_000, id, ["FAILING", "RECEIVED"]);
  await passUntil(59_000, id, ["FAILING", "FAILING", "RECEIVED"]);
});

test("an alert contains the schedule and the job's output", async (t) => {
  const receiver = await startHttpReceiver(t);
  const channel = { type: "WEBHOOK", config: { name: "Hook", url: receiver.url, method: "POST" } };
  const subscribed = await app.call("POST", "/v1/alert-channels", { body: channel });
  const due = new Date(Math.ceil(app.clock.nowMs() / minuteMs) * minuteMs + 3 * minuteMs);
  const berlin = (due.getUTCHours() + 1) % 24;
  const { id, token } = await newCheck({
    cron: `${due.getUTCMinutes()} ${berlin} * * *`,
    timezone: "Europe/Berlin",
    grace: 1,
    graceUnit: "minutes",
  });
  await taken(token);
  await taken(`${token}/2`, { method: "POST", body: "no space left on <b>device</b>" });
  await waitUntil("the alert came", () => receiver.requests.length > 0);
  const told = () => receiver.requests.map(({ body }) => String(body)).join("\n");
  assert.match(told(), /The job reported exit code 2: no space left/);
  assert.doesNotMatch(told(), new RegExp(token));
  await taken(token);
  await pass(due.getTime() + minuteMs + 1_000 - app.clock.nowMs());
  await waitUntil("it was missed", async () => (await statesOf(id))[0] === "FAILING");
  await waitUntil("the alert came", () => /No ping for/.test(told()));
  const by = due.toISOString().slice(0, 16).replace("T", " ");
  const at = `${String(berlin).padStart(2, "0")}:${due.toISOString().slice(14, 16)}`;
  const expected = `one was expected by ${by} UTC (every day at ${at} Europe/Berlin, grace 1 min)`;
  assert.ok(told().includes(expected), told());
  const { body } = await app.call("POST", `/accounts/${app.owner.accountId}/ai/agents/stream`, {
    body: { messages: [{ role: "user", content: "why is Nightly backup failing?" }] },
  });
  assert.doesNotMatch(String(body), new RegExp(token));
  await app.call("DELETE", `/v1/alert-channels/${subscribed.body.id}`);
});

test("a deactivated check neither fails nor counts, and starts over", async () => {
  const { id, token } = await newCheck();
  await taken(token);
  const turn = (activated: boolean) =>
    app.call("PUT", `/v1/checks/heartbeat/${id}`, { body: { activated } });
  await turn(false);
  await pass(2 * minuteMs);
  assert.equal((await ping(token)).status, 200, "a job does not fail because nobody looks");
  assert.deepEqual(await statesOf(id), ["RECEIVED"]);
  await turn(true);
  await pass(2 * minuteMs);
  assert.deepEqual(await statesOf(id), ["RECEIVED"], "nothing is expected before a ping");
  await taken(token);
  await passUntil(91_000, id, ["FAILING", "RECEIVED", "RECEIVED"]);
});

test("deactivating and activating at once starts over too", async () => {
  const { id, token } = await newCheck();
  await taken(token);
  for (const activated of [false, true]) {
    await app.call("PUT", `/v1/checks/heartbeat/${id}`, { body: { activated } });
  }
  await pass(2 * minuteMs);
  await waitUntil("the change was followed", async () => {
    app.clock.advance(1_000);
    const { rows } = await app.query("select 1 from heartbeat_reviews where check_id = $1", [id]);
    return rows.length === 0;
  });
  assert.deepEqual(await statesOf(id), ["RECEIVED"]);
});

test("a new schedule applies from the last ping and keeps the grace period", async () => {
  const { id, token } = await newCheck({
    period: 1,
    periodUnit: "days",
    grace: 2,
    graceUnit: "minutes",
  });
  await taken(token);
  await pass(7 * minuteMs);
  const heartbeat = { period: 5, periodUnit: "minutes" };
  const change = await app.call("PUT", `/v1/checks/heartbeat/${id}`, { body: { heartbeat } });
  assert.equal(change.status, 200, change.text);
  assert.equal(change.body.heartbeat.pingToken, token);
  await waitUntil("the change was followed", async () => {
    app.clock.advance(1);
    const { rows } = await app.query("select 1 from heartbeat_reviews where check_id = $1", [id]);
    return rows.length === 0;
  });
  await pass(minuteMs);
  assert.deepEqual(await statesOf(id), ["RECEIVED"], "it would have been due a minute ago");
  await passUntil(minuteMs + 2_000, id, ["FAILING", "RECEIVED"]);
});
