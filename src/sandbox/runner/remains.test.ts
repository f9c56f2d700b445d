/** What a script leaves behind is removed, however it ends. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext } from "node:test";
import { test } from "../../../test/support/long-run.ts";
import {
  expectMeasured,
  findTestBrowser,
  installTestBrowser,
  listProcesses,
  orderScript,
  startScriptRunner,
} from "../../../test/support/scripts/script-runner.ts";
import { packCode, packPlaywright } from "../../../test/support/scripts/suite-code.ts";
import { type NpmRegistry, startNpmRegistry } from "../../../test/support/servers/npm-registry.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { readCode } from "../../platform/errors.ts";
import { findBrowserDenial } from "../browsers.ts";
import type { Isolation } from "../isolation/sandbox.ts";
import { findSandboxNpm } from "../runtimes/npm.ts";
import { removeTree } from "../runtimes/workspace.ts";
import type { ScriptRequest, ScriptRunner, Suite } from "../script-run.ts";
import type { ScriptRunnerOptions } from "./script-runner.ts";

const isRoot = process.getuid?.() === 0;
const tiers = isRoot ? (["A1", "B1"] as const) : (["A2", "B2"] as const);

const runners = new Map<Isolation, ScriptRunner>();
after(() => Promise.all(runners.values().map((runner) => runner.close())));

async function runIn(isolation: Isolation, script: string) {
  const runner = runners.get(isolation) ?? startScriptRunner({ isolations: [isolation] });
  runners.set(isolation, runner);
  return expectMeasured(await runner.run(orderScript(script)));
}

function waitForEnd(argument: string): Promise<unknown> {
  return waitUntil("no process is left", () => listProcesses(argument).length === 0);
}

for (const isolation of tiers) {
  test(`in tier ${isolation}, a script cannot start processes without end`, {
    isLong: true,
  }, async () => {
    const { end, logs } = await runIn(
      isolation,
      `
    const { spawn } = require("node:child_process");
    const start = () => {
      const child = spawn("sh", ["-c", "sleep 271828; true"]);
      child.on("error", (error) => { console.log("refused", error.code); process.exit(0); });
      setImmediate(start);
    };
    start();`,
    );
    assert.ok(end === "too-many-processes" || /refused/.test(logs[0]?.text ?? ""), end);
    await waitForEnd("271828");
  });
}

for (const isolation of tiers) {
  test(`in tier ${isolation}, nothing of a run is left for the next one`, {
    isLong: isolation !== tiers[0],
  }, async () => {
    const first = await runIn(
      isolation,
      `
    require("node:fs").writeFileSync(process.env.TMPDIR + "/secret", "x");
    const { spawn } = require("node:child_process");
    const options = { detached: true, stdio: "ignore" };
    spawn("sh", ["-c", "sleep 314159; true"], options).unref();
    console.log("left");`,
    );
    assert.equal(first.end, "passed");
    await waitForEnd("314159");
    const second = await runIn(
      isolation,
      `console.log(require("node:fs").readdirSync(process.env.TMPDIR).length);`,
    );
    assert.equal(second.logs[0]?.text, "0");
  });
}

const createMarker = () => String(Math.floor(Math.random() * 1e12) + 1e12);

const waitingPage = (marker: string) => `
  const { test } = require("@playwright/test");
  test.use({ launchOptions: { args: ["--marker=${marker}"] } });
  test("waits", async ({ page }) => {
    await page.setContent("<p>Waiting");
    console.log("here");
    await page.waitForSelector("button", { timeout: 0 });
  });`;
const waitingScript = (marker: string) => `
  const options = { detached: true };
  require("node:child_process").spawn("sh", ["-c", "sleep ${marker}; true"], options);
  console.log("here");
  setInterval(() => {}, 1_000);`;

const runKinds = ["script", "page", "suite"] as const;
type RunKind = (typeof runKinds)[number];

/** Plain data, so that another process can run it too. */
interface WaitingRun {
  readonly request: Partial<ScriptRequest>;
  readonly order: { readonly usesBrowser?: boolean };
  /** In base64. */
  readonly code: string;
  readonly options: Partial<ScriptRunnerOptions>;
}

let registry: Promise<NpmRegistry> | undefined;
const packed = packPlaywright();
after(async () => (await registry)?.stop());

