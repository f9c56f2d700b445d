/** Settings screens in states that a server in a test does not reach. */
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { type PartOptions, renderScreen } from "../../test/support/components/part.tsx";
import { channelsQuery } from "../alerts/index.ts";
import { aboutQuery } from "../api/about.ts";
import type { Schemas } from "../api/client.ts";
import { machineQuery, runtimesQuery } from "../kinds/scripts/queries.ts";
import { route as aboutRoute } from "./about-screen.tsx";
import { route as devicesRoute } from "./devices-screen.tsx";
import { devicesQuery, pushStateQuery, serversQuery } from "./queries.ts";
import { route as runtimesRoute } from "./runtimes-screen.tsx";
import { route as serversRoute } from "./servers-screen.tsx";

afterEach(() => localStorage.clear());

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();

type Server = Schemas["Server"];

const server = (more: Partial<Server> = {}): Server => ({
  skippedPercent: 0,
  id: "0198c1f0-aaaa-7000-8000-000000000001",
  name: "fra-1",
  address: "http://10.0.0.1:3000",
  version: "0.1.0",
  isThis: false,
  isLive: true,
  isScheduling: true,
  shards: 32,
  startedAt: ago(7_200),
  lastSeenAt: ago(1),
  lagSeconds: 0,
  slowestLoop: null,
  clockOffsetSeconds: 0,
  isClockWrong: false,
  ...more,
});

function renderServers(servers: readonly Server[], free = 0) {
  const shards = { total: 64, free };
  return renderScreen(serversRoute, { data: [[serversQuery.queryKey, { servers, shards }]] });
}

const listStates = (part: Awaited<ReturnType<typeof renderServers>>) =>
  part
    .locator("[data-state]")
    .elements()
    .map(({ dataset }) => dataset.state);

test("a single server explains what a second one would do", async () => {
  const part = await renderServers([server({ isThis: true, shards: 64 })]);
  await part.getByText("One server runs all checks.").waitFor();
  await part.getByText(/takes over within ten seconds when this one fails/).waitFor();
  const [[name = "", state, version, shards, , lag, clock] = []] = part.readRows();
  assert.match(name, /^fra-1 \(serving this page\)http:\/\/10\.0\.0\.1:3000$/);
  assert.deepEqual([version, shards, lag, clock], ["0.1.0", "64 of 64", "none", "in sync"]);
  assert.match(state ?? "", /Alive$/);
});

test("a server that stopped, rests or is behind is marked, and only a live one is counted", async () => {
  const part = await renderServers([
    server(),
    server({ id: "b", name: "fra-2", isLive: false, lagSeconds: 90, clockOffsetSeconds: 9 }),
    server({ id: "c", name: "fra-3", isScheduling: false }),
    server({ id: "d", name: "fra-4", lagSeconds: 12, slowestLoop: "send alerts" }),
  ]);
  await part.getByText("3 live servers share the checks.").waitFor();
  assert.deepEqual(listStates(part), ["passing", "failing", "degraded", "degraded"]);
  const [, stopped = [], resting = [], behind = []] = part.readRows();
  assert.match(stopped[1] ?? "", /Stopped last seen/);
  assert.deepEqual(stopped.slice(5), ["–", "–"], "an old lag and clock say nothing");
  assert.match(resting[1] ?? "", /Not scheduling checks$/);
  assert.match(behind[1] ?? "", /Behind$/);
  assert.match(behind[5] ?? "", /^12 s: send alerts$/);
});

test("a lag below five seconds is normal", async () => {
  const part = await renderServers([server({ lagSeconds: 4.9, slowestLoop: "send alerts" })]);
  assert.deepEqual(listStates(part), ["passing"]);
  assert.equal(part.readRows()[0]?.[5], "none");
});

