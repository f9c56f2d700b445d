import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { appendCosts, readTreeSeconds } from "./cpu.ts";

/** A guard against hanging, far beyond what a busy machine needs. */
const fileLimitMs = 900_000;
const endLimitMs = 60_000;

/** A process that something left behind keeps alive reports what that is, and ends. */
function endWhenDone(): void {
  const timer = setTimeout(() => {
    const left = process.getActiveResourcesInfo().join(", ");
    process.stderr.write(`After all tests these keep the process alive: ${left}\n`);
    process.exit(1);
  }, endLimitMs);
  timer.unref();
}

/**
 * Runs several test files in one process, one after the other, so that the product is loaded once
 * for all of them. What a file's tests and hooks declare belongs to the test that imports the file.
 */
export function testTogether(files: Readonly<Record<string, string>>): void {
  const starts: { readonly name: string; readonly atSeconds: number }[] = [];
  for (const [name, path] of Object.entries(files)) {
    test(name, { timeout: fileLimitMs }, async () => {
      starts.push({ name, atSeconds: starts.length === 0 ? 0 : readTreeSeconds() });
      await import(pathToFileURL(path).href);
    });
  }
  after(() => {
    // A file's hooks run after its tests, so a file costs what is used until the next one starts.
    const endSeconds = readTreeSeconds();
    appendCosts(
      starts.map(({ name, atSeconds }, index) => ({
        name,
        seconds: (starts[index + 1]?.atSeconds ?? endSeconds) - atSeconds,
      })),
    );
    endWhenDone();
  });
}
