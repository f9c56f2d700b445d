/**
 * Measures the web application: bytes of the first load; first rows, a filter and a scroll of the
 * list with 5,000 checks compared with 50; long tasks; memory after 1,000 live updates; clicks and
 * seconds of the first minutes. Comparisons within one run are ratios, because absolute figures
 * depend on the machine.
 *
 * npm run bench web
 */
import { parseArgs } from "node:util";
import { report, write } from "../support.ts";
import { measureFirstLoad } from "./first-load.ts";
import { measureFirstMinutes } from "./first-minutes.ts";
import { createChecks, measureList } from "./list-speed.ts";
import { measureLiveMemory } from "./live-memory.ts";
import { startBench } from "./server.ts";

const { values } = parseArgs({ options: { many: { type: "string", default: "5000" } } });
const [few, many] = [50, Number(values.many)];
const maxScriptKb = 250;
const maxRatio = 1.5;
const maxTaskMs = 200;

/** Uptime Kuma 2.5.3, measured on another machine. */
const kuma = [
  { clicks: 3, seconds: 17 },
  { clicks: 3, seconds: 8 },
  { clicks: 7, seconds: 10 },
];

const bench = await startBench();
try {
  const now = await measureFirstLoad(bench, "/");
  const checks = await measureFirstLoad(bench, "/checks");
  await createChecks(bench, 0, few);
  const withFew = await measureList(bench);
  write(`  creating ${many} checks`);
  await createChecks(bench, few, many);
  const withMany = await measureList(bench);
  const memory = await measureLiveMemory(bench);
  const steps = await measureFirstMinutes(bench.browser);
  const ratio = (name: "firstRowsMs" | "filterMs" | "scrollMs", words: string) => [
    { name: `${words}, ${few} checks`, value: withFew[name], unit: "ms" },
    { name: `${words}, ${many} checks`, value: withMany[name], unit: "ms" },
    { name: `${words}, ${many} ÷ ${few}`, value: withMany[name] / withFew[name], atMost: maxRatio },
  ];
  report("The web application", [
    { name: "JavaScript of Now, gzipped", value: now.scriptKb, unit: "kB", atMost: maxScriptKb },
    { name: "JavaScript of Checks", value: checks.scriptKb, unit: "kB", atMost: maxScriptKb },
    { name: "total size of Now", value: now.allKb, unit: "kB" },
    { name: "total size of Checks", value: checks.allKb, unit: "kB" },
    ...ratio("firstRowsMs", "first rows of the list"),
    ...ratio("filterMs", "a search"),
    ...ratio("scrollMs", "a scroll of 1,500 px"),
    {
      name: `longest task of the page, ${many} checks`,
      value: withMany.longestTaskMs,
      unit: "ms",
      atMost: maxTaskMs,
    },
    { name: "memory before", value: memory.beforeMb, unit: "MB" },
    {
      name: `memory after ${memory.updates} live updates ÷ before`,
      value: memory.afterMb / memory.beforeMb,
      atMost: 1.1,
    },
    ...steps.flatMap(({ name, clicks, seconds }, place) => [
      { name: `clicks: ${name}`, value: clicks, atMost: kuma[place]?.clicks ?? 0 },
      { name: `seconds: ${name}`, value: seconds, unit: "s", atMost: kuma[place]?.seconds ?? 0 },
    ]),
  ]);
} finally {
  await bench.stop();
}