test("a wrong clock is shown with its direction, and an unnamed server by its id", async () => {
  const part = await renderServers([
    server({ name: null, address: null, isClockWrong: true, clockOffsetSeconds: 75 }),
    server({ id: "b", isClockWrong: true, clockOffsetSeconds: -75 }),
    server({ id: "c", clockOffsetSeconds: null }),
  ]);
  const clocks = part.readRows().map((row) => row[6]);
  assert.match(clocks[0] ?? "", /^1 min.* fast, corrected$/);
  assert.match(clocks[1] ?? "", /^1 min.* slow, corrected$/);
  assert.equal(clocks[2], "–");
  assert.equal(part.readRows()[0]?.[0], "Server 0198c1f0");
});

test("shards without a server are a warning", async () => {
  const part = await renderServers([server()], 7);
  await part.getByText(/^7 of the 64 shards are not assigned to a server/).waitFor();
  const fine = await renderServers([server()]);
  assert.equal(fine.getByText(/not assigned/).count(), 1, "of the first only");
});

type About = Schemas["About"];

const about = (more: Partial<About> = {}) =>
  ({
    version: "0.1.0",
    licence: "Apache-2.0",
    uptimeSeconds: 93_600,
    database: { isEmbedded: true, version: "17.2", sizeBytes: 52_428_800 },
    disk: { freeBytes: 10_737_418_240, totalBytes: 107_374_182_400 },
    retention: { resultsDays: 1_000, auditLogDays: 365 },
    counts: { checks: 5_000, channels: 3, liveProbes: 2 },
    canSend: { mail: true, textMessages: false },
    backups: {
      isScheduled: true,
      lastSuccessAt: null,
      lastSizeBytes: null,
      lastVerifiedAt: null,
      problem: null,
    },
    health: {
      problems: [],
      loops: [{ name: "send alerts", stuckSince: null, lastSuccessAt: ago(5), errors: 0 }],
    },
    ...more,
  }) as About;

const renderAbout = (more: Partial<About> = {}) =>
  renderScreen(aboutRoute, { data: [[aboutQuery.queryKey, about(more)]] });

test("the facts of the installation have units and grouped digits", async () => {
  const part = await renderAbout();
  const facts = part.readFacts();
  assert.equal(facts.Version, "Vedette 0.1.0");
  assert.equal(facts["Running for"], "1 d");
  assert.equal(facts.Database, "embedded PostgreSQL, 17.2");
  assert.match(facts["Disk space of the data directory"] ?? "", /^10\S* GB|^10\S* GiB/);
  assert.equal(facts.Checks, "5,000");
  assert.equal(facts["Result retention"], "1,000 days");
  assert.deepEqual([facts.Email, facts["Text messages"]], ["configured", "not configured"]);
  assert.equal(facts["Last backup"], "none yet");
  await part.getByText("All background jobs are running.").waitFor();
});

test("a backup is shown with its size and whether it was verified", async () => {
  const backups = {
    ...about().backups,
    lastSuccessAt: ago(3_600),
    lastSizeBytes: 2_097_152,
    lastVerifiedAt: null,
  };
  const part = await renderAbout({ backups });
  assert.match(part.readFacts()["Last backup"] ?? "", /ago, 2\S* Mi?B, not verified$/);
  const off = await renderAbout({ backups: { ...about().backups, isScheduled: false } });
  assert.equal(off.getByText("none: see Backups").count(), 1);
});

test("a stuck job and a failed backup are problems", async () => {
  const loops = [
    { name: "send alerts", stuckSince: ago(600), lastSuccessAt: null, errors: 1_234 },
    { name: "announce maintenance", stuckSince: null, lastSuccessAt: ago(5), errors: 0 },
  ];
  const part = await renderAbout({
    health: { problems: ["send alerts is stuck."], loops } as About["health"],
    backups: { ...about().backups, problem: "The last backup failed." },
  });
  assert.deepEqual(part.locator("section li").allTextContents(), [
    "send alerts is stuck.",
    "The last backup failed.",
  ]);
  assert.equal(part.getByText("All background jobs are running.").count(), 0);
  const [stuck = [], running = []] = part.readRows();
  assert.match(stuck[1] ?? "", /^stuck for 10 min/);
  assert.deepEqual(stuck.slice(2), ["–", "1,234"]);
  assert.equal(running[1], "running");
});

