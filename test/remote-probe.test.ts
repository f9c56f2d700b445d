/** `vedette probe` as a process, and a probe in this process whose link can be cut. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { copyFile, link, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, connect as dial, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { makeProbeKey } from "../src/app/commands.ts";
import { type RemoteProbe, startRemoteProbe } from "../src/app/remote-probe.ts";
import { parseConfig } from "../src/config.ts";
import { systemClock } from "../src/platform/clock.ts";
import { ServerClock } from "../src/probe/server-link.ts";
import { type Installation, recordName } from "../src/sandbox/runtimes/installed.ts";
import { findPackages } from "../src/sandbox/runtimes/packages.ts";
import { defaultRuntime } from "../src/sandbox/runtimes/runtime.ts";
import { startTestApp, type TestApp } from "./support/apps/app.ts";
import { captureLog } from "./support/apps/log.ts";
import { spawnVedette } from "./support/apps/vedette-process.ts";
import { isLongRun } from "./support/long-run.ts";
import { waitUntil } from "./support/time/wait-until.ts";

let app: TestApp;
/** The target of checks; it responds at once, or when released. */
let target: Awaited<ReturnType<typeof startTarget>>;

async function startTarget() {
  const waiting = new Set<Socket>();
  const state = {
    port: 0,
    hold: false,
    countWaiting: () => waiting.size,
    stop: () => {
      state.release();
      server.close();
    },
    release: () => {
      for (const socket of waiting) socket.end("+PONG\r\n");
      waiting.clear();
    },
  };
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => {
      if (state.hold) waiting.add(socket);
      else socket.end("+PONG\r\n");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  state.port = typeof address === "object" && address !== null ? address.port : 0;
  return state;
}

before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" }, { clock: systemClock });
  target = await startTarget();
});
after(async () => {
  target.stop();
  await app.stop();
});

async function addPlace(slugName: string) {
  const body = { name: slugName, slugName };
  const { status, body: made, text } = await app.call("POST", "/v1/private-locations", { body });
  assert.equal(status, 201, text);
  return { id: made.id as string, slugName, token: made.keys[0].rawKey as string };
}

async function addCheck(slugName: string): Promise<string> {
  const body = {
    name: `At ${slugName}`,
    activated: false,
    locations: [],
    privateLocations: [slugName],
    request: { hostname: "127.0.0.1", port: target.port, data: "PING" },
  };
  const { status, body: made, text } = await app.call("POST", "/v1/checks/tcp", { body });
  assert.equal(status, 201, text);
  return made.id;
}

async function trigger(checkId: string): Promise<void> {
  const body = { target: { checkId: [checkId] } };
  const { status, text } = await app.call("POST", "/v2/check-sessions/trigger", { body });
  assert.equal(status, 201, text);
}

interface Row {
  readonly verdict: number;
  readonly started_at: Date;
  readonly name: string;
}

async function listRows(checkId: string): Promise<Row[]> {
  const { rows } = await app.query(
    `select verdict, started_at, name from results
      join result_probes on number = probe_number where check_id = $1 order by id`,
    [checkId],
  );
  return rows;
}

const waitForRows = (checkId: string, count: number) =>
  waitUntil("the results are recorded", async () => (await listRows(checkId)).length >= count);

