/**
 * `npm run faults -- --minutes 10 --seed 7` injects random faults into a fleet and checks the
 * invariants. The seed is printed first and reproduces the faults.
 */
import { parseArgs } from "node:util";
import { type FaultPlan, planFaults } from "./fault-plan.ts";
import { FaultSession } from "./fault-session.ts";
import { describeEvidence } from "./figures.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import { fleetPlan } from "./fleet-plan.ts";
import { invariantNames } from "./invariants.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    checks: { type: "string", default: "24" },
    keep: { type: "boolean", default: false },
  },
});
const [minutes, seed, checks] = [values.minutes, values.seed, values.checks].map(Number);

const say = (line: string) => process.stdout.write(`${line}\n`);

function describePlan({ faults, outages }: FaultPlan): void {
  say(`${faults.length} faults, and ${outages.length} outages of targets:`);
  for (const { atMs, kind, subject, forMs } of faults) {
    const [at, lasts] = [atMs, forMs].map((ms) => (ms / 1_000).toFixed(1).padStart(6));
    say(`${at} s  ${kind.padEnd(7)} ${subject.padEnd(20)} ${lasts} s`);
  }
}

async function run(fleet: Fleet): Promise<boolean> {
  const plan = planFaults({
    seed: seed ?? 0,
    lastsMs: (minutes ?? 10) * 60_000,
    machines: [...fleet.machines.keys(), fleet.postgres.name],
    links: [...fleet.links.keys()],
    targets: checks ?? 24,
    restMs: 8_000,
    maxFaultMs: 60_000,
  });
  describePlan(plan);
  const session = await FaultSession.start(
    fleet,
    { checks: checks ?? 24, places: fleetPlan.places },
    say,
  );
  await session.play(plan);
  const { evidence, violations, unsettled } = await session.finish();
  for (const [what, figure] of Object.entries(describeEvidence(evidence))) {
    say(`${what.padEnd(32)} ${figure}`);
  }
  say(`answers to writes                ${JSON.stringify([...session.writer.statuses])}`);
  const broken = new Map(Object.entries(Object.groupBy(violations, ({ invariant }) => invariant)));
  for (const name of invariantNames) {
    say(`${broken.has(name) ? "BROKEN" : "held  "} ${name}`);
    for (const { what } of (broken.get(name) ?? []).slice(0, 20)) say(`         ${what}`);
  }
  if (unsettled !== null) say(`BROKEN ${unsettled}`);
  return violations.length === 0 && unsettled === null;
}

say(`seed ${seed}: again with npm run faults -- --minutes ${minutes} --seed ${seed}`);
const fleet = await startFleet({ ...fleetPlan, targets: checks ?? 24 });
try {
  process.exitCode = (await run(fleet)) ? 0 : 1;
} finally {
  await fleet.stop({ isKept: values.keep });
}