async function describeSuite(t: TestContext, marker: string): Promise<WaitingRun> {
  registry ??= startNpmRegistry(packed);
  const { url } = await registry;
  const suitesFolder = mkdtempSync(join(tmpdir(), "vedette-suites-"));
  chmodSync(suitesFolder, 0o755);
  t.after(() => removeTree(suitesFolder));
  const code = packCode({
    "package.json": JSON.stringify(packed.manifest),
    "package-lock.json": JSON.stringify(packed.lock),
    "waits.spec.js": waitingPage(marker),
  });
  const suite: Suite = {
    bundle: `bundle/${createHash("sha256").update(code).digest("hex")}`,
    ...{ cacheHash: "", configPath: null, workingDir: "", engine: "node" },
    engineVersion: process.versions.node,
    values: ["--retries=0"],
  };
  const npm = findSandboxNpm({ PATH: process.env.PATH, npm_config_registry: url });
  return {
    request: { suite, timeoutMs: 300_000 },
    order: { usesBrowser: true },
    code: code.toString("base64"),
    options: { suitesFolder, npm },
  };
}

/** A run that waits until it is ended. The arguments of one of its processes have the marker. */
async function describeRun(
  t: TestContext,
  kind: RunKind,
  isolation: Isolation,
): Promise<WaitingRun & { readonly marker: string }> {
  const marker = createMarker();
  const options = { isolations: [isolation] };
  if (kind === "suite") {
    const suite = await describeSuite(t, marker);
    return { ...suite, options: { ...suite.options, ...options }, marker };
  }
  const isPage = kind === "page";
  const script = isPage ? waitingPage(marker) : waitingScript(marker);
  return { request: { script }, order: { usesBrowser: isPage }, code: "", options, marker };
}

async function start(t: TestContext, kind: RunKind, isolation: Isolation) {
  const { request, order, code, options, marker } = await describeRun(t, kind, isolation);
  const own = startScriptRunner(options);
  t.after(() => own.close());
  const started = Promise.withResolvers<void>();
  const { script = "" } = request;
  const loadCode = async () => Buffer.from(code, "base64");
  const outcome = own.run(
    { ...orderScript(script, request, order), loadCode },
    ({ step }) => step === "log" && started.resolve(),
  );
  const early = outcome.then((ended) => assert.fail(`It ended: ${JSON.stringify(ended)}`));
  early.catch(() => {});
  await Promise.race([started.promise, early]);
  await waitUntil("its process runs", () => listProcesses(marker).length > 0);
  return { own, marker, outcome };
}

/** Why a kind of run cannot be tested here; `null` if it can. */
async function findLackOf(kind: RunKind): Promise<string | null> {
  if (kind === "script") return null;
  await installTestBrowser();
  const browser = findTestBrowser();
  return "reason" in browser ? browser.reason : findBrowserDenial(browser);
}

async function waitUntilNothingIsLeft(marker: string): Promise<void> {
  await waitForEnd(marker);
  await waitUntil("no folder is left", () => listFolders(marker).length === 0);
  await waitUntil("no mount is left", () => !readMounts().includes("vedette-script-"));
}

const readMounts = () => readFileSync("/proc/self/mountinfo", "utf8");

