/** Two servers on one database and one NATS, the second one also a probe, and a remote probe. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext } from "node:test";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect, headers, type Msg, type NatsConnection } from "@nats-io/transport-node";
import { printNatsUsers } from "../src/app/commands.ts";
import { writeNatsUsers } from "../src/app/nats-users.ts";
import { startRemoteProbe } from "../src/app/remote-probe.ts";
import { parseConfig } from "../src/config.ts";
import { findStream, natsStreams } from "../src/platform/nats/nats-streams.ts";
import { startTestApp, type TestApp } from "./support/apps/app.ts";
import { captureLog } from "./support/apps/log.ts";
import { type SecondApp, startSecondApp } from "./support/apps/second-app.ts";
import { test } from "./support/long-run.ts";
import { connectThief, stealOrders } from "./support/probes/nats-thief.ts";
import { findLack } from "./support/programs/programs.ts";
import { type NatsServer, startNatsServer } from "./support/servers/nats-server.ts";
import { waitUntil } from "./support/time/wait-until.ts";

const skip = findLack("nats-server");
let nats: NatsServer;
let NATS_URL: string;
let first: TestApp;
let second: SecondApp;
let target: Server;
/** Connections that the target has not responded to; `null` if it responds at once. */
let held: Socket[] | null = null;

before(async () => {
  if (skip) return;
  const address = { servers: [], isTls: false, user: "us", password: "secret" };
  nats = await startNatsServer(writeNatsUsers([], address));
  NATS_URL = `nats://us:secret@127.0.0.1:${nats.port}`;
  first = await startTestApp({ NATS_URL, BUILT_IN_PROBE: "false" });
  second = await startSecondApp(first, { NATS_URL });
  target = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => (held === null ? answer(socket) : held.push(socket)));
  }).listen(0, "127.0.0.1");
  await once(target, "listening");
});
after(async () => {
  if (skip) return;
  release();
  target.close();
  await second.stop();
  await first.stop();
  await nats.stop();
});

const answer = (socket: Socket) => socket.end("+PONG\r\n");
function release(): void {
  for (const socket of held ?? []) answer(socket);
  held = null;
}

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

/** Waits until the first server knows the remote probe. Returns the check that passed there. */
async function waitForProbe(more: Fields = {}): Promise<string> {
  let checkId = "";
  await waitUntil("the probe is known", async () => {
    checkId = await addCheck(more);
    return (await runOnce(checkId)) === "PASSED";
  });
  return checkId;
}

const connected = /^vedette_bus_connected (\d)$/m;
const lookReady = async () => (await first.call("GET", "/readyz", { key: null })).text;
const readMetric = async (line: RegExp, server: Pick<TestApp, "call"> = first) => {
  const { text } = await server.call("GET", "/metrics", { key: null });
  return line.exec(text)?.[1] ?? null;
};

/** Queries NATS itself: the values at /metrics may be a second old. */
async function waitForResults(nc: NatsConnection): Promise<void> {
  const { streams } = await jetstreamManager(nc);
  const { name } = findStream(natsStreams, "results.>");
  const isEmpty = async () => (await streams.info(name)).state.messages === 0;
  await waitUntil("the servers have handled all results", isEmpty);
}

test("a trial reports to the server that received the request", { skip }, async () => {
  await waitForProbe();
  const countResults = async () => (await first.query("select count(*) from results")).rows;
  const before = await countResults();
  const events = await tryOut();
  // On a busy machine it reports several times that it still waits.
  const names = events.map(({ event }) => event).filter((event) => event !== "waiting");
  assert.deepEqual([...new Set(names)], ["ordered", "started", "progress", "result", "end"]);
  const steps = events.filter(({ event }) => event === "progress").map(({ step }) => step);
  assert.deepEqual(steps, ["resolved", "connected", "sent", "answered"]);
  assert.deepEqual(await countResults(), before);
});

