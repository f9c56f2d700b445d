/**
 * The whole product with a prober limited to `CAPACITY` runs per second, in order of arrival, like
 * a machine that is too small.
 */
import { startApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/config.ts";

const slotMs = 20;
const perSlot = Number(process.env.CAPACITY) * (slotMs / 1_000);
const waiting: (() => void)[] = [];
let credit = 0;
let slot = performance.now();

setInterval(() => {
  // Uses the clock, because timers of a busy process are late.
  const slots = Math.floor((performance.now() - slot) / slotMs);
  slot += slots * slotMs;
  credit = Math.min(credit + slots * perSlot, Math.max(1, 50 * perSlot));
  for (; credit >= 1 && waiting.length > 0; credit -= 1) waiting.shift()?.();
}, slotMs);

const app = await startApp(readConfig(process.env), {
  wrapRun: async (run) => {
    await new Promise<void>((resume) => waiting.push(resume));
    return run();
  },
});
process.stdout.write(`listens on ${app.url}\n`);
process.once("SIGTERM", () => {
  app.stop().then(() => process.exit(0));
});
