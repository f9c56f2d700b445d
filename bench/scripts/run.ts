/**
 * What the sandbox costs: CPU seconds of the same script in a sandbox and as a plain child process,
 * and the number of scripts per minute on this machine.
 *
 * npm run bench scripts -- --runs 10
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { setProcessOption } from "../../src/sandbox/isolation/system-calls.ts";
import {
  expectMeasured,
  findTestBrowser,
  listProcesses,
  orderScript,
  projectRuntime,
  startScriptRunner,
} from "../../test/support/scripts/script-runner.ts";
import { listTree, readCpuSeconds } from "../scale/processes.ts";
import { median, report, write } from "../support.ts";

const { values } = parseArgs({ options: { runs: { type: "string", default: "10" } } });
const runs = Number(values.runs);

const target = createServer((request, response) => response.end(`{"path":"${request.url}"}`));
target.listen(0, "127.0.0.1");
await once(target, "listening");
const base = `http://localhost:${(target.address() as { port: number }).port}`;

const scripts: Record<string, string> = {
  "three requests with Playwright": `
import { test, expect } from "@playwright/test";
test("chain", async ({ request }) => {
  for (const name of ["one", "two", "three"]) {
    await test.step(name, async () => {
      const answer = await request.get("${base}/" + name);
      expect(answer.status()).toBe(200);
      expect((await answer.json()).path).toBe("/" + name);
    });
  }
});`,
  "three requests with fetch": `
(async () => {
  for (const name of ["one", "two", "three"]) {
    const answer = await fetch("${base}/" + name);
    if ((await answer.json()).path !== "/" + name) throw new Error("wrong answer");
  }
})();`,
};

/** See pages.cjs: both sides do the same work. */
const nowhere = "http://127.0.0.1:1/";
const quietArguments = [
  `--component-updater=url-source=${nowhere}`,
  `--autofill-server-url=${nowhere}`,
];

const found = findTestBrowser();
const browser = "reason" in found ? null : found;
if (browser !== null) {
  scripts["a page in a browser"] = `
const { chromium } = require("playwright-core");
(async () => {
  const args = ${JSON.stringify(["--no-sandbox", ...quietArguments])};
  const options = { executablePath: "${browser.path}", args };
  const browser = await chromium.launch(options);
  const page = await browser.newPage();
  await page.goto("${base}/page");
  await page.screenshot();
  await browser.close();
})();`;
}

// Chromium ends before its helper processes. Their time counts only if this process inherits them,
// as the first process of a sandbox does.
setProcessOption("adoptOrphans", 1);
const ownSeconds = () => readCpuSeconds(listTree(process.pid));

/** Runs a script without a sandbox. */
async function runBare(script: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "vedette-bench-"));
  try {
    symlinkSync(join(projectRuntime.folder, "node_modules"), join(folder, "node_modules"));
    const isTest = script.includes("@playwright/test");
    const path = join(folder, isTest ? "script.spec.ts" : "script.js");
    writeFileSync(path, script);
    const command = resolve(projectRuntime.folder, "node_modules/@playwright/test/cli.js");
    const list = isTest ? [command, "test", "--workers=1", "--reporter=json"] : [path];
    const options = { cwd: folder, stdio: "ignore" } as const;
    const [status] = await once(spawn(projectRuntime.nodePath, list, options), "exit");
    if (status !== 0) throw new Error(`The script ended with status ${status}.`);
    while (browser !== null && listProcesses(browser.path).length > 0) await sleep(20);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const cacheFolder = mkdtempSync(join(tmpdir(), "vedette-bench-"));
const runner = startScriptRunner({ cacheFolder });

async function runSandboxed(script: string): Promise<void> {
  const { end, errors } = expectMeasured(
    await runner.run({ ...orderScript(script), usesBrowser: script.includes("chromium") }),
  );
  if (end !== "passed") throw new Error(`The script ${end}: ${JSON.stringify(errors)}`);
}

async function measure(run: () => Promise<void>): Promise<number> {
  const before = ownSeconds();
  await run();
  return ownSeconds() - before;
}

try {
  for (const [name, script] of Object.entries(scripts)) {
    // So that files are cached, the runner has started and its cache of compiled code is filled.
    await runBare(script);
    for (let index = 0; index <= availableParallelism(); index += 1) await runSandboxed(script);
    const bare: number[] = [];
    const sandboxed: number[] = [];
    for (let round = 0; round < runs; round += 1) {
      bare.push(await measure(() => runBare(script)));
      sandboxed.push(await measure(() => runSandboxed(script)));
      write(`  ${name}, round ${round + 1} of ${runs}`);
    }
    const startedMs = performance.now();
    await Promise.all(Array.from({ length: runs }, () => runSandboxed(script)));
    const minutes = (performance.now() - startedMs) / 60_000;
    report(name, [
      { name: "without a sandbox", value: median(bare), unit: "CPU s" },
      { name: "in a sandbox", value: median(sandboxed), unit: "CPU s" },
      { name: "cost of the sandbox", value: median(sandboxed) - median(bare), unit: "CPU s" },
      { name: "in a sandbox ÷ without", value: median(sandboxed) / median(bare), atMost: 1.4 },
      { name: "runs per minute", value: runs / minutes },
    ]);
  }
} finally {
  await runner.close();
  rmSync(cacheFolder, { recursive: true });
  target.close();
}
