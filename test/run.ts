/**
 * Runs the test files, or those named on the command line, with `node --test`; without names also
 * `npm run check`, at the same time. A process per file would load the product hundreds of times,
 * which cost a third of the whole run; so files share processes, except those that start processes
 * or stop timers. Afterwards it prints what the dearest files cost.
 *
 * The long run (`--long`) runs the files that use `support/long-run.ts`, and every property test
 * with more inputs.
 */
import { type StdioOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, globSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { endsWithParent } from "./support/programs/end-with-parent-option.ts";
import {
  costsSetting,
  type FileCost,
  formatCosts,
  readCosts,
  readEndedChildrenSeconds,
  readTreeSeconds,
} from "./support/runner/cpu.ts";
import { createScratchFolder } from "./support/runner/scratch-folder.ts";

const project = resolve(import.meta.dirname, "..");
/**
 * A process spends about four seconds of CPU on loading the product, compiling its validators and
 * starting the first server. So files that start one run together.
 */
const filesPerProcess = 200;
/** Each has one browser for all of its files. */
const browserFilesPerProcess = 15;
/** Each loads and compiles the web application: three took a fifth more CPU than one. */
const componentFilesPerProcess = 120;
/** Many files wait for a process or a browser: four at once left a quarter of two cores idle. */
const processesAtOnce = 5;
const processLimitMs = 3_600_000;
const shownFiles = 30;

interface Batch {
  readonly paths: readonly string[];
  /** What the process loads before the first of them. */
  readonly preloads: readonly string[];
}

const isLong = process.argv.includes("--long");
const namedPatterns = process.argv.slice(2).filter((argument) => argument !== "--long");
const longPropertyRuns = 2_000;
const hasProperties = /from "fast-check"/;
const hasLongTests = /from ".*\/support\/long-run\.ts"/;

function listFiles(): string[] {
  const isNamed = namedPatterns.length > 0;
  const patterns = isNamed ? namedPatterns : ["{src,test,web}/**/*.test.{ts,tsx}"];
  const paths = globSync(patterns, { cwd: project }).sort();
  if (isNamed || !isLong) return paths;
  return paths.filter((path) => {
    const text = readText(path);
    return hasLongTests.test(text) || hasProperties.test(text);
  });
}

function readText(path: string): string {
  return readFileSync(join(project, path), "utf8");
}

const startsServers = /from ".*\/support\/(\w+\/vedette-process|machines\/fleet)\.ts"/;
const startsProcesses = /from "(node:child_process|.*\/support\/\w+\/embedded-postgres\.ts)"/;
const opensBrowser = /from ".*\/support\/browsers\/\w+\.ts"/;
const opensScreens = /from ".*\/support\/components\/\w+\.tsx"/;
const startsApp =
  /from ".*\/(support\/apps\/[\w-]+|scripted-app|modules\/subscribers|setting)\.ts"/;
const stopsTimers = /mock\.timers/;
/** A hook applies to modules that are loaded later, in every file of the process. */
const replacesModules = /support\/new-kind\//;

/**
 * Files run alone when they start processes, and when they stop the timers of the process, where a
 * connection that an earlier file left open would keep its own. What takes longest goes first: the
 * component tests, then files that start servers, which mostly wait, then the other large
 * processes. Short ones remain for the end, when the last large process would leave a core idle.
 */
function planBatches(paths: readonly string[]): Batch[] {
  const texts = new Map(paths.map((path) => [path, readText(path)]));
  const left = new Set([...paths].reverse());
  const take = (pattern: RegExp): string[] => {
    const taken = [...left].filter((path) => pattern.test(texts.get(path) ?? ""));
    for (const path of taken) left.delete(path);
    return taken;
  };
  const servers = inBatches(take(startsServers), 1);
  const others = inBatches(
    [...take(startsProcesses), ...take(stopsTimers), ...take(replacesModules)],
    1,
  );
  const browsers = inBatches(take(opensBrowser), browserFilesPerProcess);
  const components = inBatches(take(opensScreens), componentFilesPerProcess);
  const apps = inBatches(take(startsApp), filesPerProcess);
  const rest = inBatches([...left], filesPerProcess);
  const support = join(project, "test", "support");
  const browser = join(support, "browsers", "browser.ts");
  const properties = join(support, "properties.ts");
  // Compiles .tsx from then on.
  const hooks = join(support, "components", "module-hooks.ts");
  const preload = (batch: readonly string[]) =>
    batch.some((path) => hasProperties.test(texts.get(path) ?? "")) ? [properties] : [];
  return [
    ...components.map((batch) => ({ paths: batch, preloads: [hooks, ...preload(batch)] })),
    ...servers.map((batch) => ({ paths: batch, preloads: preload(batch) })),
    ...browsers.map((batch) => ({ paths: batch, preloads: [browser, ...preload(batch)] })),
    ...[...apps, ...rest, ...others].map((batch) => ({ paths: batch, preloads: preload(batch) })),
  ];
}

function inBatches(paths: readonly string[], size: number): string[][] {
  const count = Math.ceil(paths.length / size);
  return Array.from({ length: count }, (_, batch) =>
    paths.filter((_path, index) => Math.floor((index * count) / paths.length) === batch),
  );
}

function writeEntry(folder: string, { paths, preloads }: Batch, index: number): string {
  const files = Object.fromEntries(paths.map((path) => [path, join(project, path)]));
  const runner = join(project, "test", "support", "runner");
  // Node runs files in the order of their names.
  const number = String(index).padStart(4, "0");
  const name = basename(paths[0] ?? "").replace(/\.tsx$/, ".ts");
  const entry = join(folder, `${number}-${name}`);
  // What comes first is loaded before `node:test`, which the others import.
  const lines = [
    `import ${JSON.stringify(join(runner, "current-test.ts"))};`,
    ...preloads.map((path) => `await import(${JSON.stringify(path)});`),
    `const { testTogether } = await import(${JSON.stringify(join(runner, "batch.ts"))});`,
    `testTogether(${JSON.stringify(files)});`,
  ];
  writeFileSync(entry, `${lines.join("\n")}\n`);
  return entry;
}

/**
 * Builds the web application if it is not up to date; otherwise every test that starts a server
 * would do so. In another process, because Vite sets NODE_ENV.
 */
function buildWeb(): void {
  spawnSync(process.execPath, [join(project, "web", "build.ts")], { stdio: "inherit" });
}

/** Remains for the next run. Node stores one entry per file, and checks it against the source. */
const compiledFolder = join(project, "node_modules", ".cache", "compiled");

/**
 * Loads what most test files load. Processes store compiled code when they exit, so without this
 * the first ones, which run at the same time, would each compile the whole product.
 */
function keepCompiledCode(): void {
  const files = ["test/support/apps/app.ts", "test/support/browsers/application.ts"];
  const urls = files.map((path) => pathToFileURL(join(project, path)).href);
  const load = `for (const url of ${JSON.stringify(urls)}) await import(url); process.exit()`;
  spawnSync(process.execPath, ["--input-type=module", "--eval", load]);
}

interface CheckResult {
  readonly status: number;
  readonly output: string;
  readonly cost: FileCost;
}

async function runCheck(folder: string): Promise<CheckResult> {
  const path = join(folder, "check.log");
  const log = openSync(path, "w");
  const stdio: StdioOptions = ["ignore", log, log];
  const before = readEndedChildrenSeconds();
  const check = spawn("npm", ["run", "check"], { cwd: project, stdio });
  const [status] = await once(check, "exit");
  closeSync(log);
  // The tests are still running, so nothing else has ended since.
  const seconds = readEndedChildrenSeconds() - before;
  const output = readFileSync(path, "utf8");
  return { status: status ?? 1, output, cost: { name: "npm run check", seconds } };
}

async function runTests(paths: readonly string[], folder: string): Promise<number> {
  const entries = planBatches(paths).map((batch, index) => writeEntry(folder, batch, index));
  const list = [
    ...endsWithParent,
    "--test",
    `--test-concurrency=${processesAtOnce}`,
    `--test-timeout=${processLimitMs}`,
    `--test-global-setup=${join(project, "test", "support", "runner", "global-setup.ts")}`,
    ...entries,
  ];
  const stdio: StdioOptions = ["pipe", "inherit", "inherit"];
  const [status] = await once(spawn(process.execPath, list, { cwd: project, stdio }), "exit");
  return status ?? 1;
}

async function run(): Promise<number> {
  const paths = listFiles();
  if (paths.length === 0) throw new Error(`No test file matches ${namedPatterns.join(" ")}`);
  const folder = createScratchFolder();
  process.env.TMPDIR = folder;
  const costsPath = join(folder, "costs");
  writeFileSync(costsPath, "");
  process.env[costsSetting] = costsPath;
  if (isLong) {
    process.env.LONG_RUN = "1";
    process.env.PROPERTY_RUNS ??= String(longPropertyRuns);
  }
  try {
    if (namedPatterns.length === 0) buildWeb();
    process.env.NODE_COMPILE_CACHE ??= compiledFolder;
    if (paths.length > filesPerProcess) keepCompiledCode();
    const isWhole = namedPatterns.length === 0 && !isLong;
    const [status, check] = await Promise.all([
      runTests(paths, folder),
      isWhole ? runCheck(folder) : null,
    ]);
    const costs = [...readCosts(costsPath), ...(check === null ? [] : [check.cost])];
    process.stdout.write(formatCosts(costs, readTreeSeconds(), shownFiles));
    if (check !== null && check.status !== 0) {
      process.stderr.write(`npm run check failed:\n${check.output}`);
    }
    return status || (check?.status ?? 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await run();
