/**
 * Measures the cost of one check in a probe, compared with a minimal program that does the same,
 * and the accuracy of its phases while the main thread is busy. All contestants alternate in the
 * same run.
 *
 * npm run bench kinds -- --rounds 3
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { endsWithParent } from "../../test/support/programs/end-with-parent-option.ts";
import { type Figure, median, report, write } from "../support.ts";
import { startBlackbox } from "./blackbox.ts";
import type { Ports } from "./ports.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "3" } } });
const rounds = Number(values.rounds);
const maxRatio = 1.6;
const maxBlackboxRatio = 0.7;
const maxPhaseErrorMs = 1;

function start(script: string, list: readonly string[] = []) {
  return fork(join(import.meta.dirname, script), [...list], {
    execArgv: [...endsWithParent],
    stdio: ["pipe", "inherit", "inherit", "ipc"],
  });
}

async function hear(script: string, list: readonly string[]): Promise<unknown> {
  const child = start(script, list);
  const gone = once(child, "exit");
  const said = once(child, "message");
  const first = await Promise.race([said, gone.then(() => null)]);
  if (first === null) throw new Error(`${script} ${list[0] ?? ""} failed.`);
  await gone;
  return first[0];
}

const target = start("target.ts");
const [ports]: [Ports] = (await once(target, "message")) as [Ports];
const blackbox = await startBlackbox();

const counts: Readonly<Record<string, number>> = {
  "url-http": 1_500,
  "undici-http": 1_500,
  "url-https": 500,
  "undici-https": 500,
  tcp: 2_500,
  "bare-tcp": 2_500,
  dns: 2_500,
  "bare-dns": 2_500,
};
const targets: Readonly<Record<string, string>> = {
  "blackbox-http": `http://127.0.0.1:${ports.http}/`,
  "blackbox-https": `https://127.0.0.1:${ports.https}/`,
};

const found = new Map<string, number[]>();
const note = (name: string, us: number) => {
  found.set(name, [...(found.get(name) ?? []), us]);
  write(`  ${name.padEnd(16)} ${us.toFixed(0).padStart(6)} µs of CPU per check`);
};
for (let round = 1; round <= rounds; round += 1) {
  write(`Round ${round} of ${rounds}`);
  for (const [name, count] of Object.entries(counts)) {
    note(name, Number(await hear("contestant.ts", [name, String(count), JSON.stringify(ports)])));
  }
  if (blackbox === null) continue;
  for (const [name, url] of Object.entries(targets)) note(name, await blackbox.measure(url, 600));
}
blackbox?.stop();

const costOf = (name: string) => median(found.get(name) ?? []);
const compare = (name: string, ours: string, peer: string, atMost: number): Figure[] => [
  { name: `${name}: CPU of a check`, value: costOf(ours), unit: "µs" },
  { name: `${name}: CPU ÷ ${peer}`, value: costOf(ours) / costOf(peer), atMost },
];
const figures = [
  ...compare("URL over HTTP", "url-http", "undici-http", maxRatio),
  ...compare("URL over HTTPS", "url-https", "undici-https", maxRatio),
  ...compare("TCP", "tcp", "bare-tcp", maxRatio),
  ...compare("DNS", "dns", "bare-dns", maxRatio),
];
if (blackbox !== null) {
  figures.push(
    ...compare("URL over HTTP", "url-http", "blackbox-http", maxBlackboxRatio).slice(1),
    ...compare("URL over HTTPS", "url-https", "blackbox-https", maxBlackboxRatio).slice(1),
  );
}

const errors = (await hear("phases.ts", [JSON.stringify(ports)])) as {
  readonly name: string;
  readonly medianMs: number;
  readonly p99Ms: number;
}[];
for (const { name, medianMs, p99Ms } of errors) {
  figures.push(
    { name: `error of phase ${name}, main thread busy: median`, value: medianMs, unit: "ms" },
    { name: `… P99`, value: p99Ms, unit: "ms", atMost: maxPhaseErrorMs },
  );
}
target.kill();
report("Cost and exactness of checks", figures);
if (blackbox === null) {
  write("\nNOT COMPARED with the blackbox exporter: it is not installed here.");
  write("On Debian: apt-get install prometheus-blackbox-exporter");
}
