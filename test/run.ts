/**
 * Runs the test files, or those named on the command line, with `node --test`. A process per file
 * would load the product more than two hundred times, which cost a third of the whole run; so files
 * share processes, except those that start processes or stop timers.
 */
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const project = resolve(import.meta.dirname, "..");
const filesPerProcess = 20;
const processLimitMs = 3_600_000;

function listFiles(): string[] {
  const named = process.argv.slice(2);
  const patterns = named.length > 0 ? named : ["{src,test,web}/**/*.test.ts"];
  return globSync(patterns, { cwd: project }).sort();
}

/**
 * Those that start processes, which take longest too, so they go first; and those that stop the
 * timers of the process, where a connection that an earlier file left open would keep its own.
 */
function runsAlone(path: string): boolean {
  const text = readFileSync(join(project, path), "utf8");
  const startsProcesses =
    /from "(node:child_process|.*\/support\/\w+\/(browser|vedette-process|embedded-postgres)\.ts)"/;
  return startsProcesses.test(text) || text.includes("mock.timers");
}

function inBatches(paths: readonly string[]): string[][] {
  const count = Math.ceil(paths.length / filesPerProcess);
  return Array.from({ length: count }, (_, batch) =>
    paths.filter((_path, index) => Math.floor((index * count) / paths.length) === batch),
  );
}

function writeEntry(folder: string, paths: readonly string[], index: number): string {
  const files = Object.fromEntries(paths.map((path) => [path, join(project, path)]));
  const support = JSON.stringify(join(project, "test", "support", "runner", "batch.ts"));
  const entry = join(folder, `${index}-${basename(paths[0] ?? "")}`);
  writeFileSync(
    entry,
    `import { testTogether } from ${support};\ntestTogether(${JSON.stringify(files)});\n`,
  );
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

function run(): number {
  const paths = listFiles();
  const alone = paths.filter(runsAlone);
  const batches = inBatches(paths.filter((path) => !alone.includes(path)));
  const folder = mkdtempSync(join(tmpdir(), "vedette-test-run-"));
  try {
    if (paths.length > filesPerProcess) keepCompiledCode(folder);
    const entries = [...alone.map((path) => [path]), ...batches].map((batch, index) =>
      writeEntry(folder, batch, index),
    );
    const list = [
      "--test",
      "--test-concurrency=2",
      `--test-timeout=${processLimitMs}`,
      `--test-global-setup=${join(project, "test", "support", "runner", "global-setup.ts")}`,
      ...entries,
    ];
    return spawnSync(process.execPath, list, { cwd: project, stdio: "inherit" }).status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = run();
