/** Two servers on one database and one NATS, the second itself a probe, and a probe elsewhere. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { connect } from "@nats-io/transport-node";
import { printNatsUsers } from "../src/app/commands.ts";
import { startRemoteProbe } from "../src/app/remote-probe.ts";
import { parseConfig } from "../src/config.ts";
import { startTestApp, type TestApp } from "./support/apps/app.ts";
import { captureLog } from "./support/apps/log.ts";
import { type SecondApp, startSecondApp } from "./support/apps/second-app.ts";
import { findLack } from "./support/programs/programs.ts";
import { type NatsServer, startNatsServer } from "./support/servers/nats-server.ts";
import { waitUntil } from "./support/time/wait-until.ts";

const skip = findLack("nats-server");
let nats: NatsServer;
let NATS_URL: string;
let first: TestApp;
let second: SecondApp;
let target: Server;

before(async () => {
  if (skip) return;
  nats = await startNatsServer(`authorization { users = [{ user: us, password: secret }] }`);
  NATS_URL = `nats://us:secret@127.0.0.1:${nats.port}`;
  first = await startTestApp({ NATS_URL, BUILT_IN_PROBE: "false" });
  second = await startSecondApp(first, { NATS_URL });
  target = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => socket.end("+PONG\r\n"));
  }).listen(0, "127.0.0.1");
  await once(target, "listening");
});
after(async () => {
  if (skip) return;
  target.close();
  await second.stop();
  await first.stop();
  await nats.stop();
});

type Fields = Readonly<Record<string, unknown>>;

function describeCheck(more: Fields = {}): Fields {
  const { port } = target.address() as AddressInfo;
  const request = { hostname: "127.0.0.1", port, data: "PING" };
  return { checkType: "TCP", name: "Answers", request, ...more };
}

async function tryOut(more: Fields = {}): Promise<Fields[]> {
  const headers = { accept: "application/x-ndjson" };
  const body = describeCheck(more);
  const { status, text } = await first.call("POST", "/v1/checks/try", { body, headers });
  assert.equal(status, 200, text);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

const verdictOf = (events: readonly Fields[]) =>
  events.find(({ event }) => event === "result")?.verdict;

/** The first server learns within seconds that the second one is a probe. */
const waitForProbe = () =>
  waitUntil("the probe is known", async () => verdictOf(await tryOut()) === "passing");

const connected = /^vedette_bus_connected (\d)$/m;
const lookReady = async () => (await first.call("GET", "/readyz", { key: null })).text;
const readMetric = async (line: RegExp) => {
  const { text } = await first.call("GET", "/metrics", { key: null });
  return line.exec(text)?.[1] ?? null;
};

test("a trial is told on the server that was asked, whoever runs it", { skip }, async () => {
  await waitForProbe();
  const events = await tryOut();
  const names = events.map(({ event }) => event);
  assert.deepEqual([...new Set(names)], ["ordered", "started", "progress", "result", "end"]);
  const steps = events.filter(({ event }) => event === "progress").map(({ step }) => step);
  assert.deepEqual(steps, ["resolved", "connected", "sent", "answered"]);
  const { rows } = await first.query("select count(*)::int as count from results");
  assert.deepEqual(rows, [{ count: 0 }]);
});

test("a session that one server started is run and recorded by the other", { skip }, async () => {
  const made = await first.call("POST", "/v1/checks", {
    body: describeCheck({ activated: false }),
  });
  assert.equal(made.status, 201, made.text);
  const target = { checkId: [made.body.id] };
  const started = await first.call("POST", "/v2/check-sessions/trigger", { body: { target } });
  const [session] = started.body.sessions;
  const id = session.checkSessionId;
  const over = await first.call("GET", `/v2/check-sessions/${id}/completion?maxWaitSeconds=30`);
  assert.equal(over.body.status, "PASSED", over.text);
});

test("nobody can put results or news among a server's own over NATS", { skip }, async (t) => {
  const nc = await connect({ servers: `127.0.0.1:${nats.port}`, user: "us", pass: "secret" });
  t.after(() => nc.close());
  const { rows } = await first.query("select id from checks limit 1");
  const forged = { runId: crypto.randomUUID(), checkId: rows[0].id, outcome: { kind: "measured" } };
  await nc.request("results.built-in", JSON.stringify(forged));
  const isGone = async () =>
    (await readMetric(/vedette_bus_messages\{subjects="results"\} (\d+)/)) === "0";
  await waitUntil("it is dropped", isGone);
  const stored = await first.query("select 1 from results where id = $1", [forged.runId]);
  assert.equal(stored.rowCount, 0);
});

/** As an operator does it: a location, its key, the users of NATS printed again, a probe there. */
async function startOffice(t: TestContext) {
  const named = { name: "Office", slugName: "office" };
  const { body: location } = await first.call("POST", "/v1/private-locations", { body: named });
  const [{ rawKey: PROBE_TOKEN }] = location.keys;
  const about = { NATS_URL, DATABASE_URL: first.databaseUrl };
  await nats.configure(await printNatsUsers(parseConfig(about)));
  const DATA_DIR = await mkdtemp(join(tmpdir(), "vedette-office-"));
  t.after(() => rm(DATA_DIR, { recursive: true, force: true }));
  const settings = { NATS_URL: nats.url, PROBE_TOKEN, PROBE_NAME: "desk", DATA_DIR };
  const probe = await startRemoteProbe(parseConfig({ ...settings, DRAIN_SECONDS: "0" }), {
    log: captureLog().log,
    onRefused: (error) => assert.fail(error),
  });
  t.after(probe.stop);
  const { probeId } = await probe.welcomed;
  return probeId;
}

test("a probe over NATS runs what its location is asked", {
  skip,
}, async (t) => {
  const probeId = await startOffice(t);
  const there = { locations: [], privateLocations: ["office"] };
  const isServed = async () => verdictOf(await tryOut(there)) === "passing";
  await waitUntil("both servers know of it", isServed);
  const events = await tryOut(there);
  const started = events.find(({ event }) => event === "started");
  assert.equal(started?.probeId, probeId);
  assert.deepEqual(
    events.filter(({ event }) => event === "progress").map(({ step }) => step),
    ["resolved", "connected", "sent", "answered"],
  );
  const result = events.find(({ event }) => event === "result");
  assert.equal(result?.probeId, probeId);
  const made = await first.call("POST", "/v1/checks", {
    body: describeCheck({ ...there, activated: false }),
  });
  assert.equal(made.status, 201, made.text);
  const target = { checkId: [made.body.id] };
  const { body } = await first.call("POST", "/v2/check-sessions/trigger", { body: { target } });
  const [{ checkSessionId }] = body.sessions;
  const over = await first.call("GET", `/v2/check-sessions/${checkSessionId}/completion`);
  assert.equal(over.body.status, "PASSED", over.text);
  const { rows } = await first.query("select transport from probes where id = $1", [probeId]);
  assert.deepEqual(rows, [{ transport: "nats" }]);
});

test("while NATS is away that is said, and after it everything goes on", { skip }, async () => {
  assert.equal(await readMetric(connected), "1");
  await nats.kill();
  await waitUntil("it is noticed", async () => (await readMetric(connected)) === "0");
  await waitUntil("it is said", async () => /NATS/.test(await lookReady()));
  const { status } = await first.call("GET", "/readyz", { key: null });
  assert.equal(status, 200, "the API serves all the same");
  await nats.start();
  await waitForProbe();
  assert.equal(await readMetric(connected), "1");
  assert.doesNotMatch(await lookReady(), /NATS/);
});