type Runtime = Schemas["Runtime"];

const runtime = (name: string, installation: Partial<Runtime["installation"]>, more = {}) =>
  ({
    name,
    stage: "STABLE",
    nodeJsVersion: "22",
    multiStepSupport: true,
    dependencies: { "@playwright/test": "1.51.0", zod: "3.0.0", ws: "8.0.0" },
    installation: {
      state: "missing",
      canInstall: true,
      nodeJsVersion: null,
      sizeBytes: null,
      message: null,
      progress: null,
      leftOut: {},
      ...installation,
    },
    ...more,
  }) as unknown as Runtime;

const renderRuntimes = (list: readonly Runtime[], role: PartOptions["role"] = "OWNER") =>
  renderScreen(runtimesRoute, { role, data: [[runtimesQuery.queryKey, list]] });

test("a runtime shows whether it is installed, and what is left out of it", async () => {
  const part = await renderRuntimes([
    runtime("2025.04", {
      state: "installed",
      canInstall: false,
      nodeJsVersion: "22.11.0",
      sizeBytes: 661_651_456,
      leftOut: { ws: "8.0.0" },
    }),
    runtime("2022.10", { canInstall: false, message: "Use 2025.04." }, { stage: "REMOVED" }),
  ]);
  const [installed = [], removed = []] = part.readRows();
  assert.match(installed[0] ?? "", /^2025\.04 stable$/);
  assert.match(installed[1] ?? "", /Installed$/);
  assert.equal(installed[2], "22.11.0");
  assert.match(installed[3] ?? "", /^21 package missingws 8\.0\.0$/);
  assert.match(installed[4] ?? "", /^6\d\d\S* Mi?B$/);
  assert.match(removed[1] ?? "", /Not availableUse 2025\.04\.$/);
  assert.deepEqual([removed[2], removed[4]], ["22", "–"]);
  assert.equal(part.getByRole("button").count(), 0, "neither can be installed");
});

test("the progress of an installation is a bar with its numbers", async () => {
  const progress = { phase: "packages", packagesDone: 12, packagesTotal: 40 } as const;
  const part = await renderRuntimes([
    runtime("2025.04", { state: "installing", canInstall: false, progress }),
    runtime("2024.09", {
      state: "installing",
      canInstall: false,
      progress: { phase: "waiting", packagesDone: 0, packagesTotal: 0 },
    }),
  ]);
  await part.getByText("12 of 40 packages").waitFor();
  const bar = (await part.getByLabel("Progress of 2025.04").element()) as HTMLProgressElement;
  assert.deepEqual([bar.value, bar.max], [12, 40]);
  await part.getByText("waiting for another installation").waitFor();
});

test("a failed installation is retried by an admin only", async () => {
  const failed = runtime("2025.04", { state: "failed", message: "npm ended with 1." });
  const part = await renderRuntimes([failed, runtime("2024.09", {})]);
  await part.getByText("npm ended with 1.").waitFor();
  const names = part
    .getByRole("button")
    .elements()
    .map((one) => one.getAttribute("aria-label"));
  assert.deepEqual(names, ["Try to install runtime 2025.04 again", "Install runtime 2024.09"]);
});

test("a member who is no admin sees runtimes without buttons", async () => {
  const part = await renderRuntimes([runtime("2024.09", {})], "READ_WRITE");
  await part.getByText("Not installed").waitFor();
  assert.equal(part.getByRole("button").count(), 0);
});

type Machine = Schemas["ScriptMachine"];

async function readMachine(machine: Machine | null): Promise<string[]> {
  const current = runtime("2025.04", {}, { stage: "CURRENT" });
  const part = await renderScreen(runtimesRoute, {
    data: [
      [runtimesQuery.queryKey, [current]],
      [machineQuery("2025.04").queryKey, { ...current, machine }],
    ],
  });
  await part.getByRole("heading", { name: "Isolation and browser" }).waitFor();
  return part.locator("dd, h2 ~ p").allTextContents();
}