async function addCheck(more: Fields = {}): Promise<string> {
  const body = describeCheck({ ...more, activated: false });
  const made = await first.call("POST", "/v1/checks", { body });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

async function trigger(checkId: string): Promise<string> {
  const body = { target: { checkId: [checkId] } };
  const started = await first.call("POST", "/v2/check-sessions/trigger", { body });
  assert.equal(started.status, 201, started.text);
  return started.body.sessions[0].checkSessionId;
}

async function runOnce(checkId: string): Promise<string> {
  const path = `/v2/check-sessions/${await trigger(checkId)}`;
  const ask = async (): Promise<string> => (await first.call("GET", path)).body.status;
  await waitUntil("it has ended", async () => !["STARTED", "PROGRESS"].includes(await ask()));
  return ask();
}

const assertPasses = async (checkId: string) => assert.equal(await runOnce(checkId), "PASSED");

test("a session started by one server is run and recorded by the other", { skip }, async () => {
  await assertPasses(await addCheck());
});

test("results on a server's local subjects are rejected over NATS", { skip }, async (t) => {
  const nc = await connect({ servers: `127.0.0.1:${nats.port}`, user: "us", pass: "secret" });
  t.after(() => nc.close());
  const { rows } = await first.query("select id from checks limit 1");
  const forged = { runId: crypto.randomUUID(), checkId: rows[0].id, outcome: { kind: "measured" } };
  await nc.request("results.built-in", JSON.stringify(forged));
  await waitForResults(nc);
  const stored = await first.query("select 1 from results where id = $1", [forged.runId]);
  assert.equal(stored.rowCount, 0);
});

test("a check cannot connect to the service's NATS", { skip }, async () => {
  const events = await tryOut({ request: { hostname: "localhost", port: nats.port } });
  assert.equal(events.find(({ event }) => event === "result")?.verdict, "failing");
  assert.match(JSON.stringify(events), /is NATS of this service/);
});

/** As an operator would: a location, its key, the NATS users printed again, a probe there. */
async function startProbeAt(t: TestContext, slugName: string, drainSeconds = 0) {
  const named = { name: slugName, slugName };
  const { body: location } = await first.call("POST", "/v1/private-locations", { body: named });
  const [key] = location.keys;
  await printUsers();
  const probe = await startKeyProbe(t, key.rawKey, slugName, drainSeconds);
  const there = { locations: [], privateLocations: [slugName] };
  await waitForProbe(there);
  const keysPath = `/v1/private-locations/${location.id}/keys`;
  const keyPath = `${keysPath}/${key.id}`;
  const locationId = location.id as string;
  return { ...probe, locationId, keysPath, keyPath, there, token: key.rawKey as string };
}

async function printUsers(): Promise<void> {
  const about = { NATS_URL, DATABASE_URL: first.databaseUrl };
  await nats.configure(await printNatsUsers(parseConfig(about)));
}

async function startKeyProbe(
  t: TestContext,
  PROBE_TOKEN: string,
  slugName: string,
  drainSeconds = 0,
) {
  const DATA_DIR = await mkdtemp(join(tmpdir(), `vedette-${slugName}-`));
  t.after(() => rm(DATA_DIR, { recursive: true, force: true }));
  const settings = { NATS_URL: nats.url, PROBE_TOKEN, PROBE_NAME: PROBE_TOKEN.slice(-6), DATA_DIR };
  const rejections: string[] = [];
  const DRAIN_SECONDS = String(drainSeconds);
  const probe = await startRemoteProbe(parseConfig({ ...settings, DRAIN_SECONDS }), {
    log: captureLog().log,
    onRejected: ({ message }) => rejections.push(message),
  });
  t.after(probe.stop);
  const { probeId } = await probe.welcomed;
  const listSpool = () => readdir(join(DATA_DIR, "probe", "spool"));
  return { probeId, rejections, listSpool, stop: probe.stop };
}

/** Starts a run that the target holds until it is released. */
async function holdRun(there: Fields): Promise<string> {
  const checkId = await addCheck(there);
  held = [];
  await trigger(checkId);
  await waitUntil("a run is in progress", () => held?.length === 1);
  return checkId;
}

const verdictsOf = async (checkId: string) =>
  (await first.query("select verdict from results where check_id = $1", [checkId])).rows;
const passing = [{ verdict: 1 }];

test("results of a probe during a NATS outage are stored on disk and recorded later", {
  skip,
}, async (t) => {
  const { there, listSpool } = await startProbeAt(t, "cellar");
  const checkId = await holdRun(there);
  await nats.kill();
  release();
  await waitUntil("the result is on its disk", async () => (await listSpool()).length > 0);
  await nats.start();
  await waitUntil("it is recorded", async () => (await verdictsOf(checkId)).length > 0);
  assert.deepEqual(await verdictsOf(checkId), passing);
  await waitUntil("the disk is empty again", async () => (await listSpool()).length === 0);
});

test("a stopping probe over NATS finishes its run and sends its result", { skip }, async (t) => {
  const { there, listSpool, stop } = await startProbeAt(t, "garage", 60);
  const checkId = await holdRun(there);
  const stopped = stop();
  assert.deepEqual(await verdictsOf(checkId), []);
  release();
  await stopped;
  assert.deepEqual(await listSpool(), [], "no result is left behind");
  await waitUntil("it is recorded", async () => (await verdictsOf(checkId)).length > 0);
  assert.deepEqual(await verdictsOf(checkId), passing);
});

test("a probe over NATS runs the checks of its location", { skip }, async (t) => {
  const { probeId, there, rejections } = await startProbeAt(t, "office");
  const events = await tryOut(there);
  const started = events.find(({ event }) => event === "started");
  assert.equal(started?.probeId, probeId);
  assert.deepEqual(
    events.filter(({ event }) => event === "progress").map(({ step }) => step),
    ["resolved", "connected", "sent", "answered"],
  );
  const result = events.find(({ event }) => event === "result");
  assert.equal(result?.probeId, probeId);
  await assertPasses(await addCheck(there));
  const { rows } = await first.query("select transport from probes where id = $1", [probeId]);
  assert.deepEqual(rows, [{ transport: "nats" }]);
  assert.deepEqual(rejections, []);
});

test("a probe of another location cannot claim the message ids of a run", { skip }, async (t) => {
  const nc = await connect({ servers: `127.0.0.1:${nats.port}`, user: "us", pass: "secret" });
  t.after(() => nc.close());
  const { locationId, probeId, there } = await startProbeAt(t, "victim");
  const thief = await startProbeAt(t, "thief");
  const orders: { readonly runId: string; readonly tag: string }[] = [];
  nc.subscribe(`orders.${locationId}`, { callback: (_, order) => void orders.push(order.json()) });
  await nc.flush();
  const checkId = await holdRun(there);
  const { runId, tag } = orders[0] ?? assert.fail("no order was seen");
  const { nc: stolen, user } = await connectThief(t, nats.port, thief.token);
  // Even with the order known: only the probe's key yields the message id.
  for (const id of [runId, `${runId} ${probeId}`, tag, `${tag} ${probeId}`]) {
    const claim = headers();
    claim.set("Nats-Msg-Id", id);
    await stolen.request(`results.${thief.locationId}.${user}`, "{}", {
      headers: claim,
      timeout: 5_000,
    });
  }
  release();
  await waitUntil("it is recorded", async () => (await verdictsOf(checkId)).length > 0);
  assert.deepEqual(await verdictsOf(checkId), passing);
});

const countRefused = (server: Pick<TestApp, "call">) =>
  readMetric(/vedette_results_ignored_total\{reason="revoked-key"\} (\d+)/, server).then(Number);

test("once a key is revoked, every server rejects the results of its probe", {
  skip,
}, async (t) => {
  const nc = await connect({ servers: `127.0.0.1:${nats.port}`, user: "us", pass: "secret" });
  t.after(() => nc.close());
  const { locationId, keyPath, there } = await startProbeAt(t, "vault");
  const sent: Msg[] = [];
  const callback = (_: Error | null, message: Msg) => void sent.push(message);
  nc.subscribe(`results.${locationId}.*`, { callback });
  await nc.flush();
  const checkId = await addCheck(there);
  await assertPasses(checkId);
  held = [];
  // A run is identified by its due time: another one needs another time.
  first.clock.advance(1_000);
  await trigger(checkId);
  await waitUntil("a run is in progress", () => held?.length === 1);
  const revoked = await first.call("DELETE", keyPath);
  assert.equal(revoked.status, 204, revoked.text);
  const countAll = () => Promise.all([first, second].map(countRefused));
  await waitUntil("the first result was seen", () => sent.length > 0);
  const taken = sent[0] ?? assert.fail();
  // Without the message id, by which NATS would deduplicate it.
  const sendAgain = () => nc.request(taken.subject, taken.data);
  await waitUntil("each server rejects what was accepted before", async () => {
    await sendAgain();
    return (await countAll()).every((count) => count > 0);
  });
  release();
  const runs = () => new Set(sent.map((message) => message.json<{ runId: string }>().runId));
  await waitUntil("the run has ended", () => runs().size === 2);
  // When NATS has this one, it has the earlier result too.
  await sendAgain();
  await waitForResults(nc);
  const { rowCount } = await first.query("select 1 from results where check_id = $1", [checkId]);
  assert.equal(rowCount, 1, "the earlier one");
});

test("once a key is revoked, no orders reach it although NATS admits it; others continue", {
  isLong: true,
  skip,
}, async (t) => {
  const { keyPath, keysPath, there, token, rejections } = await startProbeAt(t, "shared");
  const other = await first.call("POST", keysPath, { body: {} });
  assert.equal(other.status, 201, other.text);
  await printUsers();
  const left = await startKeyProbe(t, other.body.rawKey, "shared");
  const thief = await stealOrders(t, nats.port, token);
  const welcome = await thief.sayHello();
  assert.ok(welcome && "ordersFrom" in welcome);
  const waiting = thief.waitForOrder(welcome.ordersFrom);
  const revoked = await first.call("DELETE", keyPath);
  assert.equal(revoked.status, 204, revoked.text);
  const refused = await waiting;
  assert.equal(refused.headers?.code, 409, "the consumer is deleted");
  await waitUntil("its probe is notified", () => rejections.length > 0);
  assert.match(rejections[0] ?? "", /Unknown probe key/);
  const { rows } = await first.query(
    "select name from results join result_probes on number = probe_number where check_id = $1",
    [await waitForProbe(there)],
  );
  assert.deepEqual(rows, [{ name: left.probeId }]);
  assert.deepEqual(await thief.sayHello(), { refused: "Unknown probe key." });
  assert.deepEqual(left.rejections, []);
  const looks = await Promise.all([first, second].map((one) => one.call("GET", "/v1/doctor")));
  const said = looks.map(({ text }) => text).join();
  assert.match(said, /NATS admits a client whose key is revoked/);
});

test("a quarantined probe receives no orders until it is released", {
  isLong: true,
  skip,
}, async (t) => {
  const { probeId, locationId, there, rejections } = await startProbeAt(t, "attic");
  const nc = await connect({ servers: `127.0.0.1:${nats.port}`, user: "us", pass: "secret" });
  t.after(() => nc.close());
  const { consumers } = await jetstreamManager(nc);
  const isAsking = async () => {
    const all = await Array.fromAsync(consumers.list("VEDETTE_ORDERS"));
    const own = all.find(({ config }) => config.filter_subject === `orders.${locationId}`);
    return (own?.num_waiting ?? 0) > 0;
  };
  await waitUntil("it consumes orders", isAsking);
  const body = { reason: "It lies.", leavesNone: true };
  const put = await first.call("POST", `/v1/probes/${probeId}/quarantine`, { body });
  assert.equal(put.status, 200, put.text);
  await waitUntil("it consumes none", async () => !(await isAsking()));
  // The server that notifies the probe may know of the quarantine before the one queried here.
  await waitUntil("the first server sends no orders there", async () =>
    /in quarantine/.test(JSON.stringify(await tryOut(there))),
  );
  const release = { reason: "It is fixed." };
  const out = await first.call("POST", `/v1/probes/${probeId}/release`, { body: release });
  assert.equal(out.status, 200, out.text);
  await waitForProbe(there);
  assert.deepEqual(rejections, []);
});

test("a NATS outage is reported, and everything continues afterwards", {
  skip,
  isLong: true,
}, async () => {
  await waitUntil("it is connected", async () => (await readMetric(connected)) === "1");
  await nats.kill();
  await waitUntil("the outage is noticed", async () => (await readMetric(connected)) === "0");
  await waitUntil("the outage is reported", async () => /NATS/.test(await lookReady()));
  const { status } = await first.call("GET", "/readyz", { key: null });
  assert.equal(status, 200, "the API still works");
  await nats.start();
  await waitForProbe();
  await waitUntil("the outage is noticed", async () => (await readMetric(connected)) === "1");
  await waitUntil("the outage is no longer reported", async () => !/NATS/.test(await lookReady()));
});
