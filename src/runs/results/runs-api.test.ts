import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { type Answer, startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, createKey } from "../../../test/support/apps/cast.ts";
import { needsPings as skip } from "../../../test/support/programs/pings.ts";
import { startHeldServer } from "../../../test/support/servers/held-server.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp({ PUBLIC_URL: "https://vedette.test" });
});
after(() => app.stop());

type Fields = Readonly<Record<string, unknown>>;

/** Creates a deactivated check, so that it runs only when triggered. */
async function newCheck(settings: Fields = {}, kind = "icmp"): Promise<string> {
  const request = { hostname: "127.0.0.1", pingCount: 1 };
  const body = { name: "Loopback", activated: false, request, ...settings };
  const { status, body: answer, text } = await app.call("POST", `/v1/checks/${kind}`, { body });
  assert.equal(status, 201, text);
  return answer.id;
}

const change = (id: string, settings: Fields) =>
  app.call("PUT", `/v1/checks/icmp/${id}`, { body: { heartbeat: {}, script: "", ...settings } });
const trigger = (target: Fields, key?: string) =>
  app.call("POST", "/v2/check-sessions/trigger", { body: { target }, ...(key && { key }) });
const awaitSession = (id: string, query = "") =>
  app.call("GET", `/v2/check-sessions/${id}/completion${query}`);

/** Runs a check the given number of times, one second apart, and returns the sessions. */
async function run(checkId: string, times = 1): Promise<Answer["body"][]> {
  const ids: string[] = [];
  for (let time = 0; time < times; time += 1) {
    app.clock.advance(1_000);
    ids.push((await trigger({ checkId: [checkId] })).body.sessions[0].checkSessionId);
  }
  const answers = await Promise.all(ids.map((id) => awaitSession(id)));
  for (const { status, text } of answers) assert.equal(status, 200, text);
  return answers.map(({ body }) => body);
}

const list = (checkId: string, query = "") =>
  app.call("GET", `/v2/check-results/${checkId}?${query}`);
const idsOf = (answer: Answer): string[] => answer.body.entries.map((e: { id: string }) => e.id);
const readResult = (checkId: string, resultId: string) =>
  app.call("GET", `/v1/check-results/${checkId}/${resultId}`);
const statusOf = async (checkId: string) =>
  (await app.call("GET", `/v1/check-statuses/${checkId}`)).body;
const isMilliseconds = (value: unknown) => typeof value === "number" && value > 0 && value < 1_000;

test("a triggered run ends and returns its results", { skip }, async () => {
  const checkId = await newCheck();
  const { status, body } = await trigger({ checkId: [checkId] });
  assert.equal(status, 201);
  const [started] = body.sessions;
  assert.deepEqual(started, {
    checkSessionId: started.checkSessionId,
    checkSessionLink: `https://vedette.test/checks/${checkId}`,
    checkId,
    checkType: "ICMP",
    name: "Loopback",
    status: "STARTED",
    startedAt: app.clock.now().toISOString(),
    stoppedAt: null,
    timeElapsed: 0,
    runLocations: started.runLocations,
    runSource: "TRIGGER_API",
    results: [],
  });
  const { body: ended } = await awaitSession(started.checkSessionId);
  assert.equal(ended.status, "PASSED");
  assert.equal(ended.stoppedAt, app.clock.now().toISOString());
  const [result] = ended.results;
  assert.equal(result.resultType, "FINAL");
  assert.equal(result.hasFailures, false);
  assert.ok(isMilliseconds(result.responseTime));
  assert.equal(result.checkResultLink, `${ended.checkSessionLink}?run=${result.checkResultId}`);
  const read = await app.call("GET", `/v2/check-sessions/${ended.checkSessionId}`);
  assert.deepEqual(read.body, ended);
});

test("results are paginated newest first without duplicates or omissions", async () => {
  const checkId = await newCheck();
  const sessions = await run(checkId, 5);
  const newestFirst = sessions.map((session) => session.results[0].checkResultId).reverse();
  const paged: string[] = [];
  const lengths: number[] = [];
  for (let query = "limit=2"; query !== ""; ) {
    const page = await list(checkId, query);
    assert.equal(page.status, 200, page.text);
    paged.push(...idsOf(page));
    lengths.push(page.body.length);
    query = page.body.nextId === null ? "" : `limit=2&nextId=${page.body.nextId}`;
  }
  assert.deepEqual(paged, newestFirst);
  assert.deepEqual(lengths, [2, 2, 1]);
  assert.equal((await list(checkId, "limit=5")).body.nextId, null);
  const seconds = app.clock.now().getTime() / 1_000;
  const between = await list(checkId, `from=${seconds - 3}&to=${seconds - 1}`);
  assert.deepEqual(idsOf(between), newestFirst.slice(2, 4), "from is included, to is not");
  assert.deepEqual(idsOf(await list(checkId, `from=${seconds}&to=${seconds - 9}`)), []);
  app.clock.advance(25 * 3_600_000);
  assert.deepEqual(idsOf(await list(checkId)), [], "the default range is the last day");
  assert.deepEqual(idsOf(await list(checkId, `from=${seconds - 9}`)), newestFirst);
});