test("the isolation and the browser of the server are shown", async () => {
  const whole = { isolation: "A2", isolationMessage: null, browserMessage: null } as const;
  const browser = { path: "/usr/lib/chromium/chromium", version: "150.0.1.2" };
  const [isolation = "", chromium = ""] = await readMachine({ ...whole, browser });
  assert.match(isolation, /SandboxedNamespaces inside of a user namespace \(tier A2\)$/);
  assert.match(chromium, /Chromium 150\.0\.1\.2\/usr\/lib\/chromium\/chromium$/);
});

test("a server without isolation or browser shows what to do", async () => {
  const reasons = { isolationMessage: "Use Linux.", browserMessage: "Run `apt install x`." };
  const [none = "", missing = ""] = await readMachine({
    isolation: null,
    browser: null,
    ...reasons,
  });
  assert.match(none, /Scripts cannot run hereUse Linux\.$/);
  assert.match(missing, /No browser on this machineRun `apt install x`\.$/);
});

test("a server that runs no checks shows no isolation", async () => {
  assert.match((await readMachine(null)).join(), /This server runs no checks itself/);
});

type Device = Schemas["PushSubscription"];
const device = (id: string, more: Partial<Device> = {}) =>
  ({ id, name: `Device ${id}`, host: "push.example.com", lastSentAt: null, ...more }) as Device;

interface DevicesState {
  readonly state?: string;
  readonly devices?: readonly Device[];
  readonly channels?: readonly { readonly type: string }[];
  readonly role?: PartOptions["role"];
}

const renderDevices = ({ state = "off", devices, channels, role = "OWNER" }: DevicesState) =>
  renderScreen(devicesRoute, {
    role,
    data: [
      [pushStateQuery.queryKey, state],
      [devicesQuery.queryKey, devices],
      [channelsQuery.queryKey, channels],
    ],
  });

for (const [state, text] of [
  ["insecure", /only over HTTPS and on localhost/],
  ["not-installed", /Add to Home Screen/],
  ["unsupported", /does not support push notifications/],
  ["denied", /Allow them in the site settings/],
  ["on", /^Notifications are on for this device/],
] as const) {
  test(`a device whose notifications are ${state} has the reason in place of a button`, async () => {
    const part = await renderDevices({ state, devices: [] });
    await part.getByText(text).waitFor();
    assert.equal(part.getByRole("button", { name: "Turn on for this device" }).count(), 0);
  });
}

test("notifications that are off can be turned on", async () => {
  const part = await renderDevices({ devices: [] });
  await part.getByRole("button", { name: "Turn on for this device" }).waitFor();
  await part.getByText("No devices yet").waitFor();
});

test("the list of devices marks this one, and points out that no channel sends to them", async () => {
  localStorage.setItem("vedette.push-device", "b");
  const part = await renderDevices({
    devices: [device("a", { lastSentAt: ago(120) }), device("b")],
    channels: [{ type: "EMAIL" }],
  });
  const [other = [], own = []] = part.readRows();
  assert.equal(other[0]?.trim(), "Device a");
  assert.match(other[2] ?? "", /2 min/);
  assert.equal(own[0], "Device b this device");
  assert.equal(own[2], "never");
  await part.getByText(/No alert channel sends to devices yet/).waitFor();
  const link = await part.getByRole("link", { name: "Create channel" }).getAttribute("href");
  assert.equal(link, "/alerts/channels/new?type=WEBPUSH");
});

test("a reader cannot create the missing channel", async () => {
  const part = await renderDevices({ devices: [device("a")], channels: [], role: "READ_ONLY" });
  await part.getByText(/No alert channel sends to devices yet/).waitFor();
  assert.equal(part.getByRole("link", { name: "Create channel" }).count(), 0);
});

test("a channel for devices needs no hint", async () => {
  const part = await renderDevices({ devices: [device("a")], channels: [{ type: "WEBPUSH" }] });
  await part.getByText("Device a").waitFor();
  assert.equal(part.getByText(/No alert channel sends/).count(), 0);
});
