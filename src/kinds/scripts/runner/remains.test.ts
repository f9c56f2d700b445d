/** What a script leaves behind is removed, however it ends. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext } from "node:test";
import { test } from "../../../../test/support/long-run.ts";
import {
  expectMeasured,
  findTestBrowser,
  installTestBrowser,
  listProcesses,
  orderScript,
  startScriptRunner,
} from "../../../../test/support/scripts/script-runner.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";
import { findBrowserDenial } from "../browsers.ts";
import type { Isolation } from "../sandbox/sandbox.ts";
import type { ScriptRunner } from "../script-run.ts";

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

/** A runner whose script started another process. */
async function startRun(t: TestContext, isolation: Isolation) {
  const own = startScriptRunner({ isolations: [isolation] });
  t.after(() => own.close());
  const marker = createMarker();
  const started = Promise.withResolvers<void>();
  const script = `
    console.log("here");
    require("node:child_process").spawn("sh", ["-c", "sleep ${marker}; true"], { detached: true });`;
  const outcome = own.run(orderScript(script), () => started.resolve());
  const early = outcome.then((ended) => assert.fail(`It ended: ${JSON.stringify(ended)}`));
  await Promise.race([started.promise, early]);
  early.catch(() => {});
  await waitUntil("the process of the script starts", () => listProcesses(marker).length > 0);
  return { own, marker, outcome };
}

/** A runner with a page that waits; the arguments of its browser have a marker. */
async function startPage(t: TestContext, isolation: Isolation) {
  await installTestBrowser();
  const browser = findTestBrowser();
  const reason = "reason" in browser ? browser.reason : findBrowserDenial(browser);
  if (reason !== null) return t.skip(reason);
  const own = startScriptRunner({ isolations: [isolation] });
  t.after(() => own.close());
  const marker = createMarker();
  const script = `
    import { test } from "@playwright/test";
    test.use({ launchOptions: { args: ["--marker=${marker}"] } });
    test("waits", async ({ page }) => {
      await page.setContent("<p>Waiting");
      console.log("here");
      await page.waitForSelector("button", { timeout: 0 });
    });`;
  const started = Promise.withResolvers<void>();
  const order = orderScript(script, {}, { usesBrowser: true });
  const outcome = own.run(order, ({ step }) => step === "log" && started.resolve());
  const early = outcome.then((ended) => assert.fail(`It ended: ${JSON.stringify(ended)}`));
  early.catch(() => {});
  await Promise.race([started.promise, early]);
  return { own, marker, outcome };
}

for (const isolation of tiers) {
  const title = `in tier ${isolation}, a browser that is killed fails its run, and a killed runner ends it`;
  test(title, { isLong: true }, async (t) => {
    const first = await startPage(t, isolation);
    if (first === undefined) return;
    for (const id of listProcesses(first.marker)) {
      const isBrowser = !readFileSync(`/proc/${id}/cmdline`, "utf8").includes("--type=");
      if (isBrowser) process.kill(Number(id), "SIGKILL");
    }
    const { end, errors } = expectMeasured(await first.outcome);
    assert.equal(end, "failed");
    assert.match(errors[0]?.message ?? "", /closed/);
    await waitForEnd(first.marker);
    const others = listRunners();
    const second = await startPage(t, isolation);
    if (second === undefined) return;
    const [id] = listRunners().filter((name) => !others.includes(name));
    process.kill(Number(id), "SIGKILL");
    assert.equal((await second.outcome).kind, "interrupted");
    await waitForEnd(second.marker);
    await waitUntil("no folder is left", () => listFolders(second.marker).length === 0);
    await waitUntil("no mount is left", () => !readMounts().includes("vedette-script-"));
  });
}

const readMounts = () => readFileSync("/proc/self/mountinfo", "utf8");

/** Processes of runners that this process started. */
function listRunners(): string[] {
  return listProcesses("runner-process.ts").filter((name) => {
    const stat = readFileSync(`/proc/${name}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] === String(process.pid);
  });
}

for (const isolation of tiers) {
  test(`in tier ${isolation}, when the runner is killed, its scripts end, and the next one starts it again`, {
    isLong: isolation !== tiers[0],
  }, async (t) => {
    await runIn(isolation, "1");
    const others = listRunners();
    const { own, marker, outcome } = await startRun(t, isolation);
    const [id] = listRunners().filter((name) => !others.includes(name));
    process.kill(Number(id), "SIGKILL");
    assert.equal((await outcome).kind, "interrupted");
    await waitForEnd(marker);
    assert.equal(expectMeasured(await own.run(orderScript("1"))).end, "passed");
  });
}

for (const isolation of tiers) {
  const title = `in tier ${isolation}, when the server is killed, nothing of its scripts remains`;
  test(title, { isLong: true }, async () => {
    const marker = createMarker();
    // In two parts, so that the server itself is not found by it.
    const [start, rest] = [marker.slice(0, 6), marker.slice(6)];
    const script = `require("node:child_process").spawn("sh", ["-c", "sleep " + "${start}" + "${rest}; true"], { detached: true });`;
    const support = new URL("../../../../test/support/scripts/script-runner.ts", import.meta.url);
    const server = spawn(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval"].concat(`
        import { orderScript, startScriptRunner } from ${JSON.stringify(support)};
        const runner = startScriptRunner({ isolations: [${JSON.stringify(isolation)}] });
        await runner.run(orderScript(${JSON.stringify(script)}));`),
      { stdio: "inherit" },
    );
    await waitUntil("the process of the script starts", () => listProcesses(marker).length > 0);
    server.kill("SIGKILL");
    await waitForEnd(marker);
    await waitUntil("no folder is left", () => listFolders(`"${rest};`).length === 0);
  });
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
    const { own, marker, outcome } = await startRun(t, isolation);
    await own.close();
    assert.equal((await outcome).kind, "interrupted");
    await waitForEnd(marker);
    assert.equal((await own.run(orderScript("1"))).kind, "interrupted");
  });
}