test("results are filtered by failure, location and type", { skip }, async () => {
  const locations = ["eu-west-1", "us-east-1"];
  const retryStrategy = { type: "FIXED", baseBackoffSeconds: 0, maxRetries: 1 };
  const checkId = await newCheck({ locations, runParallel: true, retryStrategy });
  await run(checkId);
  // With this threshold every run fails and is retried.
  await change(checkId, { maxPacketLossThreshold: 0 });
  const [failed] = await run(checkId);
  assert.equal(failed.status, "FAILED");
  const count = async (query: string) => (await list(checkId, query)).body.length;
  assert.equal(await count(""), 4);
  assert.equal(await count("resultType=FINAL"), 4);
  assert.equal(await count("resultType=ATTEMPT"), 2);
  assert.equal(await count("resultType=ALL"), 6);
  assert.equal(await count("hasFailures=true"), 2);
  assert.equal(await count("hasFailures=false"), 2);
  assert.equal(await count("hasFailures=true&resultType=ALL"), 4);
  assert.equal(await count("location=eu-west-1"), 2);
  assert.equal(await count("location=eu-west-1&hasFailures=true&resultType=ATTEMPT"), 1);
  assert.equal(await count("location=nowhere"), 0);
  const attempts = (await list(checkId, "location=eu-west-1&resultType=ALL&hasFailures=true")).body
    .entries as Answer["body"][];
  assert.deepEqual(attempts.map((entry) => entry.attempts).sort(), [1, 2]);
  assert.equal(new Set(attempts.map((entry) => entry.sequenceId)).size, 1);
  assert.equal(new Set(attempts.map((entry) => entry.checkRunId)).size, 1);
});

test("invalid parameters of a result list are rejected", async () => {
  const checkId = await newCheck();
  for (const query of [
    "limit=0",
    "limit=101",
    "limit=x",
    "limit=1.5",
    "from=-1",
    "from=yesterday",
    "to=99999999999999",
    "nextId=x",
    "hasFailures=perhaps",
    "resultType=FIRST",
    `location=${"x".repeat(65)}`,
  ]) {
    const answer = await list(checkId, query);
    assert.equal(answer.status, 400, query);
    assert.deepEqual(answer.body.validation.keys, [query.split("=")[0]]);
  }
  assert.equal((await list(randomUUID())).status, 404);
  assert.equal((await list("x")).status, 400);
  assert.equal((await readResult(checkId, randomUUID())).status, 404);
  assert.equal((await readResult(checkId, "x")).status, 400);
});

