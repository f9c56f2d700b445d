/** Test sessions with events over MQTT, as `test` and `trigger` of the command line use them. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, type TestContext, test } from "node:test";
import { WebSocket } from "ws";
import { ownerKey, startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger, type Stranger } from "../../../../test/support/apps/cast.ts";
import { startSecondApp } from "../../../../test/support/apps/second-app.ts";
import { MqttClient } from "../../../../test/support/clients/mqtt-client.ts";
import { startHeldServer } from "../../../../test/support/servers/held-server.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";

type Caller = Pick<TestApp, "call">;

let app: TestApp;
let stranger: Stranger;
let ownId: string;

before(async () => {
  app = await startTestApp();
  stranger = await addStranger(app);
  ownId = app.owner.accountId;
});
after(() => app.stop());

const topicOf = (accountId: string, suiteId: string) =>
  `account/${accountId}/ad-hoc-check-results/${suiteId}/+/+/+`;

async function connect(url = app.url): Promise<MqttClient> {
  const client = new MqttClient(url);
  assert.equal(await client.signIn(ownId, ownerKey), 0);
  return client;
}

/** Runs a ping of this machine. */
const runPing = (suiteId: string) =>
  runJob(suiteId, {
    checkType: "ICMP",
    request: { hostname: "127.0.0.1", ipFamily: "IPv4", pingCount: 1 },
  });

/** Runs a check that waits for a server which does not respond before the test ends. */
async function runHeld(
  t: TestContext,
  options: { readonly server?: Caller; readonly suiteId?: string; readonly count?: number } = {},
) {
  const { server = app, suiteId = randomUUID(), count = 1 } = options;
  const { port, release } = await startHeldServer(t);
  t.after(release);
  const request = { hostname: "127.0.0.1", port, ipFamily: "IPv4", data: "PING", assertions: [] };
  const limits = { degradedResponseTime: 45_000, maxResponseTime: 45_000 };
  const started = await runJob(suiteId, { checkType: "TCP", request, ...limits }, server, count);
  return { ...started, release };
}

async function runJob(suiteId: string, check: object, server: Caller = app, count = 1) {
  const jobs = Array.from({ length: count }, () => ({
    ...check,
    name: "Ping",
    groupId: null,
    sourceInfo: { checkRunSuiteId: suiteId, checkRunId: randomUUID(), updateSnapshots: false },
    logicalId: "ping",
    filePath: "ping.check.ts",
  }));
  const body = {
    name: "Project",
    checkRunJobs: jobs,
    project: { logicalId: "project" },
    runLocation: { type: "PUBLIC", region: "eu-central-1" },
    shouldRecord: true,
  };
  const {
    status,
    body: started,
    text,
  } = await server.call("POST", "/v1/test-sessions/run", {
    body,
  });
  assert.equal(status, 202, text);
  return { runId: jobs[0]?.sourceInfo.checkRunId, ...started };
}

