import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { appendCosts, type FileCost, readTreeSeconds, unseenCost } from "./cpu.ts";
import { endShared } from "./process-end.ts";

/** Timeout for a hanging test file, much longer than a busy machine needs. */
const fileLimitMs = 900_000;
const endLimitMs = 60_000;

/**
 * Ends the process after a timeout if leftover resources keep it alive, and reports these
 * resources.
 */
function endWhenDone(): void {
  const timer = setTimeout(() => {
    const left = process.getActiveResourcesInfo().join(", ");
    process.stderr.write(`After all tests these keep the process alive: ${left}\n`);
    process.exit(1);
  }, endLimitMs);
  timer.unref();
}

/**
 * Runs several test files in one process, one after the other, so that the product is loaded only
 * once. The tests and hooks of a file belong to the test that imports the file.
 */
export function testTogether(files: Readonly<Record<string, string>>): void {
  const costs: FileCost[] = [];
  let beforeSeconds = 0;
  for (const [name, path] of Object.entries(files)) {
    const ended = test(name, { timeout: fileLimitMs }, async () => {
      await import(pathToFileURL(path).href);
    });
    void ended.finally(() => {
      const nowSeconds = readTreeSeconds();
      costs.push({ name, seconds: nowSeconds - beforeSeconds });
      beforeSeconds = nowSeconds;
    });
  }
  after(async () => {
    await endShared();
    // CPU time that the kernel did not count. A browser exits without waiting for its child
    // processes, so their time is lost.
    const unseenSeconds = Math.max(0, beforeSeconds - readTreeSeconds());
    appendCosts([
      ...costs,
      ...(unseenSeconds > 0 ? [{ name: unseenCost, seconds: unseenSeconds }] : []),
    ]);
    endWhenDone();
  });
}