/** A connection to the server that a test can cut. */
async function openWay(t: TestContext) {
  const sockets = new Set<Socket>();
  const { port, hostname } = new URL(app.url);
  const way = { isCut: false, url: "" };
  const server = createServer((near) => {
    if (way.isCut) return near.destroy();
    const far = dial(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
      one.pipe(other);
    }
    return near;
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  way.url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  const cut = () => {
    way.isCut = true;
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  t.after(() => {
    cut();
    server.close();
  });
  return { url: way.url, cut, mend: () => (way.isCut = false) };
}

async function openProbe(
  t: TestContext,
  { server, token, clock }: { server: string; token: string; clock?: ServerClock },
): Promise<{ probe: RemoteProbe; dir: string; rejections: string[] }> {
  const dir = await mkdtemp(join(tmpdir(), "vedette-remote-probe-"));
  const rejections: string[] = [];
  const probe = await startRemoteProbe(
    parseConfig({
      ...{ PROBE_SERVER: server, PROBE_TOKEN: token, PROBE_NAME: "edge", DATA_DIR: dir },
      DRAIN_SECONDS: "5",
    }),
    {
      log: captureLog().log,
      onRejected: (error) => rejections.push(error.message),
      ...(clock && { clock }),
    },
  );
  t.after(async () => {
    await probe.stop();
    await rm(dir, { recursive: true, force: true });
  });
  return { probe, dir, rejections };
}

/** Installs the default runtime as npm would, but without packages. */
async function installRuntime(dir: string): Promise<void> {
  const packages = findPackages(defaultRuntime.name) ?? assert.fail();
  const { digest, nodeVersion, programPath } = packages;
  const root = join(dir, "runtimes", defaultRuntime.name);
  const node = join(root, "packages", programPath ?? assert.fail());
  await mkdir(dirname(node), { recursive: true });
  await link(process.execPath, node).catch(() => copyFile(process.execPath, node));
  const record: Installation = {
    ...{ digest, nodeVersion, arch: process.arch, packageCount: 0, sizeBytes: 0 },
    installedAt: new Date(0).toISOString(),
  };
  await writeFile(join(root, recordName), JSON.stringify(record));
}

/** Scripts of a location run on the machine of its probe. */
async function assertRunsScripts(slugName: string, probeId: string): Promise<void> {
  const fields = { activated: false, locations: [], privateLocations: [slugName] };
  const script = `console.log(process.env.REGION, process.env.CHECK_NAME);`;
  const checks = [
    { checkType: "MULTI_STEP", name: "Steps", script, ...fields },
    {
      ...{ checkType: "API", name: "Signed", localSetupScript: `request.url += '/x'; ${script}` },
      ...fields,
      request: { method: "GET", url: `http://127.0.0.1:${target.port}` },
    },
  ];
  for (const body of isLongRun ? checks : checks.slice(0, 1)) {
    const made = await app.call("POST", "/v1/checks", { body });
    assert.equal(made.status, 201, made.text);
    await trigger(made.body.id);
    await waitForRows(made.body.id, 1);
    assert.equal((await listRows(made.body.id))[0]?.name, probeId);
    const { body: list } = await app.call("GET", `/v1/check-results/${made.body.id}`);
    const [{ multiStepCheckResult, apiCheckResult }] = list;
    const logs = multiStepCheckResult?.jobLog ?? apiCheckResult.jobLog.setup;
    assert.equal(logs[0]?.msg, `${slugName} ${body.name}`, JSON.stringify(list));
  }
}

test("`vedette probe` runs a location's checks and scripts, and stops cleanly on a signal", async (t) => {
  const place = await addPlace("spawned");
  const dir = await mkdtemp(join(tmpdir(), "vedette-spawned-probe-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  await installRuntime(dir);
  const probe = spawnVedette(t, ["probe", "--server", app.url, "--name", "desk", "--data", dir], {
    PROBE_TOKEN: place.token,
  });
  const probeId = `desk-${place.id.slice(-8)}`;
  await waitUntil("it is accepted", () => probe.output().includes(`for spawned as ${probeId}`));
  const checkId = await addCheck("spawned");
  await trigger(checkId);
  await waitForRows(checkId, 1);
  const [row] = await listRows(checkId);
  assert.deepEqual([row?.verdict, row?.name], [1, probeId]);
  await assertRunsScripts("spawned", probeId);
  target.hold = true;
  await trigger(checkId);
  await waitUntil("a run is in progress", () => target.countWaiting() === 1);
  probe.process.kill("SIGTERM");
  target.hold = false;
  target.release();
  assert.equal(await probe.exited, 0, probe.errors());
  const count = async () =>
    (await app.query("select 1 from probes where id = $1", [probeId])).rowCount ?? 0;
  await waitUntil("its close notice arrives", async () => (await count()) === 0);
  assert.deepEqual(await readdir(join(dir, "probe", "spool")), [], "no result was left behind");
  assert.equal(probe.output().includes(place.token), false);
});

test("`vedette probe` reports an unknown key and exits", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "vedette-refused-probe-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const { rejections } = await openProbe(t, { server: app.url, token: `pl_${"0".repeat(32)}` });
  await waitUntil("it is rejected", () => rejections.length > 0);
  assert.deepEqual(rejections, ["The server rejected this token."]);
});

/** Another process for it takes a second of CPU. */
async function makeKey(
  t: TestContext,
  settings: Readonly<Record<string, string>>,
  region: string,
): Promise<string> {
  if (!isLongRun) return makeProbeKey(parseConfig(settings), region);
  const command = spawnVedette(t, ["probe-key", "--region", region], settings);
  assert.equal(await command.exited, 0, command.errors());
  return command.output();
}

test("`vedette probe-key` creates a key for a probe while the server runs", async (t) => {
  const settings = { DATABASE_URL: app.databaseUrl, DATA_DIR: app.dataDir };
  const output = await makeKey(t, settings, "eu-west-1");
  const printed = /PROBE_TOKEN=(vp_[0-9a-f]{32}) npm run vedette probe -- --server \S+$/m;
  const [, token = ""] = printed.exec(output) ?? [];
  const { probe } = await openProbe(t, { server: app.url, token });
  assert.equal((await probe.welcomed).location, "eu-west-1");
});

test("results during a link outage are stored on disk and recorded with their own time", async (t) => {
  const place = await addPlace("cut-off");
  const way = await openWay(t);
  const { probe, dir } = await openProbe(t, { server: way.url, token: place.token });
  await probe.welcomed;
  const checkId = await addCheck("cut-off");
  target.hold = true;
  const orderedMs = Date.now();
  await trigger(checkId);
  await waitUntil("it is in progress", () => target.countWaiting() === 1);
  const underWayMs = Date.now();
  way.cut();
  target.hold = false;
  target.release();
  const spooled = async () => (await readdir(join(dir, "probe", "spool"))).length > 0;
  await waitUntil("its result is on disk", spooled);
  assert.deepEqual(await listRows(checkId), []);
  way.mend();
  await waitForRows(checkId, 1);
  const [row] = await listRows(checkId);
  assert.equal(row?.verdict, 1);
  // The two clocks agree to within the round trip.
  const startedMs = row?.started_at.getTime() ?? 0;
  assert.ok(startedMs > orderedMs - 5_000 && startedMs < underWayMs + 5_000);
  await waitUntil("the disk is empty again", async () => !(await spooled()));
  await trigger(checkId);
  await waitForRows(checkId, 2);
});

test("a machine measures a clock skew of minutes, and records the right times", async (t) => {
  const place = await addPlace("off");
  const clock = new ServerClock(
    () => performance.now(),
    () => Date.now() + 300_000,
  );
  const { probe } = await openProbe(t, { server: app.url, token: place.token, clock });
  await probe.welcomed;
  assert.ok(Math.abs((clock.skewMs() ?? 0) - 300_000) < 60_000);
  const checkId = await addCheck("off");
  await trigger(checkId);
  await waitForRows(checkId, 1);
  const [row] = await listRows(checkId);
  assert.equal(row?.verdict, 1, "its orders were not too late");
  assert.ok(Math.abs((row?.started_at.getTime() ?? 0) - Date.now()) < 60_000);
  const { body } = await app.call("GET", `/v1/private-locations/${place.id}`);
  assert.equal(body.agentCount, 1);
  const skew = async () =>
    (await app.query("select clock_skew_ms from probes where route = $1", [place.id])).rows[0]
      ?.clock_skew_ms;
  await waitUntil("the server knows the skew", async () => (await skew()) > 200_000);
  await tryThere("off");
});

/** A user who tries settings at a location sees the progress of the run. */
async function tryThere(slugName: string): Promise<void> {
  const request = { hostname: "127.0.0.1", port: target.port, data: "PING" };
  const body = { checkType: "TCP", name: "Tried", privateLocations: [slugName], request };
  const headers = { accept: "application/x-ndjson" };
  const path = `/v1/checks/try?location=${slugName}`;
  const { status, text } = await app.call("POST", path, { body, headers });
  assert.equal(status, 200, text);
  const events = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const names = events
    .map(({ event }) => event)
    .filter((name) => name !== "progress" && name !== "waiting");
  assert.deepEqual(names, ["ordered", "started", "result", "end"]);
  assert.ok(events.some(({ step }) => step === "connected"));
  const result = events.find(({ event }) => event === "result");
  assert.equal(result.verdict, "passing");
  assert.match(result.probeId, /^edge-/);
}