/** Processes of a program of this project that a process started. */
function listChildrenOf(parent: number | string, program: string): string[] {
  return listProcesses(program).filter((name) => {
    const stat = readFileSync(`/proc/${name}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] === String(parent);
  });
}

const listRunners = (parent = process.pid) => listChildrenOf(parent, "runner-process.ts");

/** Tests of tiers, and of kinds of runs, that `npm test` leaves to the long run. */
const isDear = (kind: RunKind, isolation: Isolation) => kind !== "script" || isolation !== tiers[0];

for (const isolation of tiers) {
  for (const kind of runKinds) {
    test(`in tier ${isolation}, a killed runner ends its ${kind}, and the next one starts it again`, {
      isLong: isDear(kind, isolation),
    }, async (t) => {
      const lack = await findLackOf(kind);
      if (lack !== null) return t.skip(lack);
      const others = listRunners();
      const { own, marker, outcome } = await start(t, kind, isolation);
      const [id] = listRunners().filter((name) => !others.includes(name));
      process.kill(Number(id), "SIGKILL");
      assert.equal((await outcome).kind, "interrupted");
      await waitUntilNothingIsLeft(marker);
      assert.equal(expectMeasured(await own.run(orderScript("1"))).end, "passed");
    });
  }
}

function countDescriptors(id: string): number {
  try {
    return readdirSync(`/proc/${id}/fd`).length;
  } catch {
    return 0;
  }
}

/** The first process of a sandbox opens more and more descriptors while it is built. */
const descriptorsAtDeath = [1, 7, 13, 14, 18, 19, 23, 24];

for (const isolation of tiers) {
  test(`in tier ${isolation}, a runner that is killed while it builds a sandbox leaves nothing`, {
    isLong: true,
  }, async (t) => {
    const own = startScriptRunner({ isolations: [isolation] });
    t.after(() => own.close());
    for (const descriptors of descriptorsAtDeath) {
      const others = listRunners();
      assert.equal(expectMeasured(await own.run(orderScript("1"))).end, "passed");
      const marker = createMarker();
      const outcome = own.run(orderScript(waitingScript(marker)));
      let wardens: string[] = [];
      await waitUntil("its sandbox is being built", () => {
        wardens = listProcesses("warden.ts");
        return wardens.some((id) => countDescriptors(id) >= descriptors);
      });
      const [runner] = listRunners().filter((id) => !others.includes(id));
      process.kill(Number(runner), "SIGKILL");
      assert.equal((await outcome).kind, "interrupted");
      await waitUntil("its first process ends", () =>
        wardens.every((id) => !existsSync(`/proc/${id}`)),
      );
      await waitUntilNothingIsLeft(marker);
    }
  });
}

for (const isolation of tiers) {
  for (const kind of ["page", "suite"] as const) {
    test(`in tier ${isolation}, a ${kind} whose browser is killed fails`, {
      isLong: true,
    }, async (t) => {
      const lack = await findLackOf(kind);
      if (lack !== null) return t.skip(lack);
      const { marker, outcome } = await start(t, kind, isolation);
      for (const id of listProcesses(marker)) {
        const isBrowser = !readFileSync(`/proc/${id}/cmdline`, "utf8").includes("--type=");
        if (isBrowser) process.kill(Number(id), "SIGKILL");
      }
      const { end, errors } = expectMeasured(await outcome);
      assert.equal(end, "failed");
      assert.match(errors[0]?.message ?? "", /closed/);
      await waitUntilNothingIsLeft(marker);
    });
  }
}

for (const isolation of tiers) {
  for (const kind of runKinds) {
    test(`in tier ${isolation}, when the server is killed, nothing of its ${kind} remains`, {
      isLong: true,
    }, async (t) => {
      const lack = await findLackOf(kind);
      if (lack !== null) return t.skip(lack);
      const { marker, ...run } = await describeRun(t, kind, isolation);
      const support = new URL("../../../test/support/scripts/script-runner.ts", import.meta.url);
      const server = spawn(
        process.execPath,
        ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval"].concat(`
          import { orderScript, startScriptRunner } from ${JSON.stringify(support)};
          const { request, order, code, options } = JSON.parse(process.env.RUN);
          const loadCode = async () => Buffer.from(code, "base64");
          const { script = "" } = request;
          const runner = startScriptRunner(options);
          await runner.run({ ...orderScript(script, request, order), loadCode });`),
        // Not among its arguments, by which the processes of the run are found.
        { stdio: "inherit", env: { ...process.env, RUN: JSON.stringify(run) } },
      );
      await waitUntil("its process runs", () => listProcesses(marker).length > 0);
      const [runner] = listRunners(server.pid);
      server.kill("SIGKILL");
      await waitUntilNothingIsLeft(marker);
      await waitUntil("no runner is left", () => !existsSync(`/proc/${runner}`));
    });
  }
}

for (const isolation of tiers) {
  test(`in tier ${isolation}, when its warden is killed, a script ends and did not pass`, {
    isLong: isolation !== tiers[0],
  }, async (t) => {
    const others = listRunners();
    const { marker, outcome } = await start(t, "script", isolation);
    const [runner = ""] = listRunners().filter((name) => !others.includes(name));
    // With namespaces, it is the child of `unshare`.
    const outer = listChildrenOf(runner, "warden.ts");
    for (const id of outer.flatMap((one) => [...listChildrenOf(one, "warden.ts"), one])) {
      killIfRunning(Number(id));
    }
    assert.equal(expectMeasured(await outcome).end, "crashed");
    await waitUntilNothingIsLeft(marker);
  });
}

/** Kills a process. The end of its child or parent may already have ended it. */
function killIfRunning(id: number): void {
  try {
    process.kill(id, "SIGKILL");
  } catch (error) {
    if (readCode(error) !== "ESRCH") throw error;
  }
}

/** Folders of runs whose script has a text. */
function listFolders(text: string): string[] {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith("vedette-script-"));
  return folders.filter((name) => {
    try {
      const script = join(tmpdir(), name, "script");
      return readdirSync(script).some((path) =>
        readFileSync(join(script, path), "utf8").includes(text),
      );
    } catch {
      return false;
    }
  });
}

for (const isolation of tiers) {
  test(`in tier ${isolation}, closing ends the scripts that run`, { isLong: true }, async (t) => {
    const { own, marker, outcome } = await start(t, "script", isolation);
    await own.close();
    assert.equal((await outcome).kind, "interrupted");
    await waitForEnd(marker);
    assert.equal((await own.run(orderScript("1"))).kind, "interrupted");
  });
}
