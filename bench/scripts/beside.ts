import { availableParallelism } from "node:os";
import { orderScript, startScriptRunner } from "../../test/support/scripts/script-runner.ts";

const script = `
import { test, expect } from "@playwright/test";
test("steps", async () => {
  for (const name of ["one", "two", "three"]) {
    await test.step(name, () => expect(name.length).toBeGreaterThan(2));
  }
});`;

/** Runs one script after the other on each core, until it is stopped. */
export function startScripts(): { count(): number; stop(): Promise<void> } {
  const runner = startScriptRunner();
  // The runner does not keep its parent alive.
  const alive = setInterval(() => {}, 60_000);
  let passed = 0;
  let isStopped = false;
  const runAll = async () => {
    while (!isStopped) {
      const outcome = await runner.run(orderScript(script));
      if (outcome.kind === "measured" && outcome.measurement.end === "passed") passed += 1;
    }
  };
  const loops = Array.from({ length: availableParallelism() }, runAll);
  const stop = async () => {
    isStopped = true;
    await Promise.all(loops);
    await runner.close();
    clearInterval(alive);
  };
  return { count: () => passed, stop };
}
