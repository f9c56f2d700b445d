import { basename, join, relative } from "node:path";
import type { Browser } from "../browsers.ts";
import { type Project, scriptFolder, temporaryFolder } from "../isolation/plan.ts";
import {
  type CodeCache,
  helpers,
  helpersMount,
  type Launch,
  mountCache,
  runtimeNode,
  writeBrowserVariables,
  writeCacheVariables,
} from "../runner/launch.ts";
import type { ScriptOrder } from "../script-run.ts";
import type { PreparedSuite } from "./prepare-suite.ts";

const codeFolder = "/vedette/code";
const playwright = "/node_modules/@playwright/test/cli.js";

/**
 * Name of the generated configuration file. The file is in the folder of the suite's configuration,
 * because the paths in a configuration are relative to the folder of the file.
 */
const configName = "playwright.vedette.config";

interface SuiteLaunchParts {
  readonly nodePath: string;
  readonly browser: Browser | null;
  readonly cache: CodeCache | null;
}

/** Plans the launch of all tests of a suite with Playwright's test runner. */
export function planSuiteLaunch(
  { request, variables }: ScriptOrder,
  prepared: PreparedSuite,
  { nodePath, browser, cache }: SuiteLaunchParts,
): Launch & { readonly project: Project; readonly workingDir: string } {
  const { suite, code, config, mounts, links } = prepared;
  const configPath = join(config.folder, `${configName}.${config.isModule ? "mjs" : "cjs"}`);
  return {
    mounts: [
      helpersMount,
      { source: nodePath, target: runtimeNode },
      { source: join(code, "project"), target: codeFolder },
      ...mounts,
      ...mountCache(cache),
      ...(browser?.mounts ?? []),
    ],
    project: { folder: codeFolder, links },
    workingDir: suite.workingDir,
    files: [{ path: configPath, content: writeConfig(config) }],
    program: (root) => ({
      command: [
        join(root, runtimeNode),
        ...[join(root, playwright), "test", ...suite.values],
        `--config=${join(root, scriptFolder, configPath)}`,
      ],
      environment: {
        ...variables,
        PWTEST_CACHE_DIR: join(root, temporaryFolder, "cache"),
        ...writeCacheVariables(cache, root),
        FORCE_COLOR: "0",
        CI: "1",
        VEDETTE_SUITE: "1",
        VEDETTE_TIMEOUT_MS: String(request.timeoutMs),
        ...(browser !== null && writeBrowserVariables(browser, root)),
      },
    }),
  };
}

/**
 * Returns a configuration file that imports the suite's configuration. Playwright compiles an
 * imported configuration in the same way as a configuration that is specified directly.
 */
function writeConfig({ path, folder, isModule }: PreparedSuite["config"]): string {
  const own = path === null ? null : JSON.stringify(`./${basename(path)}`);
  const up = relative(join(scriptFolder, folder), helpers);
  const helper = JSON.stringify(`${up}/suite-config.cjs`);
  if (isModule) {
    return `import suite from ${helper};
import * as own from ${own};
export default suite.completeConfig(own);
`;
  }
  const loaded = own === null ? "{}" : `require(${own})`;
  return `module.exports = require(${helper}).completeConfig(${loaded});
`;
}
