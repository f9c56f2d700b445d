/**
 * Measures the accuracy of phase timings while the main thread is busy: a server delays each phase
 * by a known time. The duration of a phase without a delay, on an idle main thread, is subtracted.
 */
import type { UrlMeasurement } from "../../src/kinds/of/url/measurement.ts";
import { delayMs, type Ports } from "./ports.ts";
import { type ProbeRuns, startProbeRuns, toRequest } from "./probe-runs.ts";

const ports: Ports = JSON.parse(process.argv[2] ?? "{}");
const warmUps = 60;
const plainRuns = 100;
const slowRuns = 400;
/** The main thread is blocked for this long at a time. */
const busyMs = 25;

type Phases = Readonly<Record<"dns" | "connect" | "tls" | "firstByte" | "body", number>>;
const phaseNames = ["dns", "connect", "tls", "firstByte", "body"] as const;
/** The kernel accepts connections, so a server cannot delay this phase. */
const delays: Phases = {
  dns: delayMs,
  connect: 0,
  tls: delayMs,
  firstByte: delayMs,
  body: delayMs,
};

let lastName = 0;

/** Each request uses a new name, so that it is not cached. */
async function measure({ run }: ProbeRuns, isSlow: boolean): Promise<Phases> {
  lastName += 1;
  const host = `${isSlow ? "slow" : "fast"}${lastName}.bench.example`;
  const url = `https://${host}:${ports.https}/${isSlow ? "slow" : ""}`;
  const { phases } = (await run(toRequest("URL", { url, skipSSL: true }))) as UrlMeasurement;
  const { dnsMs, connectMs, tlsMs, firstByteMs, bodyMs } = phases;
  return { dns: dnsMs, connect: connectMs, tls: tlsMs ?? 0, firstByte: firstByteMs, body: bodyMs };
}

async function measureMany(runs: ProbeRuns, count: number, isSlow: boolean): Promise<Phases[]> {
  const all: Phases[] = [];
  for (let at = 0; at < count; at += 1) all.push(await measure(runs, isSlow));
  return all;
}

function pick(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

let isBusy = false;

function spin(): void {
  const endMs = performance.now() + busyMs;
  while (performance.now() < endMs) {}
  if (isBusy) setImmediate(spin);
}

const runs = await startProbeRuns("URL", [`127.0.0.1:${ports.dns}`]);
await measureMany(runs, warmUps, false);
await measureMany(runs, warmUps / 3, true);
const plain = await measureMany(runs, plainRuns, false);
isBusy = true;
spin();
const slow = await measureMany(runs, slowRuns, true);
isBusy = false;
const errors = phaseNames.map((name) => {
  const usual = pick(
    plain.map((phases) => phases[name]),
    0.5,
  );
  const differences = slow.map((phases) => Math.abs(phases[name] - delays[name] - usual));
  return { name, medianMs: pick(differences, 0.5), p99Ms: pick(differences, 0.99) };
});
await runs.close();
process.send?.(errors, () => process.exit());
