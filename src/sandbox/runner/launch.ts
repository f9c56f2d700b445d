import { join } from "node:path";
import type { Browser } from "../browsers.ts";
import {
  type Mount,
  type Program,
  type SandboxPlan,
  scriptFolder,
  temporaryFolder,
} from "../isolation/plan.ts";
import type { InstalledRuntime } from "../runtimes/installed.ts";
import type { ScriptOrder } from "../script-run.ts";
import type { LoadedSnapshot } from "./messages.ts";

/** Mounts, files and program with which a sandbox runs a script. */
export interface Launch {
  readonly mounts: readonly Mount[];
  readonly files: SandboxPlan["files"];
  readonly program: (root: string) => Program;
}

/** Cache of compiled code of the runtime's packages. Only a new cache is writable. */
export interface CodeCache {
  readonly folder: string;
  readonly isNew: boolean;
}

/** Optional parts of a script run. */
export interface LaunchParts {
  readonly cache?: CodeCache | null;
  readonly browser?: Browser | null;
  readonly snapshots?: readonly LoadedSnapshot[];
}

const codeCache = "/vedette/cache";
export const helpers = "/vedette/inside";
export const helpersMount: Mount = {
  source: join(import.meta.dirname, "..", "inside"),
  target: helpers,
  isCopied: true,
};
export const runtimeNode = "/vedette/runtime-node";
const playwright = "/node_modules/@playwright/test/cli.js";

/**
 * Maximum size of one environment variable including its name. The limit of the kernel is 131,072
 * bytes.
 */
export const maxVariableBytes = 131_000;

/**
 * File with the script paths and the global variables of a hook. The hook removes the file before
 * it runs scripts.
 */
const hookPlan = ".vedette-hook.json";

export function planLaunch(
  order: ScriptOrder,
  runtime: InstalledRuntime,
  { cache = null, browser = null, snapshots = [] }: LaunchParts = {},
): Launch {
  const { request, variables } = order;
  const { hook } = request;
  const isTest =
    hook === undefined &&
    usesTestRunner([{ path: "", content: request.script }, ...request.dependencies]);
  const path = request.scriptPath ?? (isTest ? "script.spec.ts" : "script.js");
  const others = request.dependencies.filter((file) => file.path !== path);
  const pictures = snapshots.map(({ path, content }) => {
    return { path, content: Buffer.from(content).toString("base64"), isBase64: true };
  });
  const plan = hook === undefined ? [] : [{ path: hookPlan, content: JSON.stringify(hook) }];
  const main = hook === undefined ? join(scriptFolder, path) : `${helpers}/hook-script.cjs`;
  return {
    mounts: [
      helpersMount,
      { source: join(runtime.folder, "node_modules"), target: "/node_modules" },
      { source: runtime.nodePath, target: runtimeNode },
      ...mountCache(cache),
      ...(browser?.mounts ?? []),
    ],
    files: [{ path, content: request.script }, ...others, ...pictures, ...plan],
    program: (root) => {
      const [node, inside] = [join(root, runtimeNode), join(root, helpers)];
      return {
        command: isTest
          ? [node, join(root, playwright), "test", "-c", join(inside, "playwright.config.cjs")]
          : [node, "--require", join(inside, "plain-script.cjs"), join(root, main)],
        environment: {
          ...variables,
          // Folder for scripts that Playwright compiles. Older versions fail if the folder is not
          // writable.
          PWTEST_CACHE_DIR: join(root, temporaryFolder, "cache"),
          ...writeCacheVariables(cache, root),
          FORCE_COLOR: "0",
          CI: "1",
          VEDETTE_SCRIPT: hook === undefined ? path : hookPlan,
          VEDETTE_TIMEOUT_MS: String(request.timeoutMs),
          ...(browser !== null && writeBrowserVariables(browser, root)),
        },
      };
    },
  };
}

export const mountCache = (cache: CodeCache | null): readonly Mount[] =>
  cache === null ? [] : [{ source: cache.folder, target: codeCache, isWritable: cache.isNew }];

export const writeCacheVariables = (cache: CodeCache | null, root: string) => ({
  ...(cache !== null && { NODE_COMPILE_CACHE: join(root, codeCache) }),
});

/** Returns environment variables that make Playwright use the browser of this machine. */
export function writeBrowserVariables({ executable, isMounted }: Browser, root: string) {
  return {
    VEDETTE_CHROMIUM: isMounted ? join(root, executable) : executable,
    PLAYWRIGHT_BROWSERS_PATH: join(root, temporaryFolder, ".playwright"),
  };
}

/**
 * Returns whether a script or one of its files imports Playwright's test runner. Other scripts run
 * as plain programs, which needs only a third of the resources.
 */
function usesTestRunner(files: readonly { readonly content: string }[]): boolean {
  return files.some(({ content }) => /["'`]@playwright\/test["'`]/.test(content));
}
