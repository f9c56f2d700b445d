import { after, test } from "node:test";
import { pathToFileURL } from "node:url";

/** A guard against hanging, far beyond what a busy machine needs. */
const fileLimitMs = 900_000;
const endLimitMs = 60_000;

/** A process that something left behind keeps alive says what that is, and ends. */
function endWhenDone(): void {
  const timer = setTimeout(() => {
    const left = process.getActiveResourcesInfo().join(", ");
    process.stderr.write(`After all tests these keep the process alive: ${left}\n`);
    process.exit(1);
  }, endLimitMs);
  timer.unref();
}

/**
 * Several test files in one process, one after the other, so that the product is loaded once for
 * all of them. What a file's tests and hooks declare belongs to the test that imports the file.
 */
export function testTogether(files: Readonly<Record<string, string>>): void {
  for (const [name, path] of Object.entries(files)) {
    test(name, { timeout: fileLimitMs }, async () => {
      await import(pathToFileURL(path).href);
    });
  }
  after(endWhenDone);
}