async function awaitEnd(testSessionId: string): Promise<{ readonly status: string }> {
  const path = `/v1/test-sessions/${testSessionId}/completion?maxWaitSeconds=30`;
  const answer = await app.call("GET", path);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

test("a run publishes its start and its result as they happen", async () => {
  const suiteId = randomUUID();
  const client = await connect();
  assert.equal(await client.subscribe(topicOf(ownId, suiteId)), true);
  const { runId, sequenceIds, testResultIds, testSessionId } = await runPing(suiteId);
  await waitUntil("the result arrives", () => client.messages.length >= 2);
  const root = `account/${ownId}/ad-hoc-check-results/${suiteId}/${sequenceIds.ping}/${runId}`;
  assert.deepEqual(
    client.messages.map(({ topic }) => topic),
    [`${root}/run-start`, `${root}/result`],
  );
  const event = JSON.parse(client.messages[1]?.payload ?? "");
  assert.equal(event.resultType, "FINAL");
  assert.equal(event.testResultId, testResultIds.ping);
  assert.equal(event.result.hasFailures, false);
  assert.equal((await awaitEnd(testSessionId)).status, "PASSED");
  const session = `/next/test-sessions/${testSessionId}`;
  const { link } = (await app.call("GET", `${session}/link`)).body;
  const { pathname } = new URL(link);
  assert.equal(pathname, `/test-sessions/${testSessionId}`);
  const html = await fetch(`${app.url}${pathname}`, { headers: { accept: "text/html" } });
  assert.match(html.headers.get("content-type") ?? "", /^text\/html/);
  const links = await app.call("GET", `${session}/results/${event.testResultId}/links`);
  assert.equal(links.body.testResultLink, `${link}#${event.testResultId}`);
  const { assets } = event.result;
  const data = await app.call(
    "GET",
    `/next/assets/check-run-data/${assets.region}/${assets.checkRunDataPath}`,
  );
  assert.equal(data.body.response.hostname, "127.0.0.1");
  assert.equal(await client.ping(), true);
  client.disappear();
});

test("a trigger publishes the results of existing checks under the id of each", async () => {
  const check = {
    name: "Saved",
    tags: ["saved"],
    request: { hostname: "127.0.0.1", pingCount: 1 },
  };
  const { body: saved } = await app.call("POST", "/v1/checks/icmp", { body: check });
  const suiteId = randomUUID();
  const client = await connect();
  await client.subscribe(topicOf(ownId, suiteId));
  const request = { name: "Triggered", shouldRecord: true, checkRunSuiteId: suiteId };
  const body = {
    ...request,
    targetTags: [["saved"]],
    runLocation: { type: "PUBLIC", region: "eu-central-1" },
  };
  const started = await app.call("POST", "/next/test-sessions/trigger", { body });
  assert.ok(started.status < 300, started.text);
  await waitUntil("the result arrives", () => client.messages.length >= 2);
  const topics = client.messages.map(({ topic }) => topic);
  assert.ok(
    topics.every((topic) => topic.includes(started.body.sequenceIds[saved.id])),
    `${topics}`,
  );
  const none = await app.call("POST", "/next/test-sessions/trigger", {
    body: { ...body, targetTags: [["none"]] },
  });
  assert.deepEqual([none.status, none.body.errorCode], [403, "ERR_NO_MATCHING_CHECKS"]);
  client.disappear();
});

test("the address that clients build for a session leads to its screen", async () => {
  const path = `/accounts/${ownId}/test-sessions/${randomUUID()}`;
  const { status, headers } = await fetch(`${app.url}${path}`, { redirect: "manual" });
  const screen = path.replace(`/accounts/${ownId}`, "");
  assert.deepEqual([status, headers.get("location")], [302, screen]);
});

test("wrong keys, foreign accounts and too many guesses are rejected", async () => {
  const attempts = [
    [ownId, "wrong-key-0123456789-0123456789"],
    [stranger.accountId, stranger.key.slice(0, -1)],
    [stranger.accountId, "short"],
    ["not-an-id", stranger.key],
    [ownId, stranger.key],
  ] as const;
  for (const [username, password] of attempts) {
    const client = new MqttClient(app.url);
    assert.equal(await client.signIn(username, password), 5);
    await client.closed();
  }
  const guesses = Array.from({ length: 15 }, async () =>
    new MqttClient(app.url).signIn(ownId, "w".repeat(40)),
  );
  assert.ok((await Promise.all(guesses)).every((code) => code === 5));
  // Even the right key is rejected until the minute is over.
  assert.equal(await new MqttClient(app.url).signIn(ownId, ownerKey), 5);
  app.clock.advance(60_001);
  (await connect()).disappear();
});

test("nobody reads topics of another account", async () => {
  const suiteId = randomUUID();
  const spy = new MqttClient(app.url);
  assert.equal(await spy.signIn(stranger.accountId, stranger.key), 0);
  const topics = [
    "#",
    "+/+/+/+/+/+/+",
    topicOf(ownId, suiteId),
    `account/+/ad-hoc-check-results/#`,
    "$SYS/#",
  ];
  for (const topic of topics) assert.equal(await spy.subscribe(topic), false, topic);
  assert.equal(await spy.subscribe(topicOf(stranger.accountId, suiteId)), true);
  const client = await connect();
  await client.subscribe(topicOf(ownId, suiteId));
  await runPing(suiteId);
  await waitUntil("the owner receives the result", () => client.messages.length >= 2);
  assert.equal(await spy.ping(), true);
  assert.deepEqual(spy.messages, []);
  client.disappear();
  spy.disappear();
});

test("a client cannot publish", async () => {
  const suiteId = randomUUID();
  const listener = await connect();
  await listener.subscribe(topicOf(ownId, suiteId));
  const forger = await connect();
  const topic = `account/${ownId}/ad-hoc-check-results/${suiteId}/a/b/result`;
  forger.send({ cmd: "publish", topic, payload: "{}", qos: 0, dup: false, retain: false });
  await forger.closed();
  assert.equal(await listener.ping(), true);
  assert.deepEqual(listener.messages, []);
  listener.disappear();
});

test("subscriptions, packets and connections are bounded", async () => {
  const greedy = await connect();
  const granted: boolean[] = [];
  for (let count = 0; count < 11; count += 1) {
    granted.push(await greedy.subscribe(topicOf(ownId, `suite-${count}`)));
  }
  assert.deepEqual(granted, [...Array(10).fill(true), false]);
  greedy.sendBytes(Buffer.alloc(17 * 1024));
  await greedy.closed();

  const clients = await Promise.all(Array.from({ length: 10 }, () => connect()));
  assert.equal(await new MqttClient(app.url).signIn(ownId, ownerKey), 5);
  // Another account is not affected.
  const other = new MqttClient(app.url);
  assert.equal(await other.signIn(stranger.accountId, stranger.key), 0);
  other.disappear();
  for (const client of clients) client.disappear();
  // A client that disappears frees its place.
  await waitUntil("a place is free", async () => {
    const client = new MqttClient(app.url);
    const code = await client.signIn(ownId, ownerKey);
    client.disappear();
    return code === 0;
  });
});

test("connections of one address that do not sign in leave room for those of others", async () => {
  const openFrom = (localAddress: string) =>
    new WebSocket(app.url.replace("http", "ws"), "mqtt", { localAddress });
  const waitFor = (socket: WebSocket) =>
    new Promise<string>((resolve) => {
      socket.on("open", () => resolve("open"));
      socket.on("unexpected-response", (_request, { statusCode }) => {
        resolve(String(statusCode));
        socket.terminate();
      });
      socket.on("error", () => resolve("error"));
    });
  const open = Array.from({ length: 30 }, () => openFrom("127.0.0.1"));
  const outcomes = await Promise.all(open.map(waitFor));
  const count = (outcome: string) => outcomes.filter((one) => one === outcome).length;
  assert.deepEqual([count("open"), count("429")], [20, 10]);
  // Above the limit of all addresses together, the oldest connection is closed.
  const others = Array.from({ length: 200 }, (_item, index) =>
    openFrom(`127.0.1.${1 + Math.floor(index / 20)}`),
  );
  assert.deepEqual(new Set(await Promise.all(others.map(waitFor))), new Set(["open"]));
  await waitUntil("the oldest are closed", () =>
    open.every(({ readyState }) => readyState === WebSocket.CLOSED),
  );
  for (const socket of [...open, ...others]) socket.terminate();
  await waitUntil("a place is free", async () => {
    const client = new MqttClient(app.url);
    const code = await client.signIn(ownId, ownerKey).catch(() => null);
    client.disappear();
    return code === 0;
  });
});

test("a session goes on when its client disappears", async () => {
  const suiteId = randomUUID();
  const client = await connect();
  await client.subscribe(topicOf(ownId, suiteId));
  const { testSessionId } = await runPing(suiteId);
  client.disappear();
  assert.equal((await awaitEnd(testSessionId)).status, "PASSED");
});

test("events pass between servers, and a client reconnects when its server restarts", async (t) => {
  const second = await startSecondApp(app, { BUILT_IN_PROBE: "false" });
  const suiteId = randomUUID();
  const client = await connect(second.url);
  await client.subscribe(topicOf(ownId, suiteId));
  await runPing(suiteId);
  await waitUntil("the result arrives", () => client.messages.length >= 2);
  // This run is in progress when its server stops.
  const { testSessionId } = await runHeld(t, { server: second });
  await second.stop();
  await client.closed();
  const again = await connect();
  assert.equal(await again.subscribe(topicOf(ownId, suiteId)), true);
  again.disappear();
  app.clock.advance(1_800_001);
  const { body } = await app.call("GET", `/v1/test-sessions/${testSessionId}`);
  assert.notEqual(body.status, "RUNNING");
});

test("a cancelled session reports its runs as cancelled", async (t) => {
  const { testSessionId } = await runHeld(t);
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    "x-checkly-source": "CLI",
  };
  const cancelled = await app.call("POST", `/v1/test-sessions/${testSessionId}/cancel`, {
    headers,
  });
  assert.ok(cancelled.status < 300, cancelled.text);
  assert.equal((await awaitEnd(testSessionId)).status, "CANCELLED");
});

test("a session that another server cancels starts no further runs", async (t) => {
  const second = await startSecondApp(app, { BUILT_IN_PROBE: "false" });
  t.after(() => second.stop());
  const suiteId = randomUUID();
  const client = await connect();
  t.after(() => client.disappear());
  await client.subscribe(topicOf(ownId, suiteId));
  const count = (event: RegExp) => client.messages.filter(({ topic }) => event.test(topic)).length;
  // Five runs of a session are executed at a time.
  const { testSessionId, release } = await runHeld(t, { suiteId, count: 6 });
  await waitUntil("five runs have started", () => count(/run-start$/) === 5);
  const { status } = await second.call("POST", `/v1/test-sessions/${testSessionId}/cancel`);
  assert.ok(status < 300);
  release();
  await waitUntil("every run has ended", () => count(/(?:result|error)$/) === 6);
  assert.equal(count(/run-start$/), 5);
});
