/** Pings through the whole product. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, type Stranger } from "../../../test/support/apps/cast.ts";
import {
  createHeartbeatsFixture,
  everyMinute,
  type Input,
} from "../../../test/support/modules/heartbeats.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let app: TestApp;
let stranger: Stranger;
before(async () => {
  app = await startTestApp({
    OUTBOUND_ALLOW_PRIVATE: "true",
    PUBLIC_URL: "https://watch.example.com/",
    BUILT_IN_PROBE: "false",
  });
  stranger = await addStranger(app);
});
after(() => app.stop());

const { newCheck, ping, taken, listEvents, statesOf, newestResult } = createHeartbeatsFixture(
  () => app,
);

test("a check has its schedule and ping URL, and no probe settings", async () => {
  const { id, token } = await newCheck();
  const { body } = await app.call("GET", `/v1/checks/${id}`);
  assert.deepEqual(body.heartbeat, {
    ...everyMinute,
    cron: null,
    timezone: "UTC",
    pingToken: token,
    pingUrl: `https://watch.example.com/ping/${token}`,
  });
  for (const hidden of ["frequency", "locations", "retryStrategy", "runtimeId", "request"]) {
    assert.ok(!(hidden in body), hidden);
  }
  for (const hidden of ["degradedResponseTime", "maxResponseTime", "shouldFail", "doubleCheck"]) {
    assert.ok(!(hidden in body), hidden);
  }
  const { body: listed } = await app.call("GET", "/v1/checks?checkType=HEARTBEAT");
  assert.ok(listed.some((one: Input) => one.id === id));
  const trigger = { target: { checkId: [id] } };
  const triggered = await app.call("POST", "/v2/check-sessions/trigger", { body: trigger });
  assert.equal(triggered.status, 404, "nobody can be asked to run it");
});

test("GET, HEAD and POST are pings, acknowledged when stored", async () => {
  const { id, token } = await newCheck();
  assert.deepEqual(await statesOf(id), []);
  const got = await ping(token);
  assert.deepEqual([got.status, got.text], [200, "OK"]);
  assert.equal(got.headers.get("cache-control"), "no-store");
  assert.equal(got.headers.get("access-control-allow-origin"), "*");
  assert.match(got.headers.get("content-type") ?? "", /^text\/plain/);
  assert.equal((await statesOf(id)).length, 1);
  await taken(token, { method: "HEAD" });
  await taken(token.toUpperCase(), { method: "POST" });
  await taken(token, {
    method: "POST",
    body: "{not json",
    headers: { "content-type": "application/json" },
  });
  const events = await listEvents(id);
  assert.deepEqual(
    events.map(({ source }: { source: string }) => source.split(" ")[0]),
    ["POST", "POST", "HEAD", "GET"],
  );
  const { body: one } = await app.call("GET", `/v1/checks/heartbeats/${id}/events/${events[0].id}`);
  assert.deepEqual(one.event, events[0]);
  assert.equal(one.stats.last24Hours.totalEntitiesCurrentPeriod, 4);
  assert.equal(one.stats.last24Hours.successRatio.currentPeriod, 1);
  const result = await newestResult(id);
  assert.equal(result.verdict, "passing");
  assert.equal(result.heartbeatCheckResult.body, "{not json");
});

test("the body of a ping is stored within bounds for any bytes", async () => {
  const { id, token } = await newCheck();
  const odd = Buffer.concat([
    Buffer.from([0, 0xff, 0xfe, 0x0a]),
    Buffer.from("naïve 🚀 \u202e<b>"),
  ]);
  await taken(token, {
    method: "POST",
    body: Uint8Array.from(odd),
    headers: { "user-agent": "x".repeat(400) },
  });
  const { heartbeatCheckResult: short } = await newestResult(id);
  assert.equal(short.body, "\0\u{fffd}\u{fffd}\nnaïve 🚀 \u202e<b>");
  assert.deepEqual(
    [short.isCut, short.bodyBytes, short.userAgent.length],
    [false, odd.length, 255],
  );
  assert.equal(short.source, "127.0.0.1");

  app.clock.advance(1_000);
  await taken(token, { method: "POST", body: "é".repeat(5_000) });
  assert.equal((await newestResult(id)).heartbeatCheckResult.isCut, false);
  app.clock.advance(1_000);
  await taken(token, { method: "POST", body: Uint8Array.from(Buffer.alloc(10_001, 0xff)) });
  const { heartbeatCheckResult: cut } = await newestResult(id);
  assert.deepEqual([cut.isCut, cut.bodyBytes, cut.body.length], [true, 10_001, 10_000]);
  app.clock.advance(1_000);
  await taken(token, { method: "POST", body: "x".repeat(1_048_576) });
  assert.equal((await newestResult(id)).heartbeatCheckResult.bodyBytes, 1_048_576);
  const tooMuch = await ping(token, { method: "POST", body: "x".repeat(1_048_577) });
  assert.equal(tooMuch.status, 413);
});

test("the last path segment reports how a job ended", async () => {
  const table: readonly (readonly [string, number, string | null, RegExp])[] = [
    ["0", 200, "passing", /within its limits/],
    ["1", 200, "failing", /exit code 1/],
    ["255", 200, "failing", /exit code 255/],
    ["007", 200, "failing", /exit code 7/],
    ["fail", 200, "failing", /./],
    ["256", 400, null, /signal must be/],
    ["abc", 400, null, /signal must be/],
    ["-1", 400, null, /signal must be/],
    ["1.5", 400, null, /signal must be/],
    ["Start", 400, null, /signal must be/],
  ];
  for (const [signal, status, verdict, text] of table) {
    const { id, token } = await newCheck();
    const answer = await ping(`${token}/${signal}`, { method: "POST", body: "disk\u0007 full\n" });
    assert.equal(answer.status, status, signal);
    if (verdict === null) {
      assert.match(answer.body.message, text);
      assert.deepEqual(await statesOf(id), []);
      continue;
    }
    const result = await newestResult(id);
    assert.equal(result.verdict, verdict, signal);
    if (verdict === "failing") assert.equal(result.reasons[0].output, "disk  full");
  }
});

test("a start is matched to its end by the run id", async () => {
  const { id, token } = await newCheck();
  await taken(`${token}/start?rid=a`);
  assert.deepEqual(await statesOf(id), [], "a start is no event");
  app.clock.advance(5_000);
  await taken(`${token}/start?rid=b`);
  app.clock.advance(2_500);
  await taken(`${token}?rid=b`);
  const second = await newestResult(id);
  assert.deepEqual([second.heartbeatCheckResult.duration, second.responseTime], [2_500, 2_500]);
  app.clock.advance(500);
  await taken(`${token}/0?rid=a`);
  assert.equal((await newestResult(id)).heartbeatCheckResult.duration, 8_000);
  app.clock.advance(500);
  await taken(token);
  assert.equal((await newestResult(id)).heartbeatCheckResult.duration, null);
  assert.equal((await ping(`${token}?rid=${"x".repeat(65)}`)).status, 400);
  const path = `/v1/analytics/heartbeat-checks/${id}?metrics=availability,retries,duration_max`;
  const analytics = await app.call("GET", path);
  assert.equal(analytics.status, 200, analytics.text);
  assert.match(analytics.text, /"duration_max":8\d\d\d/);
});

test("duration limits apply if set", async () => {
  const { id, token } = await newCheck(everyMinute, {
    degradedResponseTime: 1_000,
    maxResponseTime: 3_000,
  });
  for (const [tookMs, verdict] of [
    [900, "passing"],
    [1_500, "degraded"],
    [3_500, "failing"],
  ] as const) {
    await taken(`${token}/start`);
    app.clock.advance(tookMs);
    await taken(token);
    assert.equal((await newestResult(id)).verdict, verdict);
  }
});

test("unknown tokens are not found, and guessing is rate-limited", async () => {
  for (const path of [randomUUID(), "abc", `${randomUUID()}/start`, "x".repeat(64)]) {
    assert.equal((await ping(path)).status, 404, path);
  }
  assert.equal((await ping("x".repeat(65))).status, 400);
  const known = await newCheck();
  await taken(known.token);
  const statuses = new Set<number>();
  for (let guess = 0; guess < 70; guess += 1) statuses.add((await ping(randomUUID())).status);
  assert.deepEqual([...statuses], [404, 429]);
  await taken(known.token);
  app.clock.advance(61_000);
  assert.equal((await ping(randomUUID())).status, 404);
});

test("a job that pings too often is rate-limited", async () => {
  const { id, token } = await newCheck();
  const statuses: number[] = [];
  for (let count = 0; count < 125; count += 1) statuses.push((await ping(token)).status);
  assert.equal(statuses.filter((status) => status === 200).length, 121);
  assert.equal(statuses.at(-1), 429);
  assert.equal((await listEvents(id)).length, 10);
  app.clock.advance(61_000);
  await taken(token);
});

test("simultaneous pings are all stored in order of arrival", async () => {
  const { id, token } = await newCheck();
  const answers = await Promise.all(Array.from({ length: 50 }, () => ping(token)));
  assert.ok(answers.every(({ status }) => status === 200));
  const { body } = await app.call("GET", `/v1/checks/heartbeats/${id}/availability`);
  assert.equal(body.totalEntitiesCurrentPeriod, 50);
});

test("a deleted check accepts no further pings", async () => {
  const { id, token } = await newCheck();
  const pings = Array.from({ length: 40 }, async (_, place) => {
    await new Promise((resume) => setImmediate(resume));
    if (place === 20) await app.call("DELETE", `/v1/checks/${id}`);
    return (await ping(token)).status;
  });
  const statuses = new Set(await Promise.all(pings));
  assert.ok([...statuses].every((status) => status === 200 || status === 404));
  assert.equal((await ping(token)).status, 404);
  const { rows } = await app.query("select 1 from heartbeats where check_id = $1", [id]);
  assert.deepEqual(rows, []);
});

test("a token may be chosen and changed, and is unique", async () => {
  const chosen = randomUUID();
  const { id } = await newCheck({ ...everyMinute, pingToken: chosen });
  await taken(chosen);
  const twin = { name: "Twin", heartbeat: { ...everyMinute, pingToken: chosen } };
  const refused = await app.call("POST", "/v1/checks/heartbeat", { body: twin, key: stranger.key });
  assert.equal(refused.status, 400);
  assert.match(refused.body.message, /^heartbeat\.pingToken is in use/);
  const next = randomUUID();
  const change = { heartbeat: { pingToken: next } };
  assert.equal((await app.call("PUT", `/v1/checks/heartbeat/${id}`, { body: change })).status, 200);
  await taken(next);
  await waitUntil("the old address is gone", async () => (await ping(chosen)).status === 404);
  const other = await newCheck({ ...everyMinute, pingToken: "" });
  const taken409 = await app.call("PUT", `/v1/checks/heartbeat/${other.id}`, { body: change });
  assert.equal(taken409.status, 400);
});

test("invalid input is rejected with the name of the field", async () => {
  const table: readonly (readonly [Input, string])[] = [
    [{ period: 29, periodUnit: "seconds" }, "heartbeat.period"],
    [{ period: 366, periodUnit: "days" }, "heartbeat.period"],
    [{ period: -1 }, "heartbeat.period"],
    [{ period: "1" }, "heartbeat.period"],
    [{ periodUnit: "weeks" }, "heartbeat.periodUnit"],
    [{ grace: -1 }, "heartbeat.grace"],
    [{ grace: 366, graceUnit: "days" }, "heartbeat.grace"],
    [{ graceUnit: "" }, "heartbeat.graceUnit"],
    [{ cron: "" }, "heartbeat.cron"],
    [{ cron: "61 * * * *" }, "heartbeat.cron"],
    [{ cron: "* * * * * *" }, "heartbeat.cron"],
    [{ cron: "0 0 31 2 *" }, "heartbeat.cron"],
    [{ cron: "0 3 * * *", timezone: "Mars/Olympus" }, "heartbeat.timezone"],
    [{ pingToken: "secret" }, "heartbeat.pingToken"],
  ];
  for (const [given, field] of table) {
    const body = { name: "Bad", heartbeat: { ...everyMinute, ...given } };
    const { status, body: error } = await app.call("POST", "/v1/checks/heartbeat", { body });
    assert.equal(status, 400, JSON.stringify(given));
    assert.ok(error.message.startsWith(field), `${field}: ${error.message}`);
  }
  const missing = await app.call("POST", "/v1/checks/heartbeat", { body: { name: "Bad" } });
  assert.equal(missing.status, 400);
});

test("events and availability are those of the caller's own heartbeats", async () => {
  const { id, token } = await newCheck();
  const path = `/v1/checks/heartbeats/${id}`;
  const { body: none } = await app.call("GET", `${path}/availability`);
  assert.ok(none === null || none === undefined);
  await taken(token);
  const [{ id: eventId }] = await listEvents(id);
  const paths = ["/events", `/events/${eventId}`, "/availability"];
  const icmp = await app.call("POST", "/v1/checks/icmp", {
    body: { name: "Host", activated: false, request: { hostname: "127.0.0.1" } },
  });
  for (const end of paths) {
    assert.equal((await app.call("GET", `${path}${end}`)).status, 200, end);
    assert.equal((await app.call("GET", `${path}${end}`, { key: null })).status, 401, end);
    assert.equal((await app.call("GET", `${path}${end}`, { key: stranger.key })).status, 404, end);
    const other = `/v1/checks/heartbeats/${icmp.body.id}${end}`;
    assert.equal((await app.call("GET", other)).status, 404, end);
  }
  assert.equal((await app.call("GET", `${path}/events/${randomUUID()}`)).status, 404);
  for (const bad of ["startTime=x", "endTime=2026-13-01", "limit=11", "limit=0"]) {
    assert.equal((await app.call("GET", `${path}/events?${bad}`)).status, 400, bad);
  }
  const backwards = "startTime=2026-11-16&endTime=2026-11-15";
  assert.equal((await app.call("GET", `${path}/availability?${backwards}`)).status, 400);
  const past = "?startTime=2026-01-01&endTime=2026-01-02";
  assert.deepEqual(await listEvents(id, past), []);
  const { body: audit } = await app.call("GET", `/v1/audit-log?limit=100`);
  assert.doesNotMatch(JSON.stringify(audit ?? ""), new RegExp(token));
});
