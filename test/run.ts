/**
 * Runs the test files, or those named on the command line, with `node --test`. A process per file
 * would load the product more than two hundred times, which cost a third of the whole run; so files
 * share processes, except those that start processes or stop timers.
 */
import { type StdioOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { endsWithParent } from "./support/programs/end-with-parent-option.ts";

const project = resolve(import.meta.dirname, "..");
const filesPerProcess = 20;
/** Each has one browser for all of its files. */
const browserFilesPerProcess = 7;
/** Many files wait for a process or a browser: four at once left a quarter of two cores idle. */
const processesAtOnce = 5;
const processLimitMs = 3_600_000;

interface Batch {
  readonly paths: readonly string[];
  /** What the process loads before the first of them. */
  readonly preloads: readonly string[];
}

function listFiles(): string[] {
  const named = process.argv.slice(2);
  const patterns = named.length > 0 ? named : ["{src,test,web}/**/*.test.ts"];
  return globSync(patterns, { cwd: project }).sort();
}

const startsServers = /from ".*\/support\/(\w+\/vedette-process|machines\/fleet)\.ts"/;
const startsProcesses = /from "(node:child_process|.*\/support\/\w+\/embedded-postgres\.ts)"/;
const opensBrowser = /from ".*\/support\/browsers\/\w+\.ts"/;
const stopsTimers = /mock\.timers/;

/**
 * Files run alone when they start processes, and when they stop the timers of the process, where a
 * connection that an earlier file left open would keep its own. What takes longest goes first:
 * files that start servers, then browsers, then those at the end of the alphabet, which are about
 * the whole product.
 */
function planBatches(paths: readonly string[]): Batch[] {
  const texts = new Map(paths.map((path) => [path, readFileSync(join(project, path), "utf8")]));
  const left = new Set([...paths].reverse());
  const take = (pattern: RegExp): string[] => {
    const taken = [...left].filter((path) => pattern.test(texts.get(path) ?? ""));
    for (const path of taken) left.delete(path);
    return taken;
  };
  const servers = inBatches(take(startsServers), 1);
  const others = inBatches([...take(startsProcesses), ...take(stopsTimers)], 1);
  const browsers = inBatches(take(opensBrowser), browserFilesPerProcess);
  const rest = inBatches([...left], filesPerProcess);
  const browser = join(project, "test", "support", "browsers", "browser.ts");
  return [
    ...servers.map((batch) => ({ paths: batch, preloads: [] })),
    ...browsers.map((batch) => ({ paths: batch, preloads: [browser] })),
    ...[...others, ...rest].map((batch) => ({ paths: batch, preloads: [] })),
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
  const support = join(project, "test", "support", "runner", "batch.ts");
  // Node runs files in the order of their names.
  const number = String(index).padStart(4, "0");
  const entry = join(folder, `${number}-${basename(paths[0] ?? "")}`);
  const lines = [
    ...preloads.map((path) => `import ${JSON.stringify(path)};`),
    `import { testTogether } from ${JSON.stringify(support)};`,
    `testTogether(${JSON.stringify(files)});`,
  ];
  writeFileSync(entry, `${lines.join("\n")}\n`);
  return entry;
}

/**
 * Loads the product once. The files that go first start it and kill it, which keeps no compiled
 * code, and everybody after them would compile the whole product again.
 */
function keepCompiledCode(folder: string): void {
  process.env.NODE_COMPILE_CACHE = join(folder, "compiled");
  const app = JSON.stringify(pathToFileURL(join(project, "src", "app", "app.ts")).href);
  spawnSync(process.execPath, ["--input-type=module", "--eval", `await import(${app})`]);
}

async function run(): Promise<number> {
  const paths = listFiles();
  const folder = mkdtempSync(join(tmpdir(), "vedette-test-run-"));
  try {
    if (paths.length > filesPerProcess) keepCompiledCode(folder);
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
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await run();