test("a whole result has every field and every packet", { skip }, async () => {
  for (const [hostname, ipFamily] of [
    ["127.0.0.1", "IPv4"],
    ["::1", "IPv6"],
  ]) {
    const checkId = await newCheck({ request: { hostname, ipFamily, pingCount: 2 } });
    const [session] = await run(checkId);
    const { body } = await readResult(checkId, session.results[0].checkResultId);
    const { icmpCheckResult, ...listed } = body;
    assert.deepEqual((await list(checkId)).body.entries, [listed]);
    const at = app.clock.now().toISOString();
    assert.deepEqual(listed, {
      id: session.results[0].checkResultId,
      name: "Loopback",
      checkId,
      hasFailures: false,
      hasErrors: false,
      isDegraded: false,
      isCancelled: false,
      overMaxResponseTime: false,
      runLocation: session.runLocations[0],
      probeId: listed.probeId,
      startedAt: at,
      stoppedAt: at,
      created_at: at,
      responseTime: listed.responseTime,
      checkRunId: app.clock.now().getTime(),
      attempts: 1,
      resultType: "FINAL",
      sequenceId: listed.id,
      verdict: "passing",
      reasons: [{ name: "all-within-limits" }],
      traceId: null,
      explanation: "Everything was within its limits.",
      errorGroupIds: [],
      apiCheckResult: null,
      browserCheckResult: null,
      multiStepCheckResult: null,
    });
    assert.match(listed.probeId, /./);
    const { latency, pingResults, jitter, ...response } = icmpCheckResult.response;
    assert.deepEqual(response, {
      hostname,
      resolvedIp: hostname,
      ipFamily,
      pingCount: 2,
      packetsSent: 2,
      packetsReceived: 2,
      packetSize: 64,
      packetLoss: 0,
      dnsResolutionTime: response.dnsResolutionTime,
      longestLossBurst: 0,
      duplicates: 0,
      reordered: 0,
      lateReplies: 0,
      error: null,
    });
    assert.ok(response.dnsResolutionTime >= 0 && response.dnsResolutionTime < 1_000);
    assert.ok(isMilliseconds(latency.min) && isMilliseconds(latency.max));
    assert.ok(latency.min <= latency.avg && latency.avg <= latency.max && latency.stdDev >= 0);
    assert.equal(listed.responseTime, latency.avg);
    assert.ok(jitter >= 0);
    assert.equal(pingResults.length, 2);
    for (const [sequence, packet] of pingResults.entries()) {
      const { rtt, ttl, sentAt, ...rest } = packet;
      const type = ipFamily === "IPv4" ? 0 : 129;
      assert.deepEqual(rest, { sequence, type, code: 0, success: true });
      assert.ok(isMilliseconds(rtt) && ttl > 0 && ttl <= 255);
      assert.match(sentAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
  }
});

test("a name that does not resolve fails without reporting packet loss", async () => {
  const checkId = await newCheck({ request: { hostname: "nowhere.invalid", pingCount: 2 } });
  const [session] = await run(checkId);
  assert.equal(session.status, "FAILED");
  const { body } = await readResult(checkId, session.results[0].checkResultId);
  assert.deepEqual([body.verdict, body.hasFailures, body.hasErrors], ["failing", true, true]);
  assert.equal(body.responseTime, 0);
  const { response } = body.icmpCheckResult;
  const [{ name: reason }, ...others] = body.reasons;
  assert.deepEqual([reason, others], ["name-not-resolved", []]);
  assert.equal(response.error.kind, "unresolved");
  assert.equal(response.error.code, body.reasons[0].code);
  const { error: _error, dnsResolutionTime, ...rest } = response;
  assert.ok(dnsResolutionTime >= 0);
  assert.deepEqual(rest, {
    hostname: "nowhere.invalid",
    resolvedIp: null,
    ipFamily: "IPv4",
    pingCount: 2,
    packetsSent: 0,
    packetsReceived: 0,
    packetSize: null,
    packetLoss: null,
    latency: { avg: null, min: null, max: null, stdDev: null },
    jitter: null,
    longestLossBurst: null,
    duplicates: null,
    reordered: null,
    lateReplies: null,
    pingResults: [],
  });
});

test("a status contains its thresholds, votes and attempts", { skip }, async () => {
  const checkId = await newCheck({
    maxPacketLossThreshold: 0,
    degradedPacketLossThreshold: 7,
    maxResponseTime: 250,
    retryStrategy: { type: "FIXED", baseBackoffSeconds: 0, maxRetries: 2, sameRegion: true },
  });
  const [session] = await run(checkId);
  const attempts = session.results.map((result: { resultType: string }) => result.resultType);
  assert.deepEqual(attempts, ["ATTEMPT", "ATTEMPT", "FINAL"]);
  const last = session.results[2].checkResultId;
  const at = app.clock.now().toISOString();
  const { decision, explanation, ...shown } = await statusOf(checkId);
  assert.match(explanation, /^0 % of the packets were lost/);
  assert.deepEqual(shown, {
    name: "Loopback",
    checkId,
    hasFailures: true,
    hasErrors: false,
    isDegraded: false,
    status: "failing",
    since: at,
    longestRun: shown.longestRun,
    shortestRun: shown.longestRun,
    lastRunLocation: session.runLocations[0],
    lastCheckRunId: last,
    sslDaysRemaining: null,
    created_at: at.slice(0, 10),
    updated_at: at,
  });
  assert.equal(decision.rule, "newest-run-decides");
  assert.deepEqual(decision.thresholds, {
    degradedPacketLossThreshold: 7,
    maxPacketLossThreshold: 0,
    degradedResponseTime: null,
    maxResponseTime: 250,
    assertions: 0,
    shouldFail: false,
  });
  assert.equal(decision.retryStrategy.maxRetries, 2);
  assert.equal(decision.consecutiveFailures, 1);
  const location = session.runLocations[0];
  assert.deepEqual(decision.votes, [{ location, verdict: "failing", resultId: last, at }]);
  const lossAtLimit = { name: "packet-loss-at-or-above-max", lossPercent: 0, limitPercent: 0 };
  assert.deepEqual(
    decision.runs.map((one: Answer["body"]) => [one.attempt, one.resultType, one.reasons]),
    [
      [1, "ATTEMPT", [lossAtLimit]],
      [2, "ATTEMPT", [lossAtLimit]],
      [3, "FINAL", [lossAtLimit]],
    ],
  );
  const all = (await app.call("GET", "/v1/check-statuses")).body as Answer["body"][];
  assert.deepEqual(
    all.find((status) => status.checkId === checkId),
    shown,
  );
});

test("with parallel runs the worst location decides, and each has a vote", { skip }, async () => {
  const locations = ["eu-west-1", "us-east-1"];
  const checkId = await newCheck({ locations, runParallel: true, degradedPacketLossThreshold: 0 });
  const [session] = await run(checkId);
  assert.equal(session.status, "DEGRADED");
  assert.deepEqual(session.runLocations, locations);
  const { status, decision } = await statusOf(checkId);
  assert.deepEqual([status, decision.rule], ["degraded", "worst-location-decides"]);
  const votes = decision.votes.map((vote: Answer["body"]) => `${vote.location} ${vote.verdict}`);
  assert.deepEqual(votes, ["eu-west-1 degraded", "us-east-1 degraded"]);
});

test("the list of checks shows the current status", { skip }, async () => {
  const checkId = await newCheck({ name: "Followed" });
  const listed = async (status: string) =>
    (await app.call("GET", `/v1/checks?search=Followed&status=${status}`)).body.length;
  assert.deepEqual([await listed("passing"), await listed("failing")], [0, 0]);
  await run(checkId);
  assert.deepEqual([await listed("passing"), await listed("failing")], [1, 0]);
  await change(checkId, { maxPacketLossThreshold: 0 });
  await run(checkId);
  assert.deepEqual([await listed("passing"), await listed("failing")], [0, 1]);
});

test("checks are triggered by tags: all of one list, or all of another", async () => {
  const names = { a: ["t-a"], ab: ["t-a", "t-b"], c: ["t-c"] };
  for (const [name, tags] of Object.entries(names)) await newCheck({ name, tags });
  const triggered = async (matchTags: string[][]) =>
    (await trigger({ matchTags })).body.sessions
      .map((session: { name: string }) => session.name)
      .sort();
  assert.deepEqual(await triggered([["t-a"]]), ["a", "ab"]);
  assert.deepEqual(await triggered([["t-a", "t-b"]]), ["ab"]);
  assert.deepEqual(await triggered([["t-a", "t-b"], ["t-c"]]), ["ab", "c"]);
});

test("an unknown check is not found, and a missing target is rejected", async () => {
  const checkId = await newCheck({ tags: ["t-none"] });
  assert.equal((await trigger({ checkId: [randomUUID()] })).status, 404);
  assert.equal((await trigger({ matchTags: [["t-none", "t-unknown"]] })).status, 404);
  assert.equal((await trigger({ checkId: [checkId], matchTags: [["t-unknown"]] })).status, 404);
  for (const target of [{}, { checkId: [] }, { matchTags: [] }, { matchTags: [[]] }]) {
    assert.equal((await trigger(target)).status, 400, JSON.stringify(target));
  }
  const { key } = await addStranger(app);
  assert.equal((await trigger({ checkId: [checkId] }, key)).status, 404);
  assert.equal((await awaitSession(randomUUID())).status, 404);
});

test("triggering requires the right to run", async () => {
  const checkId = await newCheck();
  const may = await createKey(app, "READ_RUN");
  const mayNot = await createKey(app, "READ_ONLY");
  assert.equal((await trigger({ checkId: [checkId] }, may.key)).status, 201);
  assert.equal((await trigger({ checkId: [checkId] }, mayNot.key)).status, 403);
});

test("waiting for a long run returns 408, and a retry returns its result", async (t) => {
  const { port, release } = await startHeldServer(t);
  const request = { hostname: "127.0.0.1", port, data: "PING" };
  const timeout = { degradedResponseTime: 45_000, maxResponseTime: 45_000 };
  const checkId = await newCheck({ ...timeout, request }, "tcp");
  const { body } = await trigger({ checkId: [checkId] });
  const [{ checkSessionId: id }] = body.sessions;
  const early = await awaitSession(id, "?maxWaitSeconds=1");
  assert.equal(early.status, 408);
  assert.equal(early.body.message, "The session is still running. Retry the request.");
  release();
  const late = await awaitSession(id, "?maxWaitSeconds=30");
  assert.deepEqual([late.status, late.body.status], [200, "PASSED"]);
  for (const seconds of ["0", "31", "x"]) {
    assert.equal((await awaitSession(id, `?maxWaitSeconds=${seconds}`)).status, 400);
  }
});
