import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createReach } from "../platform/net/reach.ts";
import { createNameResolver } from "../platform/net/resolve.ts";
import { type Browser, type DownloadedBrowser, findBrowser } from "./browsers.ts";
import { hasNamespaces, type Isolation, listAllowedIsolations } from "./isolation/sandbox.ts";
import { type FoundIsolation, findIsolation, isolationAdvice } from "./runner/isolation.ts";
import { findRuntime } from "./runtimes/installed.ts";
import { chromiumName, explainUninstallable } from "./runtimes/packages.ts";

/** Capabilities of a machine for scripts, apart from its runtimes. */
export interface ScriptMachine {
  /** Isolation tier of the sandboxes; `null` if scripts cannot run on the machine. */
  readonly isolation: Isolation | null;
  /**
   * Why scripts cannot run, or why only a weaker isolation works; `null` if the isolation uses
   * namespaces.
   */
  readonly isolationMessage: string | null;
  /** Advice for the operator; `null` if scripts can run. */
  readonly isolationAdvice: string | null;
  readonly browser: { readonly path: string; readonly version: string | null } | null;
  /** Why no browser is available and what to do about that; `null` if there is a browser. */
  readonly browserMessage: string | null;
}

export type DescribeMachine = () => Promise<ScriptMachine>;

interface MachineSettings {
  readonly SCRIPT_ISOLATION: "namespaces" | "landlock";
  readonly SCRIPT_CHROMIUM?: string | undefined;
}

/** Describes this machine. Builds a sandbox and tests its isolation, as the runner does. */
export async function describeMachine(
  settings: MachineSettings,
  runtimesFolder: string,
): Promise<ScriptMachine> {
  const reach = createReach({ allow: [], deny: [] });
  const allowed = listAllowedIsolations(settings.SCRIPT_ISOLATION);
  const found = await findIsolation(allowed, { resolver: createNameResolver(), reach });
  const browser = findBrowser(settings.SCRIPT_CHROMIUM, describeDownload(runtimesFolder));
  return summarise(found, await describeBrowser(browser));
}

/** Describes the browser that the first run downloads, without installing the browser. */
function describeDownload(runtimesFolder: string): DownloadedBrowser {
  return {
    find: () => {
      const found = findRuntime(runtimesFolder, chromiumName);
      return "reason" in found ? null : found.nodePath;
    },
    explainMissing: () =>
      explainUninstallable(chromiumName) === null
        ? "There is no browser on this machine. The first run that needs one installs it with npm; `npm run vedette runtime install chromium` does it now."
        : null,
  };
}

type FoundBrowser = Pick<ScriptMachine, "browser" | "browserMessage">;

export function summarise(found: FoundIsolation, browser: FoundBrowser): ScriptMachine {
  const { isolation, refusals } = found;
  if (isolation === null) {
    const isolationMessage = ["Scripts of checks cannot run here.", ...refusals].join(" ");
    return { isolation, isolationMessage, isolationAdvice, ...browser };
  }
  const isolationMessage = hasNamespaces(isolation) ? null : `No namespaces: ${refusals[0]}`;
  return { isolation, isolationMessage, isolationAdvice: null, ...browser };
}

async function describeBrowser(
  found: Browser | { readonly reason: string },
): Promise<FoundBrowser> {
  if ("reason" in found) return { browser: null, browserMessage: found.reason };
  const { path } = found;
  return { browser: { path, version: await readVersion(path) }, browserMessage: null };
}

const runFile = promisify(execFile);

/** Returns a browser's version, such as "150.0.7871.100"; `null` if the program reports none. */
async function readVersion(path: string): Promise<string | null> {
  const options = { timeout: 5_000, maxBuffer: 10_000, env: {} };
  try {
    const { stdout } = await runFile(path, ["--version"], options);
    return /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? null;
  } catch {
    return null;
  }
}

const completeMs = 3_600_000;
const incompleteMs = 60_000;

/**
 * Returns a function that caches the result of `describe`, because `describe` starts a sandbox. A
 * description without isolation or browser expires sooner than a complete description.
 */
export function rememberMachine(
  describe: DescribeMachine,
  nowMs: () => number = () => performance.now(),
): DescribeMachine {
  let known: { readonly machine: Promise<ScriptMachine>; untilMs: number } | null = null;
  return () => {
    if (known !== null && nowMs() < known.untilMs) return known.machine;
    const next = { machine: describe(), untilMs: Number.POSITIVE_INFINITY };
    known = next;
    const expireAfter = (ms: number) => {
      next.untilMs = nowMs() + ms;
    };
    next.machine.then(
      ({ isolation, browser }) =>
        expireAfter(isolation === null || browser === null ? incompleteMs : completeMs),
      () => expireAfter(0),
    );
    return next.machine;
  };
}
