import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import type { Outcome } from "../../../src/contract/result.ts";
import { findBrowser } from "../../../src/sandbox/browsers.ts";
import { isolations } from "../../../src/sandbox/isolation/sandbox.ts";
import {
  createScriptRunner,
  type ScriptRunnerOptions,
} from "../../../src/sandbox/runner/script-runner.ts";
import { installRuntime } from "../../../src/sandbox/runtimes/install.ts";
import { findRuntime } from "../../../src/sandbox/runtimes/installed.ts";
import { chromiumName, explainUninstallable } from "../../../src/sandbox/runtimes/packages.ts";
import type {
  ScriptMeasurement,
  ScriptOrder,
  ScriptRequest,
} from "../../../src/sandbox/script-run.ts";

const project = resolve(import.meta.dirname, "../../..");

/**
 * Runtime with the packages and the Node.js version of this project, which include Playwright's
 * test runner.
 */
export const projectRuntime = {
  name: "project",
  folder: project,
  nodePath: process.execPath,
} as const;

/**
 * Folder of the test browser, which later runs reuse. `TEST_RUNTIMES` can name a folder that also
 * contains users' runtimes.
 */
const browserFolder = process.env.TEST_RUNTIMES ?? resolve(project, "node_modules/.cache/runtimes");

/**
 * Installs Chromium's headless shell with npm, unless it is installed or cannot be installed here.
 */
export async function installTestBrowser(): Promise<void> {
  const isInstalled = "folder" in findRuntime(browserFolder, chromiumName);
  if (isInstalled || explainUninstallable(chromiumName) !== null) return;
  await installRuntime(chromiumName, { runtimesFolder: browserFolder, environment: process.env });
}

/** Returns the browser that the product would find on this machine. */
export function findTestBrowser() {
  const find = () => {
    const found = findRuntime(browserFolder, chromiumName);
    return "reason" in found ? null : found.nodePath;
  };
  return findBrowser(undefined, { find, explainMissing: () => null });
}

export function startScriptRunner(changes: Partial<ScriptRunnerOptions> = {}) {
  return createScriptRunner({
    reach: { allow: [], deny: [] },
    memoryBytes: 512 * 2 ** 20,
    concurrency: availableParallelism(),
    isolations,
    compileCache: resolve(project, "node_modules/.cache/compiled"),
    findRuntime: () => projectRuntime,
    findBrowser: findTestBrowser,
    log: () => {},
    ...changes,
  });
}

/** Timeout of a script. It is long, because sandboxes start slowly while other tests run. */
const timeoutMs = 60_000;

export function orderScript(
  script: string,
  request: Partial<ScriptRequest> = {},
  order: Partial<ScriptOrder> = {},
): ScriptOrder {
  return {
    runId: "0199c3a5-0000-7000-8000-000000000001",
    accountId: "0199c3a5-0000-7000-8000-00000000000a",
    request: {
      runtime: null,
      script,
      scriptPath: null,
      dependencies: [],
      timeoutMs,
      ...request,
    },
    variables: {},
    deadlineAtMs: Date.now() + 10 * 60_000,
    ...order,
  };
}

/** Lists the processes of this machine that have the text in one of their arguments. */
export function listProcesses(argument: string): string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").includes(argument);
    } catch {
      return false;
    }
  });
}

export function expectMeasured(outcome: Outcome<ScriptMeasurement>): ScriptMeasurement {
  if (outcome.kind === "measured") return outcome.measurement;
  throw new Error(`The script was not measured: ${JSON.stringify(outcome)}`);
}
