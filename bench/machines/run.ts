/**
 * Measures the cost of several machines: the same ICMP checks in one process, with one and two
 * servers on one PostgreSQL, with and without NATS, and with a remote probe over WebSocket and over
 * NATS. Reports the CPU time of all processes per 10,000 runs, and whether round trips stay as
 * accurate. Takes four and a half minutes. Ratios are relative to the first mode.
 *
 * npm run bench machines -- --checks 2000 --seconds 10
 *
 * npm run bench machines -- --modes embedded,embedded   # shows the noise
 */
import { parseArgs } from "node:util";
import { findLack } from "../../test/support/programs/programs.ts";
import { type Figure, report, write } from "../support.ts";
import { type Measured, measure, type Part, parts } from "./measure.ts";
import { type Mode, type ModeName, modes, startMode } from "./modes.ts";

const { values } = parseArgs({
  options: {
    checks: { type: "string", default: "2000" },
    pings: { type: "string", default: "10" },
    seconds: { type: "string", default: "10" },
    "warm-up": { type: "string", default: "8" },
    modes: { type: "string", default: Object.keys(modes).join(",") },
  },
});
const periodSeconds = 10;
const load = {
  checks: Number(values.checks),
  pings: Number(values.pings),
  periodSeconds,
  warmUpSeconds: Number(values["warm-up"]),
  seconds: Number(values.seconds),
};
if (load.seconds % periodSeconds !== 0) {
  throw new Error(
    `--seconds is a multiple of ${periodSeconds}, so that every check is due as often.`,
  );
}

interface Line extends Measured {
  readonly name: ModeName;
  readonly mode: Mode;
}

/** Loopback round trips take a few µs, so any delay of packets would multiply them. */
const maxRttRatio = 1.5;

const isMode = (name: string): name is ModeName => Object.hasOwn(modes, name);
const sum = ({ cpu }: Measured) => parts.reduce((total, part) => total + cpu[part], 0);

async function run(name: string): Promise<Line | null> {
  if (!isMode(name)) throw new Error(`--modes is some of ${Object.keys(modes).join(", ")}.`);
  const mode: Mode = modes[name];
  const lack = mode.hasNats ? findLack("nats-server") : false;
  if (lack !== false) {
    write(`  ${mode.words}: SKIPPED, ${lack}`);
    return null;
  }
  const startedMs = performance.now();
  const running = await startMode(mode);
  try {
    const line = { name, mode, ...(await measure(running, load)) };
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0);
    write(`  ${mode.words}: ${sum(line).toFixed(2)} CPU s for 10,000 runs (took ${seconds} s)`);
    return line;
  } finally {
    await running.stop();
  }
}

const headings: Readonly<Record<Part, string>> = {
  servers: "servers",
  probe: "probe",
  postgres: "PostgreSQL",
  nats: "NATS",
};

function writeTable(lines: readonly Line[], base: Line): void {
  const row = (words: string, cells: readonly string[]) =>
    write(`  ${words.padEnd(36)}${cells.map((cell) => cell.padStart(12)).join("")}`);
  write("\nCPU seconds of all processes for 10,000 runs");
  row("", ["all", `÷ ${base.name}`, ...parts.map((part) => headings[part])]);
  for (const line of lines) {
    const ofParts = parts.map((part) => line.cpu[part].toFixed(2));
    const all = sum(line);
    row(line.mode.words, [all.toFixed(2), (all / sum(base)).toFixed(2), ...ofParts]);
  }
  write("\nRound trips of the packets in the stored results, in µs, and runs");
  row("", [
    "median",
    `÷ ${base.name}`,
    "p99",
    `÷ ${base.name}`,
    "late p99 ms",
    "due",
    "lost",
    "twice",
  ]);
  for (const line of lines) {
    row(line.mode.words, [
      line.rttMedianUs.toFixed(1),
      (line.rttMedianUs / base.rttMedianUs).toFixed(2),
      line.rttP99Us.toFixed(1),
      (line.rttP99Us / base.rttP99Us).toFixed(2),
      line.lateP99Ms.toFixed(0),
      String(line.due),
      String(line.lost),
      String(line.twice),
    ]);
  }
}

function listFigures(lines: readonly Line[], base: Line): Figure[] {
  const builtIn = lines.find(({ name }) => name === "one") ?? base;
  return lines.flatMap((line) => [
    { name: `${line.name}: CPU ÷ ${base.name}`, value: sum(line) / sum(base) },
    ...(line.mode.probe === undefined
      ? []
      : [{ name: `${line.name}: CPU ÷ built-in probe`, value: sum(line) / sum(builtIn) }]),
    {
      name: `${line.name}: median round trip ÷ ${base.name}`,
      value: line.rttMedianUs / base.rttMedianUs,
      atMost: maxRttRatio,
    },
    { name: `${line.name}: runs lost`, value: line.lost, atMost: 0 },
    { name: `${line.name}: runs recorded twice`, value: line.twice, atMost: 0 },
    { name: `${line.name}: results refused`, value: line.ignored, atMost: 0 },
  ]);
}

write(`  ${load.checks} ICMP checks of ${load.pings} pings every ${periodSeconds} s`);
const lines: Line[] = [];
for (const name of values.modes.split(",")) {
  const line = await run(name);
  if (line !== null) lines.push(line);
}
const [base] = lines;
if (base !== undefined) {
  writeTable(lines, base);
  report("What many machines cost", listFigures(lines, base));
}
process.exit();
