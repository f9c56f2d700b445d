/** A traceroute check through the whole product. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";

let app: TestApp;

before(async () => {
  app = await startTestApp({ PROBE_DENY: "127.66.0.0/16" });
});
after(() => app.stop());

async function create(request: object) {
  const body = { name: "Path", frequency: 1_440, request };
  const { status, body: made, text } = await app.call("POST", "/v1/checks/traceroute", { body });
  assert.equal(status, 201, text);
  return made;
}

async function run(checkId: string) {
  app.clock.advance(1_000);
  const body = { target: { checkId: [checkId] } };
  const { body: triggered } = await app.call("POST", "/v2/check-sessions/trigger", { body });
  const id = triggered.sessions[0].checkSessionId;
  const { body: session } = await app.call("GET", `/v2/check-sessions/${id}/completion`);
  const [{ checkResultId }] = session.results;
  return (await app.call("GET", `/v1/check-results/${checkId}/${checkResultId}`)).body;
}

// UDP needs no privileges, so that this runs as any user.
const request = { url: "127.7.7.7", protocol: "UDP", ptrLookup: false };

test("a path is traced, stored, judged and shown", async () => {
  const check = await create(request);
  assert.deepEqual([check.checkType, check.request.port], ["TRACEROUTE", 33_434]);
  assert.deepEqual([check.degradedResponseTime, check.maxResponseTime], [3_000, 5_000]);
  const result = await run(check.id);
  assert.equal(result.verdict, "passing", JSON.stringify(result));
  const { response, totalHops, destinationReached } = result.tracerouteCheckResult;
  assert.deepEqual([totalHops, destinationReached], [1, true]);
  assert.equal(response.truncationReason, "destinationReached");
  assert.equal(response.hops[0].main_ip, "127.7.7.7");
  assert.ok(response.finalHopLatency.avg > 0);
  assert.equal(result.responseTime > 0, true);

  const changed = { request: { assertions: [assertion("HOP_COUNT", "5")] } };
  const path = `/v1/checks/traceroute/${check.id}`;
  assert.equal((await app.call("PUT", path, { body: changed })).status, 200);
  const failed = await run(check.id);
  assert.equal(failed.verdict, "failing");
  assert.match(JSON.stringify(failed.reasons), /Number of hops is 1/);

  const metrics = "latency_avg,hopCount_avg,packetLoss_avg,availability";
  const series = await app.call("GET", `/v1/analytics/traceroute/${check.id}?metrics=${metrics}`);
  assert.equal(series.status, 200, series.text);
  assert.ok(series.text.includes('"hopCount_avg":'));
});

const assertion = (source: string, target: string) => ({
  source,
  comparison: "GREATER_THAN",
  target,
});

test("an address that the probe may not reach is not traced", async () => {
  const check = await create({ ...request, url: "127.66.0.1" });
  const result = await run(check.id);
  assert.equal(result.verdict, "failing");
  assert.match(JSON.stringify(result.reasons), /address-denied/);
  assert.deepEqual(result.tracerouteCheckResult.response.hops, []);
});

test("fields that do not fit are rejected with their path", async () => {
  for (const [change, field] of [
    [{ protocol: "SCTP" }, /request\.protocol|protocol/],
    [{ maxHops: 65 }, /maxHops/],
    [{ url: "http://a.test" }, /request\.url/],
  ] as const) {
    const body = { name: "Path", request: { ...request, ...change } };
    const { status, text } = await app.call("POST", "/v1/checks/traceroute", { body });
    assert.equal(status, 400, text);
    assert.match(text, field);
  }
});
