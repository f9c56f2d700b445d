/** Tests POST /v1/checks/try: a run of unsaved settings with a stream of events. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { ownerKey, startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { createKey } from "../../../../test/support/apps/cast.ts";
import { needsPings } from "../../../../test/support/programs/pings.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";
import { allKinds } from "../../../kinds/index.ts";

let app: TestApp;
let server: Server;
let port: number;
const sockets = new Set<Socket>();
let connections = 0;
/** Whether the server responds; otherwise connections stay open without a response. */
let isAnswering = true;
let received = "";

before(async () => {
  app = await startTestApp();
  server = createServer((socket) => {
    sockets.add(socket);
    connections += 1;
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (data) => {
      received = data.toString();
      if (isAnswering) socket.end(received.startsWith("ECHO") ? received : "+PONG\r\n");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});
after(async () => {
  await app.stop();
  for (const socket of sockets) socket.destroy();
  server.close();
});

type Fields = Readonly<Record<string, unknown>>;

const contains = (target: string) => ({
  source: "RESPONSE_DATA",
  property: "",
  comparison: "CONTAINS",
  target,
});

function bodyOf(request: Fields = {}, more: Fields = {}): Fields {
  const whole = { hostname: "127.0.0.1", port, data: "PING", ...request };
  return { checkType: "TCP", name: "Unsaved", request: whole, ...more };
}

/** On a busy machine a trial may emit additional waiting events. */
const isNews = (name: unknown) => name !== "progress" && name !== "waiting";

/** Returns the lines of an NDJSON response. */
async function tryOut(target: TestApp, body: Fields, query = ""): Promise<Fields[]> {
  const headers = { accept: "application/x-ndjson" };
  const answer = await target.call("POST", `/v1/checks/try${query}`, { body, headers });
  assert.equal(answer.status, 200, answer.text);
  return answer.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

async function countRows(): Promise<number> {
  const tables = ["results", "check_states", "state_changes", "notable_runs", "checks"];
  const counts = tables.map((table) => `(select count(*) from ${table})`).join(" + ");
  return Number((await app.query(`select ${counts} as count`)).rows[0].count);
}

test("a trial streams order, start and result, and stores nothing", async () => {
  const before = await countRows();
  const assertions = [contains("PONG"), contains("PANG")];
  const events = await tryOut(app, bodyOf({ assertions }));
  const names = events.map(({ event }) => event).filter(isNews);
  assert.deepEqual(names, ["ordered", "started", "result", "end"]);
  const [ordered] = events;
  const started = events.find(({ event }) => event === "started");
  const [result, end] = events.slice(-2);
  assert.ok(result);
  const { runId, orderedAt: _orderedAt, deadlineAt: _deadlineAt, ...rest } = ordered ?? {};
  const location = "eu-central-1";
  const target = `127.0.0.1:${port}`;
  assert.deepEqual(rest, { event: "ordered", checkType: "TCP", target, location });
  assert.match(String(started?.probeId), /./);
  assert.equal(result.verdict, "failing");
  assert.match(String(result.explanation), /^An assertion failed: /);
  const [reason] = result.reasons as Fields[];
  assert.equal(reason?.name, "assertion-failed");
  assert.match(String(reason?.sentence), /PANG/);
  const passed = (result.assertions as Fields[]).map((one) => one.passed);
  assert.deepEqual(passed, [true, false]);
  assert.equal((result.tcpCheckResult as { response: Fields }).response.data, "+PONG\r\n");
  assert.deepEqual(end, { event: "end", reason: "complete" });
  assert.equal(await countRows(), before);
  const { rows } = await app.query("select changes from audit_entries where target_id = $1", [
    String(runId),
  ]);
  assert.deepEqual(rows, [{ changes: { checkType: "TCP", target, location } }]);
});

test("the stream is server-sent events unless NDJSON is requested", async () => {
  const { headers, text } = await app.call("POST", "/v1/checks/try", { body: bodyOf() });
  assert.equal(headers.get("content-type"), "text/event-stream");
  const events = text.trimEnd().split("\n\n");
  const names = events.map((event) => /^event: (\w+)\ndata: \{.*\}$/.exec(event)?.[1]);
  assert.deepEqual(names.filter(isNews), ["ordered", "started", "result", "end"]);
});

const listSteps = (events: readonly Fields[]) =>
  events.filter(({ event }) => event === "progress").map(({ event: _event, ...rest }) => rest);

test("each step is streamed in order before the result, with its figures", async () => {
  const events = await tryOut(app, bodyOf());
  const steps = listSteps(events);
  assert.deepEqual(
    steps.map(({ step }) => step),
    ["resolved", "connected", "sent", "answered"],
  );
  assert.equal(steps[0]?.address, "127.0.0.1");
  assert.equal(steps[1]?.port, port);
  assert.equal(steps[2]?.bytes, 4);
  const elapsed = steps.map(({ elapsedMs }) => Number(elapsedMs));
  assert.deepEqual(
    elapsed,
    elapsed.toSorted((one, other) => one - other),
  );
  const order = events.map(({ event }) => event);
  assert.ok(order.indexOf("progress") > order.indexOf("started"));
  assert.ok(order.lastIndexOf("progress") < order.indexOf("result"));
});

test("packets of a ping, phases of HTTP and DNS queries are streamed as steps", {
  skip: needsPings,
}, async () => {
  const host = "127.0.0.1";
  const ping = await tryOut(app, {
    checkType: "ICMP",
    name: "Unsaved",
    request: { hostname: host, pingCount: 3 },
  });
  const packets = listSteps(ping).filter(({ step }) => step === "packet");
  assert.deepEqual(packets.map(({ sequence }) => sequence).toSorted(), [0, 1, 2]);
  for (const { rttMs, lost } of packets) {
    assert.ok(Number(rttMs) > 0);
    assert.equal(lost, null);
  }
  const result = ping.find(({ event }) => event === "result");
  assert.equal(result?.verdict, "passing", JSON.stringify(result));
  const url = await tryOut(app, {
    checkType: "URL",
    name: "Unsaved",
    request: { url: `${app.url}/v1/checks` },
  });
  const answered = listSteps(url);
  assert.deepEqual(
    answered.map(({ step }) => step),
    ["resolved", "connected", "answered", "received"],
  );
  assert.equal(answered[2]?.status, 401);
  const dns = await tryOut(app, {
    checkType: "DNS",
    name: "Unsaved",
    maxResponseTime: 500,
    request: { query: "example.com", recordType: "A", nameServer: host, port },
  });
  const [first] = listSteps(dns).filter(({ step }) => step !== "resolved");
  assert.equal(first?.step, "asked");
});

test("the result contains header fields and body of an HTTP response even if it passes", async () => {
  for (const checkType of ["URL", "API"]) {
    const request = { url: `${app.url}/healthz`, ...(checkType === "API" && { method: "GET" }) };
    const events = await tryOut(app, { checkType, name: "Unsaved", request });
    const result = events.find(({ event }) => event === "result");
    assert.equal(result?.verdict, "passing", JSON.stringify(result));
    const document = (result?.urlCheckResult ?? result?.apiCheckResult) as { response: Fields };
    const { headers, body } = document.response;
    assert.match(String((headers as Fields)["content-type"]), /^application\/json/);
    assert.match(String(body), /alive/);
    assert.match(String(result?.probeId), /./);
  }
});

test("a change of a check is tried with the secrets of the check", async () => {
  const own = { key: "OWN", value: "a-secret-of-the-check", secret: true };
  const made = await app.call("POST", "/v1/checks", {
    body: bodyOf({ data: "ECHO {{OWN}}" }, { environmentVariables: [own], activated: false }),
  });
  assert.equal(made.status, 201, made.text);
  const { id, ...shown } = made.body;
  const body = { checkType: "TCP", request: { ...shown.request, data: "ECHO again {{OWN}}" } };
  const events = await tryOut(app, body, `?checkId=${id}`);
  assert.equal(received, "ECHO again a-secret-of-the-check");
  assert.doesNotMatch(JSON.stringify(events), /a-secret-of/);
  const missing = await app.call("POST", `/v1/checks/try?checkId=${crypto.randomUUID()}`, { body });
  assert.equal(missing.status, 404);
  const stored = await app.call("GET", `/v1/checks/${id}`);
  assert.equal(stored.body.request.data, "ECHO {{OWN}}");
});

test("variables of the group are filled in", async () => {
  const environmentVariables = [{ key: "OF_GROUP", value: "value-of-the-group" }];
  const group = await app.call("POST", "/v1/check-groups", {
    body: { name: "A group", environmentVariables },
  });
  assert.equal(group.status, 201, group.text);
  await tryOut(app, bodyOf({ data: "ECHO {{OF_GROUP}}" }, { groupId: group.body.id }));
  assert.equal(received, "ECHO value-of-the-group");
});

test("the location is the requested one, or else the first of the check", async () => {
  const own = await tryOut(app, bodyOf({}, { locations: ["eu-west-1", "us-east-1"] }));
  assert.equal(own[0]?.location, "eu-west-1");
  const [ordered] = await tryOut(app, bodyOf(), "?location=us-east-1");
  assert.equal(ordered?.location, "us-east-1");
});

test("without a measurement no assertion is evaluated", async () => {
  const events = await tryOut(app, bodyOf({ port: 1, assertions: [contains("PONG")] }));
  const result = events.find(({ event }) => event === "result");
  assert.ok(result);
  assert.equal(result.verdict, "failing");
  const [{ passed }] = result.assertions as [Fields];
  assert.equal(passed, null);
});

test("variables of the account and of the settings are filled in, and no secret is returned", async () => {
  const secret = "s3cr3t-of-the-account";
  const variable = { key: "TOKEN", value: secret, secret: true };
  const stored = await app.call("POST", "/v1/variables", { body: variable });
  assert.equal(stored.status, 201, stored.text);
  const environmentVariables = [
    { key: "OWN", value: "own-secret-value", secret: true },
    { key: "PLAIN", value: "plain-value" },
  ];
  const data = "ECHO {{TOKEN}} {{OWN}} {{PLAIN}}";
  const events = await tryOut(app, bodyOf({ data }, { environmentVariables }));
  assert.equal(received, `ECHO ${secret} own-secret-value plain-value`);
  const text = JSON.stringify(events);
  assert.doesNotMatch(text, /s3cr3t|own-secret/);
  assert.match(text, /plain-value/);
});

test("invalid settings cannot be tried", async () => {
  for (const body of [{}, bodyOf({ port: 0 }), bodyOf({}, { groupId: 4_711 })]) {
    const saved = await app.call("POST", "/v1/checks", { body });
    const tried = await app.call("POST", "/v1/checks/try", { body });
    assert.equal(tried.status, 400, tried.text);
    assert.deepEqual(tried.body, saved.body);
  }
});

test("a kind that no probe runs is rejected with a reason", async () => {
  for (const { type, isOrdered, operations } of allKinds) {
    if (isOrdered) continue;
    const body = { checkType: type, name: "Unsaved", ...operations.example };
    const { status, body: refused } = await app.call("POST", "/v1/checks/try", { body });
    assert.equal(status, 400);
    assert.match(refused.message, /^checkType must be of a kind that a probe executes/);
  }
});

test("a location without a probe is reported", async (t) => {
  const alone = await startTestApp({ BUILT_IN_PROBE: "false" });
  t.after(() => alone.stop());
  const events = await tryOut(alone, bodyOf());
  assert.deepEqual(events.map(({ event }) => event).filter(isNews), ["ordered", "result", "end"]);
  const result = events.find(({ event }) => event === "result");
  assert.equal(result?.verdict, "unknown");
  assert.match(String(result?.explanation), /No probe serves this location/);
});

/** Opens a trial whose target does not respond. */
async function openSlowTrial(key = ownerKey) {
  const controller = new AbortController();
  const response = await fetch(`${app.url}/v1/checks/try`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(bodyOf({}, { maxResponseTime: 45_000 })),
    signal: controller.signal,
  });
  return { status: response.status, response, leave: () => controller.abort() };
}

test("an account has at most five concurrent trials, including abandoned ones", async () => {
  isAnswering = false;
  app.clock.advance(60_000);
  const before = connections;
  const trials = await Promise.all(Array.from({ length: 5 }, () => openSlowTrial()));
  assert.deepEqual(
    trials.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  );
  await waitUntil("all are connected", () => connections >= before + 5);
  trials[0]?.leave();
  const refused = await openSlowTrial();
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.response.headers.get("retry-after")) > 0);
  isAnswering = true;
  for (const socket of sockets) socket.end("+PONG\r\n");
  for (const { response } of trials.slice(1)) assert.match(await response.text(), /event: end/);
  const isFree = async () => (await openSlowTrial()).status === 200;
  await waitUntil("a slot is free again", isFree);
});

test("an account has at most thirty trials per minute", async () => {
  app.clock.advance(60_000);
  const { key } = await createKey(app, "READ_WRITE");
  const statuses = new Set<number>();
  for (let run = 0; run < 31; run += 1) {
    const answer = await app.call("POST", "/v1/checks/try", { body: bodyOf(), key });
    statuses.add(answer.status);
    if (run < 30) assert.equal(answer.status, 200, answer.text);
  }
  assert.ok(statuses.has(429));
  app.clock.advance(60_000);
  assert.equal((await app.call("POST", "/v1/checks/try", { body: bodyOf() })).status, 200);
});

test("a shutdown does not wait for a trial", async () => {
  isAnswering = false;
  const stopping = await startTestApp();
  const response = await fetch(`${stopping.url}/v1/checks/try`, {
    method: "POST",
    headers: { authorization: `Bearer ${ownerKey}`, "content-type": "application/json" },
    body: JSON.stringify(bodyOf({}, { maxResponseTime: 45_000 })),
  });
  await stopping.stop();
  assert.doesNotMatch(await response.text().catch(() => ""), /event: result/);
  isAnswering = true;
});
